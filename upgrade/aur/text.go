package aur

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// readBytes judges the bytes of all files: what a terminal or an editor does not show as it is.
func (c *checker) readBytes() {
	for _, name := range c.recipe.Large {
		s := Warn
		if isShellFile(name, nil) {
			s = Red
		}
		c.facts.add(Fact{Code: TooLarge, Severity: s, File: name})
	}
	for _, name := range c.recipe.Links {
		c.facts.add(Fact{Code: LinkedFile, Severity: Warn, File: name})
	}
	for _, name := range c.recipe.names() {
		text := c.recipe.Files[name]
		if isCompiled(text) {
			c.facts.add(Fact{Code: Binary, Severity: Red, File: name})
			continue
		}
		if !isText(name, text) {
			continue
		}
		c.readLines(name, string(text))
	}
}

// isCompiled reports whether a file is a program for a processor: ELF, PE, Mach-O, WebAssembly.
func isCompiled(text []byte) bool {
	for _, magic := range []string{"\x7fELF", "MZ\x90\x00", "\xcf\xfa\xed\xfe", "\x00asm"} {
		if bytes.HasPrefix(text, []byte(magic)) {
			return true
		}
	}
	return false
}

// isText reports whether a file is read as text: scripts always, so that a NUL does not hide one.
func isText(name string, text []byte) bool {
	return isShellFile(name, text) || path.Base(name) == ".SRCINFO" || bytes.IndexByte(text, 0) < 0 && !isPicture(name)
}

func isPicture(name string) bool {
	return slices.Contains([]string{".png", ".jpg", ".ico", ".gz", ".xz", ".zst", ".sig", ".asc", ".gpg", ".pdf", ".icns", ".svg", ".patch", ".diff", ".txt", ".md", ".xml", ".po"}, path.Ext(name))
}

// isShellFile reports whether a file is shell: by its name, or by its first line.
func isShellFile(name string, text []byte) bool {
	switch path.Ext(name) {
	case ".install", ".sh", ".bash":
		return true
	}
	if path.Base(name) == pkgbuild {
		return true
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	return bytes.HasPrefix(first, []byte("#!")) && (bytes.HasSuffix(bytes.TrimRight(first, " -euxl\r"), []byte("sh")) || bytes.Contains(first, []byte("/bash")))
}

// blanks hide text beyond the edge of a window.
const blanks = 80

func (c *checker) readLines(name, text string) {
	number := 0
	script := isShellFile(name, []byte(text))
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\n")
		if number == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		add := func(code Code, s Severity, detail string) {
			c.facts.add(Fact{Code: code, Severity: s, File: name, Line: number, Detail: detail})
		}
		c.readRunes(line, script, add)
		if !script {
			continue
		}
		if body := strings.TrimLeft(line, " \t"); len(line)-len(body) >= 2*blanks && body != "" {
			add(PushedAside, Red, body)
		} else if at := strings.Index(strings.TrimSpace(line), strings.Repeat(" ", blanks)); at >= 0 && !strings.HasPrefix(body, "#") {
			add(PushedAside, Red, strings.TrimSpace(strings.TrimSpace(line)[at:]))
		}
		if bad := findKnownBad(line); bad != "" {
			add(KnownBad, Red, line)
		}
		if blob := encoded.FindString(line); blob != "" && !isDigest(blob) {
			add(Blob, Warn, blob)
		}
	}
}

// findKnownBad returns the name of a known attack that a line has.
func findKnownBad(line string) string {
	for _, bad := range knownBad {
		if strings.Contains(line, bad) {
			return bad
		}
	}
	return ""
}

// encoded finds long texts of base64 or numbers.
var encoded = lazyregexp.New(`[A-Za-z0-9+/=_-]{200,}|(?:\\x[0-9a-fA-F]{2}){24,}`)

func isDigest(text string) bool {
	return strings.Trim(text, "0123456789abcdefABCDEF") == "" && len(text) <= 128 || strings.Trim(text, "-") == "" || strings.Trim(text, "=") == "" ||
		strings.Trim(text, "_") == "" || strings.Count(text, "/") > len(text)/20
}

func (c *checker) readRunes(line string, script bool, add func(Code, Severity, string)) {
	for i, r := range line {
		switch {
		case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			add(Reordered, Red, strings.Trim(line, "\r"))
			return
		case r == '\r' && i == len(line)-1, r == '\t', r == '\f':
		case r == 0x1b && !script: // colours of a text that is shown
		case unicode.IsControl(r) || r == '\r':
			if script {
				add(ControlBytes, Red, line)
				return
			}
		case r == 0x200b || r == 0x2060 || r == 0xfeff || r == 0x180e || r >= 0xe0000 && r <= 0xe0fff:
			s := Warn
			if script && !strings.HasPrefix(strings.TrimSpace(line), "#") {
				s = Red
			}
			add(InvisibleText, s, line)
			return
		}
	}
}

// escapedLetters counts the letters that a text has as numbers: \x63, \143, \u0063.
func escapedLetters(text string) (n int) {
	for _, m := range escapes.FindAllStringSubmatch(text, -1) {
		value, base := m[1]+m[2]+m[3], 16
		if m[2] != "" {
			base = 8
		}
		code := 0
		for _, d := range strings.ToLower(value) {
			digit := strings.IndexRune("0123456789abcdef", d)
			code = code*base + digit
		}
		if code < utf8.RuneSelf && unicode.IsLetter(rune(code)) {
			n++
		}
	}
	return n
}

