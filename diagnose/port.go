package diagnose

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Port is the question why no one reaches a port. The object is its number.
func Port() Topic {
	return Topic{ID: "port", Object: APort, Requires: true, About: i18n.DiagnoseAboutPort, causes: []cause{
		{"service-down", portServiceDown},
		{"nothing", portNothing},
		{"local", portLocal},
		{"rule", portRule},
		{"configured-rule", portConfiguredRule},
		{"policy", portPolicy},
		{"firewall", portFirewall},
	}}
}

// usualUnits are the units that listen on well-known ports: services(5) and the packages of Arch.
var usualUnits = map[string][]string{
	"22": {"sshd.service"}, "53": {"systemd-resolved.service", "dnsmasq.service", "named.service", "unbound.service"},
	"80":  {"nginx.service", "httpd.service", "caddy.service", "lighttpd.service"},
	"443": {"nginx.service", "httpd.service", "caddy.service"}, "139": {"smb.service"}, "445": {"smb.service"},
	"631": {"cups.service", "cups.socket"}, "2049": {"nfs-server.service"}, "3306": {"mariadb.service"},
	"3389": {"xrdp.service"}, "5432": {"postgresql.service"}, "6379": {"valkey.service", "redis.service"},
	"8096": {"jellyfin.service"}, "9090": {"cockpit.socket", "prometheus.service"}, "51820": {"wg-quick@wg0.service"},
	"32400": {"plexmediaserver.service"}, "21": {"vsftpd.service"}, "1883": {"mosquitto.service"},
	"3000": {"grafana.service"}, "25565": {"minecraftd.service"}, "27017": {"mongodb.service"},
}

// number returns the port, "" if the object is none.
func (f *Facts) number() string {
	n := strings.TrimPrefix(f.Object, ":")
	if n == "" || len(n) > 5 || strings.Trim(n, "0123456789") != "" {
		return ""
	}
	return n
}

// holders returns who listens on the port. known is false if that was not seen.
func (f *Facts) holders() (all []machine.Holder, known bool) {
	every, err := parse(f, machine.HoldersProbe, machine.ParseHolders)
	for _, h := range every {
		if h.Port == f.number() {
			all = append(all, h)
		}
	}
	return all, err == nil && f.number() != ""
}

// portServiceDown finds the service that usually listens there, and that it does not run.
func portServiceDown(f *Facts) *Finding {
	if all, known := f.holders(); !known || len(all) > 0 {
		return nil
	}
	states, look := f.states(false, usualUnits[f.number()]...)
	var installed []map[string]string
	for _, u := range states {
		if u["LoadState"] == "loaded" && u["ActiveState"] != "active" {
			installed = append(installed, u)
		}
	}
	if len(installed) != 1 {
		return nil
	}
	u := installed[0]
	name := plain(u["Id"])
	if name == "" {
		return nil
	}
	found := proved(i18n.PortServiceDown(f.number(), name, u["ActiveState"]),
		see(machine.HoldersProbe, i18n.PortNobody(f.number())),
		seeLine(look, "ActiveState="+u["ActiveState"]+", UnitFileState="+u["UnitFileState"]))
	if u["ActiveState"] == "failed" {
		return found.advise(i18n.UnitDependencyAdvice(name, "systemctl status "+name))
	}
	return found.offer(i18n.UnitEnableGoal(name), unitStates{name: u}.start(name, false)...)
}

// portNothing finds that no program listens.
func portNothing(f *Facts) *Finding {
	all, known := f.holders()
	if !known || len(all) > 0 || portServiceDown(f) != nil {
		return nil
	}
	return proved(i18n.PortNothing(f.number()), see(machine.HoldersProbe, i18n.PortNobody(f.number()))).
		advise(i18n.PortNothingAdvice)
}

// portLocal finds a program that only this computer reaches.
func portLocal(f *Facts) *Finding {
	all, known := f.holders()
	if !known || len(all) == 0 || slices.ContainsFunc(all, func(h machine.Holder) bool { return !h.IsLocal() }) {
		return nil
	}
	h := all[0]
	return proved(i18n.PortLocal(f.number(), h.Name(), h.Address),
		see(machine.HoldersProbe, i18n.PortHolder(h.Name(), h.Address+":"+h.Port))).advise(i18n.PortLocalAdvice(h.Name()))
}

// outside returns who listens for other computers.
func (f *Facts) outside() (machine.Holder, bool) {
	all, known := f.holders()
	at := slices.IndexFunc(all, func(h machine.Holder) bool { return !h.IsLocal() })
	if !known || at < 0 {
		return machine.Holder{}, false
	}
	return all[at], true
}

var rulesProbe = machine.Probe{"nft", "-a", "list", "ruleset"}

// rule is a rule of nftables and where it is: nft(8).
type rule struct{ table, chain, text, handle string }

// rules returns the rules of a ruleset, and the chains for incoming packets that drop what no rule accepts.
func rules(text string) (all []rule, closed []rule) {
	var r rule
	for _, line := range machine.Lines(text) {
		line = strings.TrimSpace(line)
		body, handle, _ := strings.Cut(line, " # handle ")
		words := strings.Fields(body)
		switch {
		case len(words) > 2 && words[0] == "table":
			r.table = words[1] + " " + words[2]
		case len(words) > 1 && words[0] == "chain":
			r.chain = words[1]
		case strings.Contains(line, "hook input") && strings.Contains(line, "policy drop"):
			closed = append(closed, rule{r.table, r.chain, line, ""})
		case r.chain != "" && line != "}":
			all = append(all, rule{r.table, r.chain, body, handle})
		}
	}
	return all, closed
}

