package plan

import (
	"net/netip"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/machine"
)

// The forms of names and values. None can be taken for an option, and none has control characters.

func isPlainText(text string, limit int) bool {
	return text != "" && len(text) <= limit && text[0] != '-' && utf8.ValidString(text) && strings.TrimSpace(text) == text &&
		!strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || !unicode.IsPrint(r) })
}

func isPath(text string) bool {
	return isPlainText(text, 1024) && path.IsAbs(text) && path.Clean(text) == text
}

func isDevice(text string) bool {
	return isPath(text) && strings.HasPrefix(text, "/dev/") && isOf(text, "/", "/._:+-", 255)
}

func isUser(text string) bool { return isOf(text, "_", "_.-", 32) }

func isMediaType(text string) bool {
	return isOf(text, "", "/._+-", 128) && strings.Count(text, "/") == 1 && !strings.HasSuffix(text, "/")
}

func isPrinter(text string) bool { return isOf(text, "_", "_.-", 127) }

// isProfile reports whether a word can be the name of a connection. nmcli's own words are not names.
func isProfile(text string) bool {
	return isPlainText(text, 200) && !slices.Contains([]string{"id", "uuid", "path", "apath", "ifname", "help"}, text)
}

// valueOf returns the check of values that have one form.
func valueOf(ok func(string) bool) func(string) (string, bool) {
	return func(word string) (string, bool) { return word, ok(word) }
}

// oneOf returns the check of values that are listed, each with its other words: "on yes true 1".
func oneOf(lists ...string) func(string) (string, bool) {
	return func(word string) (string, bool) {
		for _, list := range lists {
			if words := strings.Fields(list); slices.Contains(words, word) {
				return words[0], true
			}
		}
		return "", false
	}
}

// onOff are the values of switches, with the words for booleans of systemd (sd-bus, parse_boolean) and others.
var onOff = oneOf("on yes y true t 1", "off no n false f 0")

// spelled returns the spelling of listed values: "on=1".
func spelled(pairs ...string) func(string) (string, bool) {
	return func(value string) (string, bool) {
		for _, pair := range pairs {
			if v, word, _ := strings.Cut(pair, "="); v == value {
				return word, true
			}
		}
		return "", false
	}
}

