package secret

import "strings"

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
