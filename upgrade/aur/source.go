package aur

import (
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
	"github.com/nidoit/blunux-ai/internal/sorting"
)

// Hosts that say nothing about who wrote what they serve.
var (
	shortLinks = set(`bit.ly tinyurl.com t.co is.gd goo.gl ow.ly buff.ly rebrand.ly cutt.ly shorturl.at rb.gy tiny.cc v.gd t.ly git.io
		short.io bl.ink s.id shorte.st adf.ly u.to clck.ru dub.sh dlvr.it lnkd.in qr.ae tr.im soo.gd`)
	pasteHosts = set(`pastebin.com paste.ee ptpb.pw ix.io 0x0.st transfer.sh temp.sh termbin.com sprunge.us clbin.com paste.rs
		dpaste.com dpaste.org hastebin.com toptal.com/developers/hastebin ghostbin.com rentry.co rentry.org controlc.com privatebin.net
		file.io anonfiles.com gofile.io catbox.moe files.catbox.moe litter.catbox.moe bashupload.com oshi.at filebin.net
		cdn.discordapp.com media.discordapp.net p.ip.fi paste.debian.net bpa.st envs.sh x0.at uguu.se send.cm wetransfer.com
		pixeldrain.com tmpfiles.org segs.lol paste.c-net.org api.telegram.org webhook.site requestbin.com pipedream.net
		discord.com/api/webhooks ngrok.io ngrok-free.app trycloudflare.com serveo.net localhost.run loca.lt`)
	movingHosts = []string{
		".onion", ".onion.to", ".onion.ws", ".onion.ly", ".i2p", ".duckdns.org", ".no-ip.org", ".no-ip.com", ".no-ip.biz", ".ddns.net", ".hopto.org",
		".zapto.org", ".sytes.net", ".serveo.net", ".dynu.net", ".dyndns.org", ".servehttp.com", ".myftp.org", ".redirectme.net", ".ngrok.io",
		".ngrok-free.app", ".trycloudflare.com", ".loca.lt",
	}
)

// source is an element of a source array.
type source struct {
	element
	array    string // source, source_x86_64
	index    int
	renamed  string // the name before ::
	address  string
	vcs      string // git, svn, hg, bzr, fossil; "" for a file
	fragment string
}

// far reports whether a source comes from the network.
func (s source) far() bool { return strings.Contains(s.address, "://") || s.vcs != "" }

// name returns the name of the file or directory in srcdir.
func (s source) name() string {
	if s.renamed != "" {
		return s.renamed
	}
	base := path.Base(strings.TrimRight(s.address, "/"))
	base, _, _ = strings.Cut(base, "?")
	if s.vcs == "git" {
		base = strings.TrimSuffix(base, ".git")
	}
	return base
}

// pinned reports whether a repository's source names what exactly is fetched.
func (s source) pinned() bool {
	kind, value, _ := strings.Cut(s.fragment, "=")
	return value != "" && slices.Contains([]string{"commit", "tag", "revision"}, kind)
}

// parseSource splits a source as makepkg does: name::vcs+address?query#fragment.
func parseSource(e element, array string, index int) source {
	e.text = strings.ReplaceAll(e.text, `\#`, "#")
	s := source{element: e, array: array, index: index, address: e.text}
	if name, rest, renamed := strings.Cut(e.text, "::"); renamed && !strings.Contains(name, "/") {
		s.renamed, s.address = name, rest
	}
	scheme, _, far := strings.Cut(s.address, "://")
	if !far {
		if rest, is := strings.CutPrefix(s.address, "lp:"); is { // bzr
			s.vcs, s.address = "bzr", "https://launchpad.net/"+rest
		}
		return s
	}
	if vcs, _, is := strings.Cut(scheme, "+"); is {
		s.vcs, s.address = vcs, s.address[len(vcs)+1:]
	} else if slices.Contains([]string{"git", "svn", "hg", "bzr", "fossil"}, scheme) {
		s.vcs = scheme
	}
	if s.vcs != "" {
		s.address, s.fragment, _ = strings.Cut(s.address, "#")
		s.address = strings.TrimSuffix(s.address, "?signed")
	}
	return s
}