var escapes = lazyregexp.New(`\\x([0-9a-fA-F]{1,2})|\\0?([0-7]{3})|\\u([0-9a-fA-F]{1,4})`)

// checkEscapes reports a word with letters written as numbers: $'\x63url'.
func (w *walker) checkEscapes(word *syntax.Word) {
	syntax.Walk(word, func(n syntax.Node) bool {
		switch q := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.SglQuoted:
			if q.Dollar && escapedLetters(q.Value) >= 2 {
				w.report(Disguised, Red, word, w.source(word))
			}
		}
		return true
	})
}

// checkName reports the name of a program that is written so that a search does not find it.
func (w *walker) checkName(word *syntax.Word) {
	name := path.Base(w.vars.text(word))
	if strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII && string(r) != unknown }) && hasLatin(name) {
		w.report(LookAlike, Red, word, name)
	}
	if name == "" || strings.Contains(name, unknown) || !isSensitive(name) {
		return
	}
	if isDisguised(word) {
		w.report(Disguised, Red, word, w.source(word)+" = "+name)
	}
}

func hasLatin(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) })
}

// isDisguised reports whether a word is put together of pieces: b”un, c\url, $a$b, ${x:0:4}. A variable alone, "curl" and
// \curl are usual.
func isDisguised(word *syntax.Word) bool {
	pieces, variables := 0, 0
	odd := false
	for i, part := range flatten(word.Parts) {
		switch p := part.(type) {
		case *syntax.Lit:
			pieces++
			value := p.Value
			if i == 0 {
				value = strings.TrimPrefix(value, `\`)
			}
			odd = odd || strings.Contains(value, `\`)
		case *syntax.SglQuoted:
			pieces++
			odd = odd || p.Dollar
		case *syntax.ParamExp:
			variables++
			odd = odd || p.Slice != nil || p.Repl != nil || p.Excl || p.Exp != nil && (p.Exp.Op == syntax.OtherParamOps || p.Exp.Op == syntax.LowerAll || p.Exp.Op == syntax.UpperAll)
		case *syntax.DblQuoted: // an empty one
			pieces++
		default:
			odd = true
		}
	}
	if last, ok := lastPart(word); ok && strings.Contains(last, "/") && !odd && !strings.HasSuffix(last, "/") {
		return false // "$dir"/curl
	}
	return odd || pieces+variables > 1
}

// flatten returns the parts of a word without double quotes; an empty pair stays.
func flatten(parts []syntax.WordPart) (list []syntax.WordPart) {
	for _, part := range parts {
		if q, ok := part.(*syntax.DblQuoted); ok && len(q.Parts) > 0 {
			list = append(list, flatten(q.Parts)...)
			continue
		}
		list = append(list, part)
	}
	return list
}

func lastPart(word *syntax.Word) (string, bool) {
	parts := flatten(word.Parts)
	if len(parts) == 0 {
		return "", false
	}
	lit, ok := parts[len(parts)-1].(*syntax.Lit)
	if !ok {
		return "", false
	}
	return lit.Value, true
}

// foreign is what a text of another language does.
type foreign int

const (
	foreignUsual foreign = iota
	foreignFetches
	foreignDecodes // runs what was encoded
	foreignRuns    // runs what was fetched
)

var (
	foreignNet  = lazyregexp.New(`(?i)urllib|urlopen|requests\.(get|post)|http\.client|httpx|socket\.|net/http|Net::HTTP|LWP::|open-uri|https?\.(get|request)\(|require\(\s*['"](node:)?(https?|net|dgram)['"]|\bfetch\(|XMLHttpRequest|axios|io::socket|fsockopen|curl_exec|file_get_contents\(\s*['"]http`)
	foreignRun  = lazyregexp.New(`(?i)\bexec\(|\beval\(|os\.system|os\.popen|os\.exec|subprocess|child_process|execSync|spawnSync?\(|\bsystem\(|\bpopen\(|Function\(|vm\.run|compile\(|__import__|pty\.spawn|os\.dup2|exec\s+["'(]|qx[({/]|process\.binding|dlopen`)
	foreignCode = lazyregexp.New(`(?i)b64decode|base64|fromhex|unhexlify|zlib\.decompress|marshal\.loads|codecs\.decode|Buffer\.from\([^)]*(base64|hex)|atob\(|pack\(\s*['"]H|unpack|fromCharCode|decode64|rot.?13|lzma\.decompress|bytes\(\[`)
	foreignPipe = lazyregexp.New(`(?s)(?:curl|wget)\s[^\n|]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b`)
	foreignHash = lazyregexp.New(`_0x[0-9a-f]{3,}`)
)

// judgeForeign judges a text of Python, JavaScript, Perl, Ruby or PHP by the functions that it names.
func judgeForeign(text string) foreign {
	runs := foreignRun.MatchString(text)
	switch {
	case runs && foreignNet.MatchString(text):
		return foreignRuns
	case runs && foreignCode.MatchString(text):
		return foreignDecodes
	case foreignNet.MatchString(text):
		return foreignFetches
	}
	return foreignUsual
}
