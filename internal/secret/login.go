package secret

import (
	"slices"
	"strings"
)

// loginShapes finds the password in -u NAME:PASSWORD and --user NAME:PASSWORD (curl(1)). Other programs use the form
// for users and groups (docker run -u 1000:1000), so without curl the value must look like a password.
func loginShapes() []shape {
	of := func(option string) shape {
		return shape{[]string{option[:anchorLen]}, rule{name: "url-password", isWide: true, find: func(s string, at int) (int, int, bool) {
			if !strings.HasPrefix(s[at:], option) {
				return 0, 0, false
			}
			from, to, _ := valueExtent(s, at+len(option))
			user, password, both := strings.Cut(s[from:to], ":")
			if !both || user == "" || strings.ContainsAny(user, "/[") {
				return 0, 0, false
			}
			sure := strings.Contains(s[max(0, at-maxName):at], "curl")
			return from + len(user) + 1, to, credential(password, chosenSecret, sure)
		}}}
	}
	return []shape{of(" -u "), of(" --user "), of(" --user="), of(" --proxy-user ")}
}

// hasBareValue reports whether a name's value follows after one blank, as in nmcli's "password X". Prose has other
// words in between.
func hasBareValue(s string, start, end, value int) bool {
	name := s[start:end]
	return value == end+1 && (name == "password" || name == "passphrase" || strings.HasSuffix(name, "-sec.psk") || strings.HasSuffix(name, "security.psk"))
}

// isCertainValue reports whether the text after a name without an equals sign is certainly its value: after a
// command option, in NetworkManager and netrc syntax, in a header.
func isCertainValue(s string, start, end, from, to int, sign separator) bool {
	name := s[start:end]
	switch {
	case strings.HasSuffix(name, "security.psk"), strings.HasSuffix(name, "-sec.psk"), strings.Contains(name, "security.wep-key"):
		return true // 802-11-wireless-security.psk: KEY
	case sign == colon:
		return hasPrefixFold(name, "x-")
	case strings.HasPrefix(name, "--"):
		return from == end+1
	}
	line := s[strings.LastIndexByte(s[:start], '\n')+1 : start]
	behind, _, _ := strings.Cut(s[to:], "\n")
	alone := strings.TrimSpace(line) == "" && strings.TrimSpace(behind) == ""
	return alone || strings.Contains(line, "nmcli ") || strings.Contains(line, "login ") && strings.Contains(line, "machine ")
}

// isProse reports whether a word after a name without separator belongs to a sentence or manual.
func isProse(v string) bool {
	return slices.Contains(proseWords, strings.ToLower(strings.Trim(v, ".,;:!?()")))
}

var proseWords = strings.Fields("with when from instead option flag argument that this will must should only then into have were been does also " +
	"mismatch unchanged changed updated accepted rejected authentication prompt protected manager policy reset login store expiry expires entry field " +
	"hash hashes protection strength request requests database aging which length rules check checks quality requirements verification stored saved using " +
	"over after before input dialog retry tries attempts hint again twice correct wrong matches agent generator managers vault auth based")
