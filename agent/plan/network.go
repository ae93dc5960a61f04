package plan

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

// The first alternatives of nmcli's words are used, the others are recognised: nmcli(1), "abbreviations".
const (
	nmConnection = "nmcli connection|conn|con|c "
	nmModify     = nmConnection + "modify|mod|m "
)

func always(string) bool { return true }

func isOff(value string) bool { return value == "off" }

// networkSettings are those of NetworkManager and of the radios.
func networkSettings() []setting {
	return []setting{
		// nmcli(1), "networking".
		{
			verb: "network", name: "networking", value: onOff, cutsOff: isOff,
			setters: []setter{{
				forms: []form{{words: "nmcli networking|net|n VALUE"}},
				look:  fixed(machine.NetworkingProbe), read: reads(machine.ParseEnabled, switchText),
			}},
		},
		// nmcli(1), "radio"; rfkill(8), and sysfs-class-rfkill of the kernel's ABI.
		{
			verb: "network", name: "wifi", value: onOff, cutsOff: isOff,
			setters: []setter{{
				forms: []form{{words: "nmcli radio|rad|r wifi|w VALUE"}},
				look:  fixed(machine.WifiRadioProbe), read: reads(machine.ParseEnabled, switchText),
			}, rfkill("wifi|wlan", "wlan")},
		},
		// nmcli(1), "connection show", "up", "down"; "-t" for the escapes.
		{
			verb: "network", name: "profile", isTarget: isProfile, value: oneOf("up on", "down off"), cutsOff: always,
			setters: []setter{{
				forms: []form{
					{nmConnection + "up|u TARGET", "up"},
					{nmConnection + "down|d TARGET", "down"},
					{nmConnection + "up|u id|uuid TARGET", "up"},
					{nmConnection + "down|d id|uuid TARGET", "down"},
				},
				look: fixed(machine.ActiveProfilesProbe), read: readProfile,
			}},
		},
		// nm-settings-nmcli(5), "ipv4.dns", "ipv4.ignore-auto-dns". They are used when the connection is made again.
		{
			verb: "network", name: "dns", isTarget: isProfile, value: dnsValue(netip.Addr.Is4), same: sameDNS,
			resolve: resolveDNS, cutsOff: always, setters: dnsSetters("ipv4", netip.Addr.Is4),
		},
		{
			verb: "network", name: "dns6", isTarget: isProfile, value: dnsValue(netip.Addr.Is6), same: sameDNS,
			resolve: resolveDNS, cutsOff: always, setters: dnsSetters("ipv6", netip.Addr.Is6),
		},
		// nm-settings-nmcli(5), "connection.autoconnect".
		{
			verb: "network", name: "autoconnect", isTarget: isProfile, value: onOff,
			setters: []setter{{
				forms: []form{
					{words: nmModify + "TARGET connection.autoconnect VALUE"},
					{words: nmModify + "id TARGET connection.autoconnect VALUE"},
				},
				spell: spelled("on=yes", "off=no"),
				look:  machine.AutoconnectProbe, read: reads(machine.ParseYesNo, switchText),
			}},
		},
	}
}

// rfkill returns the setter that blocks the radios of a kind by software.
func rfkill(words, kind string) setter {
	shown, _, _ := strings.Cut(words, "|")
	return setter{
		forms: []form{{"rfkill unblock " + words, "on"}, {"rfkill block " + words, "off"}},
		look:  fixed(machine.BlockedRadiosProbe), read: readRadio(kind), shown: "rfkill list " + shown,
	}
}

// dnsSetters are the setters of the name servers of a connection: alone, with those of the network, and without a
// change of whether those are used.
func dnsSetters(family string, isFamily func(netip.Addr) bool) []setter {
	servers, automatic := family+".dns VALUE", family+".ignore-auto-dns "
	yes, no := automatic+"yes|true|on|1", automatic+"no|false|off|0"
	return []setter{
		dnsSetter(family, isFamily, "", servers+" "+yes, yes+" "+servers),
		dnsSetter(family, isFamily, ","+dnsAuto, servers+" "+no, no+" "+servers),
		dnsSetter(family, isFamily, ","+dnsKeep, servers),
	}
}

// dnsSetter returns the setter of lists with an ending.
func dnsSetter(family string, isFamily func(netip.Addr) bool, ending string, properties ...string) setter {
	value := dnsValue(isFamily)
	w := setter{
		look: func(profile string) machine.Probe { return machine.ProfileDNSProbe(profile, family) },
		read: reads(machine.ParseProfileDNS, dnsText),
		value: func(word string) (string, bool) {
			if word == "" {
				return cmp.Or(strings.TrimPrefix(ending, ","), dnsNone), true
			}
			list, ok := value(word)
			return list + ending, ok && list == strings.Join(addressesOf(list), ",")
		},
		spell: func(value string) (string, bool) {
			list := strings.Join(addressesOf(value), ",")
			if value == dnsNone {
				return "", ending == ""
			}
			return list, value == strings.TrimPrefix(list+ending, ",")
		},
	}
	for _, p := range properties {
		w.forms = append(w.forms, form{words: nmModify + "TARGET " + p}, form{words: nmModify + "id TARGET " + p})
	}
	return w
}

// isProfile reports whether a word can be the name of a connection. nmcli's own words are not names.
func isProfile(text string) bool {
	return isPlainText(text, 200) && !slices.Contains([]string{"id", "uuid", "path", "apath", "ifname", "help"}, text)
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

// Name servers of a connection are listed with commas. After them, "auto" represents those that the network announces,
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
	words := []string{dnsAuto, dnsKeep, dnsNone}
	return slices.DeleteFunc(strings.Split(list, ","), func(w string) bool { return slices.Contains(words, w) })
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
