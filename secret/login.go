package secret

import (
	"slices"
	"strings"
)

// login finds the password in -u NAME:PASSWORD and --user NAME:PASSWORD, as curl(1)
// has it. Others give users and groups that way (docker run -u 1000:1000), so
// behind anything but curl a password must look like one.
func login() []shape {
	of := func(option string) shape {
		return shape{[]string{option[:anchorLen]}, rule{name: "url-password", wide: true, find: func(s string, at int) (int, int, bool) {
			if !strings.HasPrefix(s[at:], option) {
				return 0, 0, false
			}
			from, to, _ := extent(s, at+len(option))
			user, password, both := strings.Cut(s[from:to], ":")
			if !both || user == "" || strings.ContainsAny(user, "/[") {
				return 0, 0, false
			}
			sure := strings.Contains(s[max(0, at-maxName):at], "curl")
			return from + len(user) + 1, to, credential(password, chosen, sure)
		}}}
	}
	return []shape{of(" -u "), of(" --user "), of(" --user="), of(" --proxy-user ")}
}

// bareName reports whether a name gives its value behind one blank, as in nmcli's
// "password X": prose says more before it says one.
func bareName(s string, start, end, value int) bool {
	name := s[start:end]
	return value == end+1 && (name == "password" || name == "passphrase" || strings.HasSuffix(name, "-sec.psk") || strings.HasSuffix(name, "security.psk"))
}

// givesSurely reports whether what stands behind a name without an equals sign
// is its value for sure: behind an option of a command, in NetworkManager's
// and a netrc's words, in a header.
func givesSurely(s string, start, end, from, to int, sign sign) bool {
	name := s[start:end]
	switch {
	case strings.HasSuffix(name, "security.psk"), strings.HasSuffix(name, "-sec.psk"), strings.Contains(name, "security.wep-key"):
		return true // NetworkManager writes 802-11-wireless-security.psk: and the key.
	case sign == colon:
		return hasFold(name, "x-")
	case strings.HasPrefix(name, "--"):
		return from == end+1
	}
	line := s[strings.LastIndexByte(s[:start], '\n')+1 : start]
	behind, _, _ := strings.Cut(s[to:], "\n")
	alone := strings.TrimSpace(line) == "" && strings.TrimSpace(behind) == ""
	return alone || strings.Contains(line, "nmcli ") || strings.Contains(line, "login ") && strings.Contains(line, "machine ")
}

// prose reports whether a word behind a name without a sign is one of a
// sentence or of a manual.
func prose(v string) bool {
	return slices.Contains(sentence, strings.ToLower(strings.Trim(v, ".,;:!?()")))
}

var sentence = strings.Fields("with when from instead option flag argument that this will must should only then into have were been does also " +
	"mismatch unchanged changed updated accepted rejected authentication prompt protected manager policy reset login store expiry expires entry field " +
	"hash hashes protection strength request requests database aging which length rules check checks quality requirements verification stored saved using " +
	"over after before input dialog retry tries attempts hint again twice correct wrong matches agent generator managers vault auth based")
