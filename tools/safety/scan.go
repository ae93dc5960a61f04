package safety

import "strings"

// literalScan looks for the patterns of the BLOCKED list in text that is not parsed: too long, or not valid
// shell. It reads the text once, allocates little and can miss quoted commands; such text is never Safe anyway.
func (j *judge) literalScan(text string) {
	if strings.Contains(text, ":|:&") || strings.Contains(text, ": | : &") {
		j.block("fork-bomb", ":|:&")
	}
	if !strings.ContainsAny(text, "/~$") {
		return // all other patterns have a path
	}
	sc := &scanner{s: newScope(j, nil)}
	for i := 0; i < len(text) && j.class != Blocked; {
		kind := scanBytes[text[i]]
		if kind == 0 {
			start := i
			for i++; i < len(text) && scanBytes[text[i]] == 0; i++ {
			}
			if sc.program != 0 || sc.seen != 0 || scanFirst[text[start]] {
				sc.token(text[start:i])
			}
			continue
		}
		i++
		switch kind {
		case scanWrite:
			sc.seen |= seenWrite
		case scanEnd:
			sc.program, sc.seen = 0, 0
		}
	}
}

// The classes of bytes in the scan; 0 is part of a word.
const (
	scanBlank = 1 + iota
	scanEnd
	scanWrite
)

var scanBytes = func() (table [256]uint8) {
	for c := range 0x21 {
		table[c] = scanBlank
	}
	for _, c := range "\"'<" {
		table[c] = scanBlank
	}
	for _, c := range "\n;|&()`" {
		table[c] = scanEnd
	}
	table['>'] = scanWrite
	return table
}()

// scanFirst are the first bytes of the names the scan looks for.
var scanFirst = func() (table [256]bool) {
	for _, c := range "rdmctsb/" {
		table[c] = true
	}
	return table
}()

// scanProgram is a program that the scan looks for.
type scanProgram uint8

const (
	scanRemove scanProgram = 1 + iota
	scanCopy               // dd
	scanMake               // mkfs
	scanMode               // chmod
	scanOnto               // programs that write to their operands
)

type scanner struct {
	s       *scope
	program scanProgram
	seen    uint8  // parts of the command found so far
	place   string // the path checked last
	vital   bool   // whether it is protected
}

// Parts of a command.
const (
	seenRecursive = 1 << iota
	seenForce
	seenTarget
	seenMode  // a mode of chmod
	seenWorld // a mode that lets everyone write
	seenWrite // a redirection whose target comes next
)

const seenRemoval = seenRecursive | seenForce | seenTarget

// programOf returns the program that a word names, or 0.
func programOf(tok string) scanProgram {
	if len(tok) > 24 {
		return 0
	}
	if tok[0] == '/' {
		tok = tok[strings.LastIndexByte(tok, '/')+1:]
	}
	switch tok {
	case "rm":
		return scanRemove
	case "dd":
		return scanCopy
	case "mkfs", "mke2fs":
		return scanMake
	case "chmod":
		return scanMode
	case "tee", "shred", "blkdiscard", "cp":
		return scanOnto
	}
	if strings.HasPrefix(tok, "mkfs.") {
		return scanMake
	}
	return 0
}

// isDiskName is like diskNames without patterns, but faster.
func isDiskName(tok string) bool {
	rest, ok := strings.CutPrefix(tok, "/dev/")
	if !ok {
		return false
	}
	for _, prefix := range [...]string{"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "dm-", "md", "mapper/", "disk/by-"} {
		if len(rest) > len(prefix) && strings.HasPrefix(rest, prefix) {
			return true
		}
	}
	return false
}

func (sc *scanner) token(tok string) {
	if sc.seen&seenWrite != 0 {
		sc.seen &^= seenWrite
		if isDiskName(tok) {
			sc.s.j.block("disk-write", "> "+tok)
		}
		return
	}
	if scanFirst[tok[0]] {
		if p := programOf(tok); p != 0 {
			sc.program, sc.seen = p, 0
			return
		}
	}
	switch sc.program {
	case scanRemove:
		sc.rm(tok)
	case scanCopy:
		if strings.HasPrefix(tok, "of=") && isDiskName(tok[3:]) {
			sc.s.j.block("disk-write", "dd "+tok)
		}
	case scanMake:
		if strings.HasPrefix(tok, "/dev/") {
			sc.s.j.block("make-filesystem", "mkfs "+tok)
		}
	case scanOnto:
		if isDiskName(tok) {
			sc.s.j.block("disk-write", tok)
		}
	case scanMode:
		sc.chmod(tok)
	}
}

func (sc *scanner) rm(tok string) {
	switch tok[0] {
	case '-':
		sc.seen |= removalFlags(tok)
	case '/', '~', '$':
		if sc.seen&seenTarget != 0 || len(tok) >= 1024 {
			break
		}
		if tok != sc.place {
			sc.place, sc.vital = tok, sc.protects(tok)
		}
		if sc.vital {
			sc.seen |= seenTarget
		}
	}
	if sc.seen&seenRemoval == seenRemoval {
		sc.s.j.block("delete-root", "rm -rf …")
	}
}

// removalFlags parses an option of rm.
func removalFlags(tok string) uint8 {
	if strings.HasPrefix(tok, "--") {
		return removalOption(tok[2:])
	}
	var seen uint8
	for i := 1; i < len(tok); i++ {
		switch tok[i] {
		case 'r', 'R':
			seen |= seenRecursive
		case 'f':
			seen |= seenForce
		}
	}
	return seen
}

func removalOption(name string) uint8 {
	switch {
	case strings.HasPrefix(name, "r"):
		return seenRecursive
	case strings.HasPrefix(name, "f"):
		return seenForce
	}
	return 0
}

func (sc *scanner) protects(tok string) bool {
	switch tok[0] {
	case '/':
		return sc.s.protectedPath(tok)
	case '~':
		return true
	}
	if rest, ok := strings.CutPrefix(tok, "$HOME"); ok {
		return sc.s.protectedPath(sc.s.j.c.home + rest)
	}
	rest, ok := strings.CutPrefix(tok, "${HOME}")
	return ok && sc.s.protectedPath(sc.s.j.c.home+rest)
}

func (sc *scanner) chmod(tok string) {
	switch {
	case tok == "/" && sc.seen&seenWorld != 0:
		sc.s.j.block("chmod-root", "chmod /")
	case tok[0] != '-' && sc.seen&seenMode == 0:
		sc.seen |= seenMode
		if worldWritable(tok) {
			sc.seen |= seenWorld
		}
	}
}
