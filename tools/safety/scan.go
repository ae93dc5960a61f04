package safety

import "strings"

// literalScan looks for the shapes of the BLOCKED list in text that is not
// parsed: too long, or not valid shell. It reads the text once, allocates
// little and can miss what quoting hides; such text is never Safe anyway.
func (j *judge) literalScan(text string) {
	sc := &scanner{s: newScope(j, nil)}
	start := 0
	for i := range len(text) {
		kind := scanBytes[text[i]]
		if kind == 0 {
			continue
		}
		if start < i {
			sc.token(text[start:i])
		}
		start = i + 1
		switch kind {
		case scanEnd:
			sc.end()
		case scanWrite:
			sc.redirect = true
		}
	}
	if start < len(text) {
		sc.token(text[start:])
	}
	if strings.Contains(text, ":|:&") || strings.Contains(text, ": | : &") {
		j.block("fork-bomb", ":|:&")
	}
}

// What a byte does to the scan: 0 is part of a word.
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

type scanner struct {
	s                *scope
	program          string
	recursive, force bool
	target, world    bool
	redirect         bool
	mode             bool
}

func (sc *scanner) end() {
	sc.program = ""
	sc.recursive, sc.force, sc.target, sc.world, sc.redirect, sc.mode = false, false, false, false, false, false
}

// scanned are the programs the scan looks for.
func scanned(tok string) (string, bool) {
	if len(tok) > 24 {
		return "", false
	}
	if tok[0] == '/' {
		tok = tok[strings.LastIndexByte(tok, '/')+1:]
	}
	switch tok {
	case "rm", "dd", "mkfs", "mke2fs", "chmod", "tee", "shred", "blkdiscard", "cp":
		return tok, true
	}
	return "mkfs", strings.HasPrefix(tok, "mkfs.")
}

// scannedDisk is diskNames without the patterns, and without its cost.
func scannedDisk(tok string) bool {
	rest, ok := strings.CutPrefix(tok, "/dev/")
	if !ok {
		return false
	}
	for _, prefix := range []string{"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "dm-", "md", "mapper/", "disk/by-"} {
		if len(rest) > len(prefix) && strings.HasPrefix(rest, prefix) {
			return true
		}
	}
	return false
}

func (sc *scanner) token(tok string) {
	if sc.redirect {
		sc.redirect = false
		if scannedDisk(tok) {
			sc.s.j.block("disk-write", "> "+tok)
		}
		return
	}
	if tok[0] != '-' {
		if name, ok := scanned(tok); ok {
			sc.end()
			sc.program = name
			return
		}
	}
	switch sc.program {
	case "rm":
		sc.rm(tok)
	case "dd":
		if strings.HasPrefix(tok, "of=") && scannedDisk(tok[3:]) {
			sc.s.j.block("disk-write", "dd "+tok)
		}
	case "mkfs", "mke2fs":
		if strings.HasPrefix(tok, "/dev/") {
			sc.s.j.block("make-filesystem", sc.program+" "+tok)
		}
	case "tee", "shred", "blkdiscard", "cp":
		if scannedDisk(tok) {
			sc.s.j.block("disk-write", sc.program+" "+tok)
		}
	case "chmod":
		sc.chmod(tok)
	}
}

func (sc *scanner) rm(tok string) {
	switch {
	case tok[0] == '-' && strings.HasPrefix(tok, "--"):
		sc.recursive = sc.recursive || strings.HasPrefix(tok, "--r")
		sc.force = sc.force || strings.HasPrefix(tok, "--f")
	case tok[0] == '-':
		for i := 1; i < len(tok); i++ {
			sc.recursive = sc.recursive || tok[i] == 'r' || tok[i] == 'R'
			sc.force = sc.force || tok[i] == 'f'
		}
	case len(tok) < 1024 && !sc.target:
		sc.target = sc.protects(tok)
	}
	if sc.recursive && sc.force && sc.target {
		sc.s.j.block("delete-root", "rm -rf …")
		sc.end()
	}
}

func (sc *scanner) protects(tok string) bool {
	home := sc.s.j.c.home
	switch {
	case tok[0] == '/':
		return sc.s.protectedPath(tok)
	case tok[0] == '~':
		return true
	}
	if rest, ok := strings.CutPrefix(tok, "$HOME"); ok {
		return sc.s.protectedPath(home + rest)
	}
	rest, ok := strings.CutPrefix(tok, "${HOME}")
	return ok && sc.s.protectedPath(home+rest)
}

func (sc *scanner) chmod(tok string) {
	switch {
	case tok == "/" && sc.world:
		sc.s.j.block("chmod-root", "chmod /")
	case tok[0] != '-' && !sc.mode:
		sc.mode, sc.world = true, worldWritable(tok)
	}
}
