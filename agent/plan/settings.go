package plan

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/machine"
)

// settings are the values that are recognised, checked and taken back. The comment of each row names where the output
// of its look is described.
var settings = sync.OnceValue(func() []setting {
	return slices.Concat(systemSettings(), fileSettings(), networkSettings(), soundSettings(), deviceSettings(), desktopSettings())
})

// noPassword are the options of systemd's programs that change nothing about what they set.
var noPassword = []string{"--no-ask-password"}

func systemSettings() []setting {
	return []setting{
		// timedatectl(1), "set-timezone", "show"; org.freedesktop.timedate1(5), Timezone.
		{
			verb: "setting", name: "timezone", value: valueOf(isZone),
			setters: []setter{{
				forms: []form{{words: "timedatectl set-timezone VALUE"}}, options: noPassword, root: true,
				look: fixed(machine.TimeZoneProbe), read: reads(machine.ParseTimeZone, itself),
			}},
		},
		// timedatectl(1), "set-ntp"; org.freedesktop.timedate1(5), NTP: whether a service for it is active. timedated
		// answers before it is.
		{
			verb: "setting", name: "ntp", value: onOff, settle: time.Second,
			setters: []setter{{
				forms: []form{{words: "timedatectl set-ntp VALUE"}}, options: noPassword, root: true,
				spell: spelled("on=true", "off=false"),
				look:  fixed(machine.NTPProbe), read: reads(machine.ParseYesNo, switchText),
			}},
		},
		// hostnamectl(1), "hostname", "--static". All versions have the older form.
		{
			verb: "setting", name: "hostname", value: valueOf(isHostname),
			setters: []setter{{
				forms:   []form{{words: "hostnamectl set-hostname VALUE"}, {words: "hostnamectl hostname VALUE"}},
				options: append(slices.Clone(noPassword), "--static"), root: true,
				look: fixed(machine.HostnameProbe), read: reads(machine.ParseHostname, itself),
			}},
		},
		// localectl(1), "status", "set-locale"; locale.conf(5).
		{
			verb: "setting", name: "locale", value: localeValue, same: sameLocale, back: localeBack,
			setters: []setter{{
				forms: []form{{words: "localectl set-locale VALUES"}}, options: noPassword, root: true,
				look: fixed(machine.LocaleProbe), read: reads(machine.ParseSystemLocale, readLocale),
			}},
		},
		// xdg-mime(1), "default", "query default".
		{
			verb: "setting", name: "default-app", personal: true, isTarget: isMediaType, value: valueOf(isDesktopEntry),
			setters: []setter{{
				forms: []form{{words: "xdg-mime default VALUE TARGETS"}},
				look:  machine.DefaultApplicationProbe, read: reads(machine.ParseDesktopEntry, itself),
			}},
		},
		// xdg-settings(1), "set", "get".
		{
			verb: "setting", name: "browser", personal: true, value: valueOf(isDesktopEntry),
			setters: []setter{{
				forms: []form{{words: "xdg-settings set default-web-browser VALUE"}},
				look:  fixed(machine.DefaultBrowserProbe), read: reads(machine.ParseDesktopEntry, itself),
			}},
		},
		// loginctl(1), "enable-linger", "show-user"; org.freedesktop.login1(5), Linger.
		{
			verb: "setting", name: "linger", isTarget: isUser, value: onOff,
			setters: []setter{{
				forms:   []form{{"loginctl enable-linger TARGET", "on"}, {"loginctl disable-linger TARGET", "off"}},
				options: noPassword, root: true,
				look: machine.LingerProbe, read: readLinger, shown: "loginctl show-user -p Linger TARGET",
			}},
		},
	}
}

// fileSettings are the owner and the mode of one file, by its absolute path.
func fileSettings() []setting {
	owner := setter{
		forms: []form{{words: "chown VALUE TARGET"}}, root: true,
		look: machine.OwnershipProbe, read: reads(machine.ParseOwnership, ownerOf), matches: hasOwner,
	}
	group := owner
	group.forms, group.value, group.spell = []form{{words: "chgrp VALUE TARGET"}}, groupValue, spellGroup
	return []setting{
		// chown(1), chgrp(1); stat(1), "-c". chown also clears the bits that change the user or the group.
		{
			verb: "setting", name: "owner", isTarget: isPath, value: valueOf(isOwner), also: "mode",
			setters: []setter{owner, group},
		},
		// chmod(1); stat(1), "-c". Symbolic modes are not recognised: they depend on the umask.
		{
			verb: "setting", name: "mode", isTarget: isPath, value: modeValue, back: exactMode,
			setters: []setter{{
				forms: []form{{words: "chmod VALUE TARGET"}}, root: true,
				look: machine.OwnershipProbe, read: reads(machine.ParseOwnership, modeOf), matches: hasMode,
			}},
		},
	}
}

func isUser(text string) bool { return isOf(text, "_", "_.-", 32) }

func isMediaType(text string) bool {
	return isOf(text, "", "/._+-", 128) && strings.Count(text, "/") == 1 && !strings.HasSuffix(text, "/")
}

func isZone(text string) bool {
	return isOf(text, "", "/_+-", 64) && !strings.Contains(text, "//") && !strings.HasSuffix(text, "/")
}

func isHostname(text string) bool {
	return isOf(text, "", ".-", 64) && !strings.Contains(text, "..") && strings.IndexByte(".-", text[len(text)-1]) < 0
}