// hostOf returns the host of an address, in small letters and without a port; "" if it has none.
func hostOf(address string) (host, port string) {
	u, err := url.Parse(address)
	if err != nil {
		_, rest, _ := strings.Cut(address, "://")
		rest, _, _ = strings.Cut(rest, "/")
		return strings.ToLower(rest), ""
	}
	return strings.ToLower(u.Hostname()), u.Port()
}

// judgeHost reports what an address hides, and "" if nothing.
func judgeHost(address string) (Code, bool) {
	host, _ := hostOf(address)
	_, rest, _ := strings.Cut(address, "://")
	if host == "" || strings.Contains(host, unknown) {
		return "", false
	}
	bare := strings.TrimPrefix(host, "www.")
	within := func(list map[string]bool) bool {
		for name := range list {
			if bare == name || strings.HasSuffix(bare, "."+name) || strings.Contains(name, "/") && strings.HasPrefix(rest, name) {
				return true
			}
		}
		return false
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return NumericHost, !ip.IsLoopback() && !ip.IsUnspecified()
	}
	switch {
	case strings.Trim(host, "0123456789.x") == "" && strings.ContainsAny(host, "0123456789"):
		return NumericHost, true
	case shortLinks()[bare]:
		return ShortLink, true
	case within(pasteHosts()):
		return PasteHost, true
	case strings.Contains(host, "xn--") || strings.ContainsFunc(host, func(r rune) bool { return r > 0x7e }):
		return HiddenHost, true
	case slices.ContainsFunc(movingHosts, func(end string) bool { return strings.HasSuffix(host, end) }):
		return HiddenHost, true
	}
	return "", false
}

// hostSeverity returns how much a host weighs: little if it is the one of the project's page.
func (c *checker) hostSeverity(code Code, address string) Severity {
	host, _ := hostOf(address)
	if page, _ := hostOf(c.page()); code == PasteHost && page == host {
		return Warn
	}
	return Red
}

// checkAddresses judges the addresses among the words of a command.
func (w *walker) checkAddresses(args []string, n syntax.Node) {
	for _, a := range args {
		at := strings.Index(a, "://")
		if at < 0 {
			if host, _, _ := strings.Cut(a, "/"); strings.Contains(host, ".") && !isFlag(a) {
				if code, is := judgeHost("https://" + a); is && code != NumericHost {
					w.report(code, Red, n, a)
				}
			}
			continue
		}
		start := strings.LastIndexAny(a[:at], " =\"'") + 1
		if code, is := judgeHost(a[start:]); is {
			w.report(code, w.hostSeverity(code, a[start:]), n, a)
		}
	}
}

// collectSources reads the source arrays of the PKGBUILD: the global ones. Those of split packages are not a thing.
func (c *checker) collectSources(vars *scope) {
	for name, v := range vars.vars {
		if name != "source" && !strings.HasPrefix(name, "source_") {
			continue
		}
		for i, e := range v.list {
			c.sources = append(c.sources, parseSource(e, name, i))
		}
	}
	sorting.By(c.sources, func(a, b source) int {
		if a.line != b.line {
			return a.line - b.line
		}
		return strings.Compare(a.array+a.text, b.array+b.text)
	})
}

// readSources judges the sources and their checksums.
func (c *checker) readSources() {
	hosts := map[string]bool{}
	for _, s := range c.sources {
		if !s.far() {
			continue
		}
		add := func(code Code, severity Severity, detail string) {
			c.facts.add(Fact{Code: code, Severity: severity, File: pkgbuild, Line: s.line, Detail: plain.Replace(detail)})
		}
		if host, _ := hostOf(s.address); host != "" && !hosts[host] {
			hosts[host] = true
			add(Host, Note, host)
		}
		if code, is := judgeHost(s.address); is {
			add(code, c.hostSeverity(code, s.address), s.text)
		}
		c.readTransport(s, add)
		c.readChecksum(s, add)
	}
}

