package safety

import (
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// systemDirs are the top-level system directories of an Arch system (file-hierarchy(7)), without /tmp.
var systemDirs = words("/bin /boot /dev /efi /etc /home /lib /lib64 /media /mnt /opt /proc /root /run /sbin /srv /sys /usr /var /lost+found")

// temporaryDirs can be emptied after a confirmation.
var temporaryDirs = []string{"/tmp", "/var/tmp", "/dev/shm"}

var diskNames = lazyregexp.New(`^/dev/(sd[a-z*?\x00]|hd[a-z*?\x00]|vd[a-z*?\x00]|xvd[a-z*?\x00]|nvme|mmcblk|dm-|md[0-9/_*?\x00]|mapper/.|disk/by-|[a-z]*[*?\x00])`)

// pathText returns a value as a path. An unknown segment becomes a NUL, which no path can contain; patterns
// stay patterns.
func (v value) pathText() string {
	var b strings.Builder
	for _, s := range v {
		switch s.kind {
		case segLit, segGlob:
			b.WriteString(s.displayText())
		default:
			b.WriteByte(0)
		}
	}
	return b.String()
}

// isBlockDevice reports whether the value is a disk or a part of one.
func (v value) isBlockDevice(dirs []string) bool {
	text := v.pathText()
	if text == "" {
		return false
	}
	for _, p := range absolutePaths(text, dirs) {
		if diskNames.MatchString(p) {
			return true
		}
	}
	return false
}

// isDevice reports whether the value is a path below /dev.
func (v value) isDevice(dirs []string) bool {
	for _, p := range absolutePaths(v.pathText(), dirs) {
		if strings.HasPrefix(p, "/dev/") {
			return true
		}
	}
	return false
}

// absolutePaths returns the clean absolute paths that text can mean.
func absolutePaths(text string, dirs []string) []string {
	if strings.HasPrefix(text, "/") {
		return []string{path.Clean(text)}
	}
	out := make([]string, 0, len(dirs))
	for _, d := range dirs {
		out = append(out, path.Join(d, text))
	}
	return out
}

// isProtected reports whether removing the value would remove the root, a home, a system directory or a part of one.
//
// A relative name only counts if it has .. or follows a cd to one of those places: a plain `rm -rf build` only
// needs a confirmation.
func (s *scope) isProtected(v value) bool {
	text := v.pathText()
	if text == "" || v.prefix() == "" && !v.has(segGlob) {
		return false
	}
	if strings.HasPrefix(text, "/") {
		return s.protectedPath(text)
	}
	for i, d := range s.dirs {
		full := path.Join(d, text)
		climbs := strings.HasPrefix(path.Clean(text), "..")
		switch {
		case climbs && s.protectedPath(full), i > 0 && s.isVital(full):
			return true
		case i > 0 && (s.isVital(path.Dir(full)) && strings.ContainsAny(path.Base(full), "*?") || s.protectedPath(full) && !s.insideHome(full)):
			return true
		}
	}
	return false
}

func (s *scope) protectedPath(text string) bool {
	p := path.Clean(text)
	if p == "/" {
		return true
	}
	// The home first: in a container or a test it can be in /tmp.
	if isWithin(p, s.j.c.home) {
		return true
	}
	for _, tmp := range temporaryDirs {
		if isWithin(p, tmp) {
			return false
		}
	}
	top, _, _ := strings.Cut(p[1:], "/")
	if systemDirs.has(p[:1+len(top)]) {
		return true
	}
	return strings.ContainsAny(top, "*?") && matchesSystemDir(top)
}

// isWithin reports whether a clean path is dir or below it.
func isWithin(p, dir string) bool {
	return strings.HasPrefix(p, dir) && (len(p) == len(dir) || p[len(dir)] == '/')
}

// matchesSystemDir reports whether a pattern of the root directory matches a system directory: /* or /us? .
func matchesSystemDir(pattern string) bool {
	for dir := range systemDirs.all() {
		if ok, err := path.Match(strings.ReplaceAll(pattern, "\x00", "*"), dir[1:]); ok || err != nil {
			return true
		}
	}
	return false
}

// isVital reports whether p is the root, a home or a system directory itself.
func (s *scope) isVital(p string) bool {
	return p == "/" || p == s.j.c.home || systemDirs.has(p) || path.Dir(p) == "/home"
}

// accountDirs are the directories of a home without which the account does not work, or no one gets in: settings and keys.
var accountDirs = words(".config .local .local/share .ssh .gnupg .pki .password-store")

// ownPath returns the absolute path of a person's own files that removing the value would remove: something below the
// home, but not the home itself, everything in it or one of [accountDirs]. ok is false if the value can name anything else.
func (s *scope) ownPath(v value) (own string, ok bool) {
	text := v.pathText()
	if text == "" || strings.ContainsRune(text, 0) || strings.Contains("/"+text+"/", "/../") || s.parent != nil || s.vars["HOME"] != nil {
		return "", false // another shell can have another home
	}
	for _, own = range absolutePaths(text, s.dirs) {
		name, below := strings.CutPrefix(own, s.j.c.home+"/")
		if first, _, _ := strings.Cut(name, "/"); !below || strings.ContainsAny(first, "*?[") || removesAccountDir(name) || !s.staysInHome(own) {
			return "", false
		}
	}
	return own, true
}

// removesAccountDir reports whether a path or pattern below the home is one of accountDirs, or everything in one.
func removesAccountDir(name string) bool {
	for dir := range accountDirs.all() {
		if matched, err := path.Match(name, dir); matched || err != nil {
			return true
		}
	}
	dir, last := path.Split(name)
	return accountDirs.has(path.Clean(dir)) && strings.ContainsAny(last, "*?[")
}

// staysInHome reports whether the directories of a path or pattern below the home are there, and not elsewhere by a link.
func (s *scope) staysInHome(own string) bool {
	if s.j.c.evalSymlinks == nil {
		return true
	}
	if i := strings.IndexAny(own, "*?["); i >= 0 {
		own = path.Dir(own[:i] + "x")
	}
	home, err := s.j.c.evalSymlinks(s.j.c.home)
	if err != nil {
		home = s.j.c.home
	}
	real, err := s.j.c.evalSymlinks(own)
	return err != nil || real != home && isWithin(real, home) // what does not exist is not removed
}

func (s *scope) insideHome(p string) bool {
	return strings.HasPrefix(p, s.j.c.home+"/") || strings.HasPrefix(p, "/home/")
}

// blockRules applies the BLOCKED list to one unwrapped command.
func (s *scope) blockRules(name string, args []field) {
	part := commandText(name, args)
	switch {
	case name == "rm":
		s.loses("delete-root", part, s.treesRemoved(args))
	case name == "find":
		s.loses("find-delete", part, s.treesFound(args))
	case name == "chmod" && s.opensRoot(args):
		s.j.block("chmod-root", part)
	case s.makesFileSystem(name, args):
		s.j.block("make-filesystem", part)
	case s.writesDisk(name, args):
		s.j.block("disk-write", part)
	}
}

// loses blocks a command that removes protected places. It only refuses one that removes nothing but a person's own files.
func (s *scope) loses(code, part string, removed []value) {
	var own []string
	for _, v := range removed {
		p, ok := s.ownPath(v)
		if !ok {
			s.j.block(code, part)
			return
		}
		own = append(own, p)
	}
	for _, p := range own {
		s.j.refuse(DeleteOwn, p)
	}
}

// DeleteOwn is the code of a reason whose part is the absolute path, or a pattern of it, of a person's own files that are
// lost.
const DeleteOwn = "delete-own"

func commandText(name string, args []field) string {
	var b strings.Builder
	b.WriteString(name)
	for _, a := range args {
		if b.Len() > 200 {
			break
		}
		b.WriteByte(' ')
		b.WriteString(a.val.String())
	}
	return b.String()
}

var rmLong = []string{"force", "interactive", "one-file-system", "no-preserve-root", "preserve-root", "recursive", "dir", "verbose", "help", "version"}

// treesRemoved returns the protected places that a recursive forced rm removes. GNU rm accepts options anywhere before --,
// and any unique prefix of a long option.
func (s *scope) treesRemoved(args []field) (targets []value) {
	recursive, force, operands := false, false, false
	for _, f := range args {
		text := f.val.prefix()
		switch {
		case operands || !strings.HasPrefix(text, "-") || text == "-":
			if s.isProtected(f.val) {
				targets = append(targets, f.val)
			}
		case text == "--":
			operands = true
		case strings.HasPrefix(text, "--"):
			recursive = recursive || longMatches(text[2:], "recursive", rmLong)
			force = force || longMatches(text[2:], "force", rmLong)
		default:
			recursive = recursive || strings.ContainsAny(text, "rR")
			force = force || strings.Contains(text, "f")
		}
	}
	if !recursive {
		return nil
	}
	if !force { // rm asks for some files itself; only what is the person's own is named
		targets = slices.DeleteFunc(targets, func(v value) bool { _, own := s.ownPath(v); return !own })
	}
	return targets
}

// longMatches reports whether given is want or a unique abbreviation of it.
func longMatches(given, want string, all []string) bool {
	given, _, _ = strings.Cut(given, "=")
	if given == want {
		return true
	}
	if given == "" || !strings.HasPrefix(want, given) {
		return false
	}
	return !slices.ContainsFunc(all, func(o string) bool { return o != want && strings.HasPrefix(o, given) })
}

// treesFound returns the protected places in which find removes files, with -delete or with rm as its action.
func (s *scope) treesFound(args []field) (starts []value) {
	deletes := false
	expression := false
	skip := false
	for i, f := range args {
		text := f.val.prefix()
		if skip {
			skip = false
			continue
		}
		if !expression && (text == "-H" || text == "-L" || text == "-P" || text == "-D" || strings.HasPrefix(text, "-O")) {
			skip = text == "-D" // find(1), "OPTIONS": options precede the starting directory
			continue
		}
		expression = expression || strings.HasPrefix(text, "-") || text == "(" || text == "!"
		if !expression && s.isProtected(f.val) {
			starts = append(starts, f.val)
		}
		switch text {
		case "-delete":
			deletes = true
		case "-exec", "-execdir", "-ok", "-okdir":
			deletes = deletes || s.runsRemove(args[i+1:])
		}
	}
	if !deletes {
		return nil
	}
	return starts
}

// runsRemove reports whether an action of find is rm, directly or in wrappers.
func (s *scope) runsRemove(args []field) bool {
	for i, f := range args {
		text, _ := f.val.lit()
		if text == ";" || text == "+" {
			args = args[:i]
			break
		}
	}
	probe := newJudge(s.j.c, s.j.dir)
	probe.nesting, probe.work = s.j.nesting, s.j.work
	if len(args) == 0 || probe.nesting >= maxWrappers {
		return false
	}
	sub := newScope(probe, s)
	sub.argv(args)
	return probe.programs["rm"]
}

// opensRoot recognises a chmod of / that lets everyone write.
func (s *scope) opensRoot(args []field) bool {
	mode, root := "", false
	for _, f := range args {
		text, ok := f.val.lit()
		switch {
		case !ok:
		case mode == "" && (!strings.HasPrefix(text, "-") || strings.ContainsAny(text, "wx") && !strings.HasPrefix(text, "--")):
			mode = text
		case !strings.HasPrefix(text, "-"):
			root = root || slices.Contains(absolutePaths(text, s.dirs), "/")
		}
	}
	return root && worldWritable(mode)
}

func octal(mode string) bool {
	for i := range len(mode) {
		if mode[i] < '0' || mode[i] > '7' {
			return false
		}
	}
	return mode != ""
}

func worldWritable(mode string) bool {
	if octal(mode) {
		return (mode[len(mode)-1]-'0')&2 != 0
	}
	for clause := range strings.SplitSeq(mode, ",") {
		i := strings.IndexAny(clause, "+=")
		if i < 0 {
			continue
		}
		who, perms := clause[:i], clause[i:]
		if (who == "" || strings.ContainsAny(who, "ao")) && strings.ContainsAny(perms, "w") {
			return true
		}
		if strings.ContainsAny(who, "ao") && strings.ContainsAny(perms[1:], "ug") {
			return true
		}
	}
	return false
}

// makesFileSystem recognises mkfs and its back ends on a device.
func (s *scope) makesFileSystem(name string, args []field) bool {
	switch {
	case name == "mkfs", strings.HasPrefix(name, "mkfs."), name == "mke2fs", name == "mkdosfs", name == "mkntfs", name == "mkexfatfs":
		return slices.ContainsFunc(args, func(f field) bool { return f.val.isDevice(s.dirs) })
	}
	return false
}

// writesDisk recognises programs that write to a disk.
func (s *scope) writesDisk(name string, args []field) bool {
	disk := func(f field) bool { return !strings.HasPrefix(f.val.prefix(), "-") && f.val.isBlockDevice(s.dirs) }
	switch name {
	case "dd", "dcfldd", "dc3dd":
		return slices.ContainsFunc(args, func(f field) bool {
			for _, key := range []string{"of=", "hof=", "ofs="} {
				if strings.HasPrefix(f.val.prefix(), key) && f.val.dropPrefix(len(key)).isBlockDevice(s.dirs) {
					return true
				}
			}
			return false
		})
	case "tee", "shred", "blkdiscard", "sponge", "truncate":
		return slices.ContainsFunc(args, disk)
	case "cp", "install", "mv":
		return s.copiesToDisk(args, disk)
	}
	return false
}

// copiesToDisk checks the destination: the last operand, or the value of -t.
func (s *scope) copiesToDisk(args []field, disk func(field) bool) bool {
	for len(args) > 0 && args[len(args)-1].val.String() == "--" {
		args = args[:len(args)-1]
	}
	var operands []field
	for _, f := range args {
		if !strings.HasPrefix(f.val.prefix(), "-") {
			operands = append(operands, f)
		}
	}
	return len(operands) > 1 && disk(operands[len(operands)-1])
}