func isDesktopEntry(text string) bool {
	return strings.HasSuffix(text, ".desktop") && isPlainText(text, 200) && !strings.ContainsAny(text, "/;= ")
}

// localeValue returns assignments of locale.conf(5), sorted. A single locale is that of LANG, as for localectl.
func localeValue(text string) (string, bool) {
	words := strings.Fields(text)
	for i, word := range words {
		key, value, assigned := strings.Cut(word, "=")
		if !assigned && len(words) == 1 {
			key, value = "LANG", word
			words[i] = "LANG=" + word
		}
		category, isCategory := strings.CutPrefix(key, "LC_")
		isCategory = isCategory && category != "" && strings.Trim(category, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
		if key != "LANG" && key != "LANGUAGE" && !isCategory || !isOf(value, "", "_.@:-", 64) {
			return "", false
		}
	}
	slices.Sort(words)
	keys := map[string]bool{}
	for _, word := range words {
		key, _, _ := strings.Cut(word, "=")
		if keys[key] {
			return "", false
		}
		keys[key] = true
	}
	return strings.Join(words, " "), len(words) > 0
}

// assignments returns the values of a locale by variable. Names of encodings are compared as glibc does: without
// hyphens, in lower case (locale(7)).
func assignments(locale string) map[string]string {
	all := map[string]string{}
	for word := range strings.FieldsSeq(locale) {
		key, value, _ := strings.Cut(word, "=")
		language, encoding, ok := strings.Cut(value, ".")
		if ok {
			value = language + "." + strings.ToLower(strings.ReplaceAll(encoding, "-", ""))
		}
		all[key] = value
	}
	return all
}

// sameLocale reports whether all wanted assignments are there. localed leaves out what equals LANG.
func sameLocale(is, wanted string) bool {
	now := assignments(is)
	for key, value := range assignments(wanted) {
		if now[key] != value && (now[key] != "" || value != now["LANG"]) {
			return false
		}
	}
	return true
}

// localeBack returns the locale before. localectl keeps variables that are not named and unsets none, but it drops
// those that equal LANG.
func localeBack(_, before, after string) (string, bool) {
	was, words := assignments(before), strings.Fields(before)
	i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "LANG=") })
	if i < 0 {
		return "", false
	}
	lang := strings.TrimPrefix(words[i], "LANG=")
	for word := range strings.FieldsSeq(after) {
		key, _, _ := strings.Cut(word, "=")
		switch {
		case was[key] != "":
		case !strings.HasPrefix(key, "LC_"):
			return "", false
		default:
			words = append(words, key+"="+lang)
		}
	}
	return strings.Join(words, " "), true
}

func readLocale(words []string) string {
	slices.Sort(words)
	return strings.Join(words, " ")
}

// readLinger reads whether a user lingers: for one who is not logged in and does not, loginctl fails.
func readLinger(l Look, target string) (string, bool) {
	if l.Ran && l.Exit != 0 && l.Stdout == "" && machine.IsAbsentUser([]byte(l.Stderr)) {
		return "off", true
	}
	return reads(machine.ParseYesNo, switchText)(l, target)
}

func groupValue(group string) (string, bool) { return ":" + group, isUser(group) }

// spellGroup returns the operand of chgrp(1). An owner with a user is for chown.
func spellGroup(owner string) (string, bool) { return strings.CutPrefix(owner, ":") }

func modeOf(o machine.Ownership) string { return o.Mode }

// isOwner reports whether a word is an owner of chown(1): USER, USER:GROUP or :GROUP, as names or numbers.
func isOwner(text string) bool {
	user, group, both := strings.Cut(text, ":")
	return (user == "" && both || isUser(user)) && (!both || isUser(group))
}

func ownerOf(o machine.Ownership) string { return o.User + ":" + o.Group }

// hasOwner reports whether a look shows an owner, by name or by number.
func hasOwner(l Look, wanted string) bool {
	o, err := machine.ParseOwnership([]byte(l.Stdout))
	user, group, _ := strings.Cut(wanted, ":")
	return err == nil && slices.Contains([]string{"", o.User, o.UID}, user) &&
		slices.Contains([]string{"", o.Group, o.GID}, group)
}

// modeValue returns an octal mode of chmod(1): with five digits exactly that mode, with fewer one that keeps a
// directory's set-group-ID bit.
func modeValue(text string) (string, bool) {
	if len(text) < 1 || len(text) > 5 || strings.Trim(text, "01234567") != "" || len(text) == 5 && text[0] != '0' {
		return "", false
	}
	if len(text) < 5 {
		text = strings.TrimLeft(text[:len(text)-1], "0") + text[len(text)-1:]
	}
	return text, true
}

// hasMode reports whether a look shows a mode.
func hasMode(l Look, wanted string) bool {
	o, err := machine.ParseOwnership([]byte(l.Stdout))
	if err != nil {
		return false
	}
	is, _ := strconv.ParseUint(o.Mode, 8, 32)
	mode, err := strconv.ParseUint(wanted, 8, 32)
	const setID = 0o6000
	if o.Directory && len(wanted) < 5 {
		is &^= setID &^ mode
	}
	return err == nil && is == mode
}

// exactMode returns the mode before, so that chmod also clears what a directory keeps.
func exactMode(_, before, _ string) (string, bool) {
	return strings.Repeat("0", max(0, 5-len(before))) + before, before != ""
}