// readTransport judges the encryption of a source and how exactly a repository is named.
func (c *checker) readTransport(s source, add func(Code, Severity, string)) {
	scheme, _, _ := strings.Cut(s.address, "://")
	if slices.Contains([]string{"http", "ftp", "git", "svn", "rsync"}, scheme) && !s.pinnedCommit() {
		severity := Warn
		if s.vcs == "" && c.sum(s).strength == strong {
			severity = Note
		}
		add(NoTLS, severity, s.text)
	}
	if s.vcs != "" && !s.pinned() {
		severity := Warn
		if isVCSPackage(c.name()) {
			severity = Note
		}
		add(Unpinned, severity, s.text)
	}
}

func (s source) pinnedCommit() bool { return strings.HasPrefix(s.fragment, "commit=") }

// isVCSPackage reports whether a package is meant to build the newest version.
func isVCSPackage(name string) bool {
	for _, end := range []string{"-git", "-svn", "-hg", "-bzr", "-fossil", "-nightly", "-dev", "-devel"} {
		if strings.HasSuffix(name, end) || strings.Contains(name, end+"-") {
			return true
		}
	}
	return false
}

// strength is how much a checksum proves.
type strength int

const (
	absent strength = iota
	skipped
	weak
	strong
)

type sum struct {
	strength strength
	value    string
}

// digests are the arrays of checksums, the strongest first.
var digests = []struct {
	name     string
	strength strength
}{
	{"b2sums", strong},
	{"sha512sums", strong},
	{"sha384sums", strong},
	{"sha256sums", strong},
	{"sha224sums", strong},
	{"sha1sums", weak},
	{"md5sums", weak},
	{"cksums", weak},
}

// sum returns the strongest checksum of a source.
func (c *checker) sum(s source) (best sum) {
	suffix := strings.TrimPrefix(s.array, "source")
	for _, d := range digests {
		v := c.vars.vars[d.name+suffix]
		if s.index >= len(v.list) {
			continue
		}
		got := sum{d.strength, v.list[s.index].text}
		if got.value == "SKIP" {
			got.strength = skipped
		}
		if got.strength > best.strength {
			best = got
		}
	}
	return best
}

// readChecksum judges the checksum of a source. Signatures and repositories have none.
func (c *checker) readChecksum(s source, add func(Code, Severity, string)) {
	if s.vcs != "" || isSignature(s.name()) {
		return
	}
	switch c.sum(s).strength {
	case absent:
		add(NoChecksum, Warn, s.text)
	case skipped:
		severity := Warn
		if c.hasSignature(s) {
			severity = Note
		}
		add(Skipped, severity, s.text)
	case weak:
		add(WeakChecksum, Note, s.text)
	}
}

func isSignature(name string) bool {
	return slices.Contains([]string{".sig", ".sign", ".asc"}, path.Ext(name))
}

// hasSignature reports whether another source is the signature of this one, and a key is named.
func (c *checker) hasSignature(s source) bool {
	if len(c.vars.vars["validpgpkeys"].list) == 0 {
		return false
	}
	return slices.ContainsFunc(c.sources, func(o source) bool {
		return isSignature(o.name()) && strings.TrimSuffix(o.name(), path.Ext(o.name())) == s.name()
	})
}

// owner returns whose place of a forge an address is: host and account.
func owner(address string) string {
	host, _ := hostOf(address)
	u, err := url.Parse(address)
	if err != nil {
		return host
	}
	account, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	switch {
	case isForge(host):
		return host + "/" + strings.ToLower(account)
	case strings.HasSuffix(host, ".github.io"):
		return "github.com/" + strings.TrimSuffix(host, ".github.io")
	}
	return host
}

