package tools

import (
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// ReasonUnnamedHost is the reason to confirm a reading command that contacts a host which neither the person
// nor this machine's configuration named. A misled model could send data in such a name.
const ReasonUnnamedHost = "unnamed-host"

// Hosts reports which hosts this machine's configuration names.
type Hosts interface {
	HasHost(host string) bool
}

// wellKnownHosts are the hosts that this program's own tools check the network with, and the servers of package
// tools. They do not reveal queries to others.
var wellKnownHosts = strings.Fields(`
	1.1.1.1 1.0.0.1 8.8.8.8 8.8.4.4 9.9.9.9 2606:4700:4700::1111 2001:4860:4860::8888
	archlinux.org aur.archlinux.org security.archlinux.org api.snapcraft.io index.docker.io localhost`)

// maxConversations is the number of conversations for which approved hosts are stored.
const maxConversations = 1000

// hostPolicy decides which hosts can be contacted without a confirmation.
type hostPolicy struct {
	configured Hosts // nil for none
	// mu guards approved, the hosts that a person approved, by conversation.
	mu       sync.Mutex
	approved map[string]map[string]bool
}

// approve records the hosts of a plan that a person approved. They are allowed in this conversation from now on, except
// for runs of automations.
func (p *hostPolicy) approve(j JudgedPlan) {
	if len(j.UnnamedHosts) == 0 || j.Origin.Automation != "" || j.By == byAutonomy {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.approved) >= maxConversations || p.approved == nil {
		p.approved = map[string]map[string]bool{}
	}
	if p.approved[j.Session] == nil {
		p.approved[j.Session] = map[string]bool{}
	}
	for _, h := range j.UnnamedHosts {
		if j.isWeb {
			h = webHost + h
		}
		p.approved[j.Session][h] = true
	}
}

func (p *hostPolicy) isApproved(session, host string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.approved[session][host]
}

// check makes a plan need a confirmation if it contacts hosts that no one named, and lists them in the question.
func (p *hostPolicy) check(j *JudgedPlan, hosts []string) {
	named := namedHosts(append([]string{j.Call.Words}, j.Call.Earlier...))
	for _, h := range hosts {
		if slices.Contains(j.UnnamedHosts, h) || named[h] || p.isKnown(h) || p.isApproved(j.Session, h) {
			continue
		}
		j.UnnamedHosts = append(j.UnnamedHosts, h)
		j.require(safety.Confirm, safety.Reason{Code: ReasonUnnamedHost, Part: h})
		j.warn(ReasonUnnamedHost + ": " + h)
	}
}

// checkWeb makes a plan need a confirmation if it opens an address of a host that the person did not name: an address can
// carry data. That this machine's configuration names a host, or that a command may contact it, is no permission.
func (p *hostPolicy) checkWeb(j *JudgedPlan, hosts []string) {
	texts := append([]string{j.Call.Words}, j.Call.Earlier...)
	for _, h := range hosts {
		if namesWebHost(texts, h) || p.isApproved(j.Session, webHost+h) {
			continue
		}
		j.UnnamedHosts = append(j.UnnamedHosts, h)
		j.isWeb = true
		j.require(safety.Confirm, safety.Reason{Code: ReasonUnnamedHost, Part: h})
		j.warn(ReasonUnnamedHost + ": " + h)
	}
}

// webHost precedes a host whose pages the person approved.
const webHost = "web:"

// fileEndings are endings of file names that are also top-level domains: a word with one is the name of a file, unless it
// is in a URL.
var fileEndings = strings.Fields(".md .py .rs .sh .pl .zip .mov .so .cc .ps .app .bat .java .ml .vi .pm .st .tf .ts .mm .nu .foo")

// namesWebHost reports whether texts name a host as one, by itself or in a URL.
func namesWebHost(texts []string, host string) bool {
	for _, text := range texts {
		for _, at := range hostWord.FindAllStringIndex(text, -1) {
			w := strings.ToLower(strings.TrimRight(text[at[0]:at[1]], ".,:;"))
			_, rest, isURL := strings.Cut(w, "://")
			if !isURL {
				rest = w
			}
			rest, _, _ = strings.Cut(rest, "/")
			isFile := func(ending string) bool { return strings.HasSuffix(rest, ending) }
			if !isURL && (at[0] > 0 && text[at[0]-1] == '@' || slices.ContainsFunc(fileEndings, isFile)) {
				continue // of an e-mail address, or a file
			}
			if inner, ok := strings.CutPrefix(rest, "["); ok {
				rest, _, _ = strings.Cut(inner, "]") // before the port
			} else if name, port, ok := strings.Cut(rest, ":"); ok && !strings.Contains(port, ":") {
				rest = name
			}
			if strings.TrimRight(rest, ".]") == host {
				return true
			}
		}
	}
	return false
}

// isKnown reports whether a host can be contacted in every conversation. A URL is not a known host: its path or port
// can carry data.
func (p *hostPolicy) isKnown(host string) bool {
	if strings.Contains(host, "://") {
		return false
	}
	return slices.Contains(wellKnownHosts, host) || isLoopback(host) || p.configured != nil && p.configured.HasHost(host)
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// hostWord matches text that can be a host or a URL in a person's words, without a Korean particle after it.
var hostWord = lazyregexp.New(`[A-Za-z0-9_:\[][A-Za-z0-9._:%/~+\[\]-]*`)

// namedHosts returns the hosts and complete URLs in texts. A host's name does not include its subdomains.
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