// drops reports whether a rule refuses a port by its number.
func (r rule) drops(port string) bool {
	words := strings.Fields(strings.NewReplacer("{", " ", "}", " ", ",", " ").Replace(r.text))
	last := len(words) - 1
	at := slices.Index(words, "dport")
	refuses := slices.Contains(words, "drop") || slices.Contains(words, "reject")
	return last > 0 && refuses && at >= 0 && at < last && words[at+1] != "!=" && slices.Contains(words[at+1:], port)
}

// portRule finds the rule of nftables that refuses the port.
func portRule(f *Facts) *Finding {
	h, ok := f.outside()
	if !ok {
		return nil
	}
	all, _ := rules(f.stdout(rulesProbe))
	for _, r := range all {
		if !r.drops(f.number()) {
			continue
		}
		found := proved(i18n.PortRule(f.number(), r.text, r.table, r.chain),
			see(machine.HoldersProbe, i18n.PortHolder(h.Name(), h.Address+":"+h.Port)),
			seeLine(rulesProbe, r.text+" # handle "+r.handle))
		where := r.table + " " + r.chain
		single := strings.Trim(r.text, "abcdefghijklmnopqrstuvwxyz0123456789 ") == "" &&
			strings.Trim(where, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- ") == ""
		if r.handle == "" || strings.Trim(r.handle, "0123456789") != "" || !single {
			return found.advise(i18n.PortRuleAdvice(f.number()))
		}
		undo := strings.TrimSuffix(strings.TrimSpace(cutCounter(r.text)), " ")
		return found.offer(i18n.PortRuleGoal(f.number()),
			run(i18n.PortRuleStep(r.handle, r.table, r.chain), "sudo -n nft delete rule "+where+" handle "+r.handle,
				"", "", "sudo -n nft insert rule "+where+" "+undo))
	}
	return nil
}

// cutCounter removes the numbers of a counter, which a new rule begins with.
func cutCounter(text string) string {
	before, after, ok := strings.Cut(text, "counter packets ")
	words := strings.Fields(after)
	if !ok || len(words) < 3 {
		return text
	}
	return before + "counter " + strings.Join(words[3:], " ")
}

var configuredRulesProbe = machine.Probe{"cat", "/etc/nftables.conf"}

// portConfiguredRule finds a rule in the configuration of nftables, where the rules themselves may not be seen.
func portConfiguredRule(f *Facts) *Finding {
	if _, ok := f.outside(); !ok || f.stdout(rulesProbe) != "" {
		return nil
	}
	states, look := f.states(false, "nftables.service")
	all, _ := rules(f.stdout(configuredRulesProbe))
	for _, r := range all {
		if r.drops(f.number()) && len(states) == 1 && states[0]["ActiveState"] == "active" {
			return likely(i18n.PortConfiguredRule(f.number(), r.text), seeLine(configuredRulesProbe, r.text),
				seeLine(look, "nftables.service: active")).
				advise(i18n.PortRuleAdvice(f.number()))
		}
	}
	return nil
}

// portPolicy finds that incoming packets are dropped unless a rule accepts them, and that no rule names the port.
func portPolicy(f *Facts) *Finding {
	h, ok := f.outside()
	if !ok {
		return nil
	}
	all, closed := rules(f.stdout(rulesProbe))
	if len(closed) == 0 || slices.ContainsFunc(all, func(r rule) bool {
		return slices.Contains(strings.FieldsFunc(r.text, func(c rune) bool { return strings.ContainsRune(" {},-:", c) }),
			f.number())
	}) {
		return nil
	}
	c := closed[0]
	return likely(i18n.PortPolicy(f.number(), c.table, c.chain),
		see(machine.HoldersProbe, i18n.PortHolder(h.Name(), h.Address+":"+h.Port)), seeLine(rulesProbe, c.text)).
		advise(i18n.PortPolicyAdvice(f.number(), h.Protocol))
}

// portFirewall finds a running firewall whose rules only root may see.
func portFirewall(f *Facts) *Finding {
	h, ok := f.outside()
	if !ok || f.stdout(rulesProbe) != "" {
		return nil
	}
	states, look := f.states(false, "ufw.service", "firewalld.service", "nftables.service", "iptables.service")
	for _, u := range states {
		if u["ActiveState"] != "active" {
			continue
		}
		found := likely(i18n.PortFirewall(f.number(), u["Id"]),
			see(machine.HoldersProbe, i18n.PortHolder(h.Name(), h.Address+":"+h.Port)), seeLine(look, u["Id"]+": active"))
		switch u["Id"] {
		case "ufw.service":
			return found.advise(i18n.PortUfwAdvice(f.number(), h.Protocol))
		case "firewalld.service":
			return found.advise(i18n.PortFirewalldAdvice(f.number(), h.Protocol))
		}
		return found.advise(i18n.PortRuleAdvice(f.number()))
	}
	if out, known := f.output(rulesProbe); known && strings.Contains(out.Stderr, "Operation not permitted") {
		return likely(i18n.PortUnseen(f.number(), h.Name()),
			see(machine.HoldersProbe, i18n.PortHolder(h.Name(), h.Address+":"+h.Port)),
			seeLine(rulesProbe, machine.CleanLine(out.Stderr))).
			advise(i18n.PortRuleAdvice(f.number()))
	}
	return nil
}
