package tools

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/tools/safety"
)

// ReasonUnnamedHost is why a command that only reads is asked about when it
// contacts a host that neither the person nor this machine's configuration named:
// a model that was misled by what it read could carry data away in such a name.
const ReasonUnnamedHost = "unnamed-host"

// Hosts tells which other hosts this machine's configuration names.
type Hosts interface {
	Knows(host string) bool
}

// wellKnown are the hosts that this program's own tools check the network with,
// and the servers that package tools ask: none of them tells a stranger what it
// was asked.
var wellKnown = set(`
	1.1.1.1 1.0.0.1 8.8.8.8 8.8.4.4 9.9.9.9 2606:4700:4700::1111 2001:4860:4860::8888
	archlinux.org aur.archlinux.org security.archlinux.org api.snapcraft.io index.docker.io localhost`)

// maxConversations bounds for how many conversations answers are remembered.
const maxConversations = 1000

// allowedHosts are the hosts that a person said yes to, by conversation.
type allowedHosts struct {
	mu        sync.Mutex
	bySession map[string]map[string]bool
}

func (a *allowedHosts) allow(session string, hosts []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.bySession) >= maxConversations || a.bySession == nil {
		a.bySession = map[string]map[string]bool{}
	}
	if a.bySession[session] == nil {
		a.bySession[session] = map[string]bool{}
	}
	for _, h := range hosts {
		a.bySession[session][h] = true
	}
}

func (a *allowedHosts) allows(session, host string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.bySession[session][host]
}

// askHosts has a plan asked about that contacts hosts nobody named, and names them
// in the question.
func (g *Gate) askHosts(j *Judged, hosts []string) {
	named := namedHosts(append([]string{j.Call.Words}, j.Call.Earlier...))
	for _, h := range hosts {
		if slices.Contains(j.Unnamed, h) || named[h] || g.knows(h) || g.allowed.allows(j.Session, h) {
			continue
		}
		j.Unnamed = append(j.Unnamed, h)
		j.Parts = append(slices.Clip(j.Parts), safety.Reason{Code: ReasonUnnamedHost, Part: h})
		j.warn(ReasonUnnamedHost + ": " + h)
	}
	if len(j.Unnamed) == 0 {
		return
	}
	j.Class = max(j.Class, safety.Confirm)
	if !slices.Contains(j.Reasons, ReasonUnnamedHost) {
		j.Reasons = append(slices.Clip(j.Reasons), ReasonUnnamedHost)
	}
}

// knows reports whether a host may be contacted in every conversation. An address
// of the web with a path or a port is more than its host: it can say something.
func (g *Gate) knows(host string) bool {
	if strings.Contains(host, "://") {
		return false
	}
	if wellKnown[host] || isLoopback(host) {
		return true
	}
	return g.hosts != nil && g.hosts.Knows(host)
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// approved notes that a person said yes to a plan: the hosts in the question are
// known in this conversation from now on. Each run of an automation stands for itself.
func (g *Gate) approved(j Judged) {
	if len(j.Unnamed) > 0 && j.Origin.Automation == "" && j.By != ByAutonomy {
		g.allowed.allow(j.Session, j.Unnamed)
	}
}

// hostWord finds what may be a host or an address of the web in a person's words.
// A Korean particle behind it is none of it.
var hostWord = regexp.MustCompile(`[A-Za-z0-9_:\[][A-Za-z0-9._:%/~+\[\]-]*`)

// namedHosts returns the hosts, and the whole addresses of the web, that texts
// name. The name of a host names none of its subdomains.
func namedHosts(texts []string) map[string]bool {
	named := map[string]bool{}
	for _, text := range texts {
		for _, w := range hostWord.FindAllString(text, -1) {
			w = strings.TrimRight(w, ".,:;")
			named[w] = true
			_, rest, found := strings.Cut(w, "://")
			if !found {
				rest = w
			}
			rest, _, _ = strings.Cut(rest, "/")
			rest = strings.ToLower(strings.TrimRight(strings.Trim(rest, "[]"), "."))
			named[rest] = true
			if host, port, ok := strings.Cut(rest, ":"); ok && !strings.Contains(port, ":") {
				named[host] = true
			}
			if ip, err := netip.ParseAddr(rest); err == nil {
				named[ip.String()] = true
			}
		}
	}
	return named
}
