package machine

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// LeftFilesProbe lists the configuration files that pacman has left next to others: pacman(8), "HANDLING CONFIG FILES".
var LeftFilesProbe = Probe{
	"find", "/etc", "-xdev", "-regextype", "posix-extended", "-regex", `.*\.pac(new|save(\.[0-9]+)?)`, "-printf", `%T@\t%s\t%p\n`,
}

// BackupsProbe shows the configuration files outside /etc that packages have: "PATH<tab>MD5" below %BACKUP% in pacman's database
// (libalpm, lib/libalpm/be_local.c). Only lines of that section end so.
var BackupsProbe = Probe{
	"grep", "-rhE", "--include=files", `^([^e]|e[^t]|et[^c]|etc[^/]).*[[:blank:]][0-9a-f]{32}$`, "/var/lib/pacman/local",
}

// ParseBackupDirs returns the directories of the files that [BackupsProbe] shows, sorted. They exist, or did.
func ParseBackupDirs(text []byte) (dirs []string) {
	for line := range strings.Lines(string(text)) {
		file, _, ok := strings.Cut(line, "\t")
		if dir := path.Dir("/" + file); ok && CleanLine(dir) == dir && dir != "/" {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// LeftBesideProbe lists what [LeftFilesProbe] does, in the directories themselves.
func LeftBesideProbe(dirs ...string) Probe {
	return slices.Concat(Probe{"find"}, dirs, Probe{"-maxdepth", "1"}, LeftFilesProbe[2:])
}

// FileOwnersProbe shows which packages have files.
func FileOwnersProbe(files ...string) Probe { return append(Probe{"pacman", "-Qo", "--"}, files...) }

// ParseFileOwners parses [FileOwnersProbe]: pacman(8), "/etc/fstab is owned by filesystem 2024.11.21-1". It skips other lines.
func ParseFileOwners(text []byte) (map[string]PackageFile, error) {
	out := map[string]PackageFile{}
	for _, line := range Lines(text) {
		if m := ownedBy().FindStringSubmatchIndex(line); m != nil {
			out[line[:m[0]]] = PackageFile{line[m[2]:m[3]], line[m[4]:m[5]]}
		}
	}
	return readable(out, len(out) > 0 || len(Lines(text)) == 0, "pacman -Qo")
}

// LeftFilesLogProbe shows the lines of pacman's log about files that were left, and about changes of some packages.
func LeftFilesLogProbe(packages ...string) Probe {
	names := make([]string, len(packages))
	for i, name := range packages {
		names[i] = strings.Map(func(r rune) rune {
			if strings.ContainsRune("+.", r) {
				return '.' // any character: a row that does not fit is left out when it is read
			}
			return r
		}, name)
	}
	form := `\[ALPM\] (warning: /.* (installed|saved) as /|(upgraded|downgraded|reinstalled) (` + strings.Join(names, "|") + `) \()`
	return Probe{"grep", "-E", form, "/var/log/pacman.log", "|", "tail", "-n", "480"}
}

// LeftFile is a line of pacman's log: a file that was left next to another, or the change of a package.
type LeftFile struct {
	At time.Time
	// File has the configuration, As is the file next to it.
	File, As string
	// Change is the change of a package, the zero value of a line about a file.
	Change PackageChange
}

// leftLine matches "[2026-11-20T09:12:33+0900] [ALPM] warning: /etc/a installed as /etc/a.pacnew".
var leftLine = pattern(`^\[([^\]]+)\] \[ALPM\] warning: (/\S.*) (?:installed|saved) as (/\S.*)$`)

// ParseLeftFilesLog parses [LeftFilesLogProbe]: libalpm, lib/libalpm/add.c and remove.c. The warnings of a package come before the
// line of its change.
func ParseLeftFilesLog(text []byte) ([]LeftFile, error) {
	var out []LeftFile
	for _, line := range Lines(text) {
		if m := leftLine().FindStringSubmatch(line); m != nil {
			if at, ok := logTime(line); ok {
				out = append(out, LeftFile{At: at, File: m[2], As: m[3]})
			}
			continue
		}
		if changes, err := ParsePackageLog([]byte(line)); err == nil && len(changes) == 1 {
			out = append(out, LeftFile{At: changes[0].At, Change: changes[0]})
		}
	}
	return rows(out, text, "pacman.log")
}

// CachedVersionsProbe lists the files of the package cache that have a version of a package.
func CachedVersionsProbe(name string, versions ...string) Probe {
	p := Probe{"find", "/var/cache/pacman/pkg", "-maxdepth", "1", "-type", "f", "-regextype", "posix-extended", "-regex"}
	forms := make([]string, len(versions))
	for i, v := range versions {
		forms[i] = literalForm(v)
	}
	return append(p, `.*/`+literalForm(name)+`-(`+strings.Join(forms, "|")+`)-[a-z0-9_]+\.pkg\.tar(\.[a-z0-9]+)?`)
}

// literalForm returns an expression that matches a name or version.
func literalForm(word string) string {
	return strings.NewReplacer("+", "[+]", ".", "[.]").Replace(word)
}

// MemberSumProbe shows the SHA-256 of a file in a cached package.
func MemberSumProbe(archive, file string) Probe {
	return append(member(archive, file), "|", "sha256sum")
}

// DistanceProbe counts the lines in which a file differs from its base: a cached package that has it, or a kept text.
func DistanceProbe(base, file string) Probe {
	count := Probe{"|", "grep", "-c", "-a", "^[<>]"}
	if isPackageFile(base) {
		return slices.Concat(member(base, file), Probe{"|", "diff", "-a", "-", file}, count)
	}
	return append(Probe{"diff", "-a", base, file}, count...)
}

// MergeProbe compares two versions of a file with the base from which both come: diff3(1). Without the text, its output is small
// and has nothing to hide. diff3 finds the changes from its last file, except with -m: the base comes last.
func MergeProbe(mine, base, theirs string) Probe {
	heads := Probe{"|", "grep", "-a", "-E", "^(====|[123]:[0-9])"}
	if isPackageFile(base) {
		return slices.Concat(member(base, mine), Probe{"|", "diff3", "-a", mine, theirs, "-"}, heads)
	}
	return append(Probe{"diff3", "-a", mine, theirs, base}, heads...)
}

// isPackageFile reports whether a path is that of a package: makepkg.conf(5), PKGEXT.
func isPackageFile(file string) bool { return strings.Contains(path.Base(file), ".pkg.tar") }

// member prints a file of a package.
func member(archive, file string) Probe {
	return Probe{"bsdtar", "-xOqf", archive, strings.TrimPrefix(file, "/")}
}

// Span is a range of lines, from 1. It has no lines if To is less than From: then it is the place before From.
type Span struct{ From, To int }

// Change3 is a place where three versions of a file differ.
type Change3 struct {
	// Only is the file that differs from the other two, from 1; 0 if all three differ.
	Only  int
	Spans [3]Span
}

// ParseDiff3 parses the heads of the output of diff3: diffutils, "Detailed Description of diff3 Normal Format".
func ParseDiff3(text []byte) ([]Change3, error) {
	var out []Change3
	seen := "123" // the files whose lines of the last change were read
	for _, line := range Lines(text) {
		kind, isHead := strings.CutPrefix(line, "====")
		place, rest, _ := strings.Cut(line, ":")
		span, isSpan := parseSpan(rest)
		switch {
		case isHead && len(seen) == 3 && (kind == "" || strings.Contains("1 2 3", kind)):
			only, _ := strconv.Atoi(kind)
			out, seen = append(out, Change3{Only: only}), ""
		case !isHead && isSpan && strings.Contains("1 2 3", place) && len(place) == 1 && !strings.Contains(seen, place):
			out[len(out)-1].Spans[place[0]-'1'] = span
			seen += place
		default:
			return nil, &UnreadableError{"diff3", line}
		}
	}
	return readable(out, len(seen) == 3, "diff3")
}

// parseSpan reads "4,7c", "4c", or "3a" for the place after line 3.
func parseSpan(text string) (s Span, ok bool) {
	if len(text) < 2 {
		return s, false
	}
	numbers, kind := text[:len(text)-1], text[len(text)-1]
	first, last, isRange := strings.Cut(numbers, ",")
	from, err := strconv.Atoi(first)
	to := from
	if isRange && err == nil {
		to, err = strconv.Atoi(last)
	}
	switch {
	case err != nil || from < 0 || to < from:
		return s, false
	case kind == 'a' && !isRange:
		return Span{from + 1, from}, true
	}
	return Span{from, to}, kind == 'c' && from > 0
}