func isForge(host string) bool {
	return slices.Contains([]string{"github.com", "gitlab.com", "codeberg.org", "bitbucket.org", "gitee.com", "git.sr.ht", "notabug.org", "sourceforge.net", "raw.githubusercontent.com", "gitea.com", "framagit.org", "salsa.debian.org"}, host)
}

// checkOwners reports sources of a forge whose owner differs by one letter from that of the project's page or
// another source. Short names are near honest ones.
func (c *checker) checkOwners() {
	all := []string{owner(c.page())}
	for _, s := range c.sources {
		if s.far() {
			all = append(all, owner(s.address))
		}
	}
	for i, s := range c.sources {
		of := owner(s.address)
		host, account, _ := strings.Cut(of, "/")
		for _, other := range all {
			if otherHost, near, _ := strings.Cut(other, "/"); s.far() && host == otherHost && len(account) > 7 && isOneAway(account, near) {
				c.facts.add(Fact{Code: Imitates, Severity: Red, File: pkgbuild, Line: c.sources[i].line, Detail: of + " ~ " + other})
				break
			}
		}
	}
}

// strangers returns the names of unpinned repositories on a forge whose owner is neither that of the project's page nor of
// another source, in a recipe with other sources.
func (c *checker) strangers() map[string]bool {
	list := map[string]bool{}
	for i, s := range c.sources {
		host, _ := hostOf(s.address)
		if s.vcs == "" || s.pinned() || !isForge(host) {
			continue
		}
		of := owner(s.address)
		known := c.page() != "" && owner(c.page()) == of || c.isRelated(strings.TrimSuffix(path.Base(s.address), ".git"))
		others := 0
		for j, o := range c.sources {
			if i == j || !o.far() {
				continue
			}
			others++
			known = known || owner(o.address) == of
		}
		if !known && others > 0 {
			list[s.name()] = true
		}
	}
	return list
}

// builders are the usual names of scripts that configure and build a project.
var builders = set("configure autogen.sh bootstrap bootstrap.sh waf gradlew mach mvnw Configure buildconf cmake make meson")

// runsStrange reports a program out of a stranger's repository that the build runs.
func (w *walker) runsStrange(file string, in invocation) {
	if w.kind != building || builders()[path.Base(file)] {
		return
	}
	full := file
	if !strings.HasPrefix(file, "/") {
		full = path.Join(w.where(), file)
	}
	rest, is := strings.CutPrefix(full, srcDir+"/")
	if !is {
		return
	}
	dir, _, below := strings.Cut(rest, "/")
	if below && w.strange[dir] {
		w.report(StrangeSource, Red, in.node, w.source(in.node))
	}
}

// words splits a name into the parts that relate packages.
var words = lazyregexp.New(`[a-z]{3,}`)

// isRelated reports whether a name has a part in common with the package or its project's page.
func (c *checker) isRelated(name string) bool {
	own := strings.ToLower(strings.Join([]string{c.name(), strings.Join(c.names("pkgname"), " "), c.page(), strings.Join(c.sourceNames(), " ")}, " "))
	for _, part := range words.FindAllString(strings.ToLower(name), -1) {
		if !commonWords()[part] && strings.Contains(own, part) {
			return true
		}
	}
	return false
}

// commonWords are parts of many names, which relate nothing.
var commonWords = set(`git bin lib node npm python java the core cli app tool tools utils com org net http https github gitlab www patch patches
	browser linux arch aur free open src source main master data code file files lock lockfile json desktop server client plugin`)

// sourceNames returns the names and addresses of the sources.
func (c *checker) sourceNames() (list []string) {
	for _, s := range c.sources {
		if s.far() && (s.vcs == "" || s.pinned()) {
			list = append(list, s.address)
		}
	}
	return list
}