func switchText(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// reads returns the reading of a look with a parser of [machine].
func reads[T any](parse func([]byte) (T, error), show func(T) string) func(Look, string) (string, bool) {
	return func(l Look, _ string) (string, bool) {
		if !l.Ran || l.Exit != 0 {
			return "", false
		}
		v, err := parse([]byte(l.Stdout))
		return show(v), err == nil
	}
}

func itself(text string) string { return text }

// fixed returns the look at a value without a target.
func fixed(p machine.Probe) func(string) machine.Probe {
	return func(string) machine.Probe { return slices.Clone(p) }
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
		if key != "LANG" && key != "LANGUAGE" && (!isCategory || strings.Trim(category, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || category == "") ||
			!isOf(value, "", "_.@:-", 64) {
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

// localeBack returns the locale before. localectl keeps variables that are not named and unsets none, but it drops those
// that equal LANG.
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
	return err == nil && (user == "" || user == o.User || user == o.UID) && (group == "" || group == o.Group || group == o.GID)
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

// volumeValue returns a volume in percent, or a step up or down: "40%", "5%+", "5%-".
func volumeValue(text string) (string, bool) {
	sign := ""
	if text != "" && strings.IndexByte("+-", text[0]) >= 0 {
		text, sign = text[1:], text[:1]
	} else if text != "" && strings.IndexByte("+-", text[len(text)-1]) >= 0 {
		text, sign = text[:len(text)-1], text[len(text)-1:]
	}
	n, ok := strings.CutSuffix(text, "%")
	percent, err := strconv.ParseUint(n, 10, 16)
	return strconv.FormatUint(percent, 10) + "%" + sign, ok && err == nil && percent <= 150 && len(n) <= 3
}

// wireVolume returns a volume of wpctl(1): a fraction or percents, and the sign behind them.
func wireVolume(text string) (string, bool) {
	if text == "" || strings.IndexByte("+-", text[0]) >= 0 {
		return "", false
	}
	number, sign := strings.TrimRight(text, "+-"), ""
	if len(text)-len(number) > 1 {
		return "", false
	}
	sign = text[len(number):]
	if strings.HasSuffix(number, "%") {
		return volumeValue(text)
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || strings.Trim(number, "0123456789.") != "" || f < 0 || f > 1.5 {
		return "", false
	}
	return strconv.Itoa(int(f*100+0.5)) + "%" + sign, true
}

// pulseVolume returns a volume of pactl(1): percents, and the sign before them.
func pulseVolume(text string) (string, bool) {
	value, ok := volumeValue(text)
	return value, ok && strings.HasSuffix(text, "%")
}

func spellPulse(value string) (string, bool) {
	n := strings.TrimRight(value, "+-")
	return value[len(n):] + n, true
}

func percentOf(volume string) int {
	n, err := strconv.Atoi(strings.TrimSuffix(volume, "%"))
	if err != nil {
		return -1
	}
	return n
}

// resolveVolume returns the volume that a step up or down leads to.
func resolveVolume(value, before string) (string, bool) {
	n := strings.TrimRight(value, "+-")
	if n == value {
		return value, true
	}
	was, step := percentOf(before), percentOf(n)
	if strings.HasSuffix(value, "-") {
		step = -step
	}
	return strconv.Itoa(max(0, was+step)) + "%", was >= 0
}

// sameVolume reports whether two volumes are equal as far as they are shown: sound servers round them.
func sameVolume(is, wanted string) bool {
	a, b := percentOf(is), percentOf(wanted)
	return a >= 0 && b >= 0 && a-b <= 1 && b-a <= 1
}

func volumeText(percent int) string { return strconv.Itoa(percent) + "%" }

var muteValue = oneOf("on yes true 1 y t", "off no false 0 n f", "toggle")

// resolveMute returns what a toggle leads to.
func resolveMute(value, before string) (string, bool) {
	if value != "toggle" {
		return value, true
	}
	return map[string]string{"on": "off", "off": "on"}[before], before == "on" || before == "off"
}

var spellMute = spelled("on=1", "off=0", "toggle=toggle")

func readWireVolume(l Look, target string) (string, bool) {
	return reads(machine.ParseVolume, func(v machine.Volume) string { return volumeText(v.Percent) })(l, target)
}

func readWireMute(l Look, target string) (string, bool) {
	return reads(machine.ParseVolume, func(v machine.Volume) string { return switchText(v.Muted) })(l, target)
}

func readPulseVolume(l Look, target string) (string, bool) {
	return reads(machine.ParsePulseVolume, volumeText)(l, target)
}

func readPulseMute(l Look, target string) (string, bool) {
	return reads(machine.ParsePulseMute, switchText)(l, target)
}

func readPulseName(l Look, target string) (string, bool) {
	return reads(machine.ParsePulseName, itself)(l, target)
}

func nodeName(n machine.SoundNode) string { return n.Name }

// pulseNode returns the name of a node. The numbers of pactl are others than those of wpctl.
func pulseNode(text string) (string, bool) { return text, isSoundNode(text) && !isNodeID(text) }

func isSoundNode(text string) bool { return isOf(text, "_", "_.:+~-", 250) }

func isNodeID(text string) bool {
	return isOf(text, "", "", 9) && strings.Trim(text, "0123456789") == ""
}

// hasSoundNode reports whether a look shows a node, by name or by number.
func hasSoundNode(l Look, wanted string) bool {
	n, err := machine.ParseSoundNode([]byte(l.Stdout))
	return err == nil && (n.Name == wanted || n.ID == wanted)
}

// readProfile reads whether a connection is up, by its name or its UUID.
func readProfile(l Look, target string) (string, bool) {
	if !l.Ran || l.Exit != 0 {
		return "", false
	}
	profiles, err := machine.ParseActiveProfiles([]byte(l.Stdout))
	state := "down"
	for _, p := range profiles {
		switch {
		case p.Name != target && p.UUID != target:
		case p.State == "activated":
			return "up", err == nil
		default:
			state = p.State
		}
	}
	return state, err == nil
}

// Name servers of a connection are listed with commas. After them, "auto" stands for those that the network announces,
// and "keep" for whether these are used being left as it is. Without any servers the list is "none".
const (
	dnsAuto = "auto"
	dnsKeep = "keep"
	dnsNone = "none"
)

// dnsValue returns the name servers of a family.
func dnsValue(isFamily func(netip.Addr) bool) func(string) (string, bool) {
	return func(text string) (string, bool) {
		words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
		if text == dnsNone {
			return text, true
		}
		for i, word := range words {
			address, err := netip.ParseAddr(word)
			last := i == len(words)-1 && (word == dnsAuto || word == dnsKeep)
			if !last && (err != nil || !isFamily(address) || address.Zone() != "") {
				return "", false
			}
		}
		return strings.Join(words, ","), len(words) > 0 && len(words) <= 9
	}
}

// resolveDNS returns the list that a command leads to.
func resolveDNS(value, before string) (string, bool) {
	servers, keeps := strings.CutSuffix(value, dnsKeep)
	if !keeps {
		return value, true
	}
	if strings.HasSuffix(before, dnsAuto) {
		return servers + dnsAuto, true
	}
	if servers = strings.TrimSuffix(servers, ","); servers == "" {
		servers = dnsNone
	}
	return servers, before != ""
}

// addressesOf returns the addresses of a list of name servers.
func addressesOf(list string) []string {
	return slices.DeleteFunc(strings.Split(list, ","), func(w string) bool { return w == dnsAuto || w == dnsKeep || w == dnsNone })
}

func dnsText(d machine.ProfileDNS) string {
	words := d.Servers
	if !d.IgnoreAuto {
		words = append(slices.Clip(words), dnsAuto)
	}
	if len(words) == 0 {
		return dnsNone
	}
	return strings.Join(words, ",")
}

// sameDNS compares addresses, of which IPv6 ones have several forms.
func sameDNS(is, wanted string) bool {
	form := func(list string) string {
		words := strings.Split(list, ",")
		for i, word := range words {
			if address, err := netip.ParseAddr(word); err == nil {
				words[i] = address.String()
			}
		}
		return strings.Join(words, ",")
	}
	return form(is) == form(wanted)
}

// readRadio reads whether the radios of a kind are on: none is blocked by software.
func readRadio(kind string) func(Look, string) (string, bool) {
	return func(l Look, _ string) (string, bool) {
		if !l.Ran || l.Exit != 0 {
			return "", false
		}
		radios, err := machine.ParseRadios([]byte(l.Stdout))
		var on []bool
		for _, r := range radios {
			if r.Kind == kind {
				on = append(on, !r.Soft)
			}
		}
		if err != nil || len(on) == 0 || slices.Contains(on, true) && slices.Contains(on, false) {
			return "", false
		}
		return switchText(on[0]), true
	}
}

// readBluetooth reads whether the adapter is on.
func readBluetooth(l Look, _ string) (string, bool) {
	if !l.Ran || l.Exit != 0 {
		return "", false
	}
	fields, err := machine.ParseFields([]byte(l.Stdout))
	power := fields["Powered"]
	return switchText(power == "yes"), err == nil && (power == "yes" || power == "no")
}

// readPrinter reads whether a printer prints or is paused.
func readPrinter(l Look, target string) (string, bool) {
	if !l.Ran || l.Exit != 0 {
		return "", false
	}
	p, err := machine.ParsePrinting([]byte(l.Stdout))
	q := p.Queue(target)
	if q.Disabled {
		return "disabled", err == nil
	}
	return "enabled", err == nil && q.Ready
}

func lookAtMount(target string) machine.Probe {
	if isDevice(target) {
		return machine.MountedDeviceProbe(target)
	}
	return machine.MountPointProbe(target)
}

// readMount reads whether something is mounted. findmnt prints nothing and exits with 1 if not. An automount point that
// was not used yet is not.
func readMount(l Look, _ string) (string, bool) {
	if l.Ran && l.Exit == 1 && l.Stdout == "" && strings.TrimSpace(l.Stderr) == "" {
		return "unmounted", true
	}
	return reads(machine.ParseFoundMounts, func(mounts []machine.Mount) string {
		if slices.ContainsFunc(mounts, func(m machine.Mount) bool { return m.Type != "autofs" }) {
			return "mounted"
		}
		return "unmounted"
	})(l, "")
}

// mountBack returns whether something was mounted. What was mounted by path below the directories of udisks has no line
// in fstab(5), by which mount could find it again.
func mountBack(target, before, _ string) (string, bool) {
	removable := strings.HasPrefix(target, "/run/media/") || strings.HasPrefix(target, "/media/")
	return before, before != "mounted" || !removable
}
