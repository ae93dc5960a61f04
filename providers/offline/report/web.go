package report

import (
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// webPage is a page as the tool fetch_page writes it: lines of a header, an empty line, the text (tools/action, webAction).
type webPage struct{ address, title, readAt, text string }

func parseWebPage(out string) webPage {
	head, text, _ := strings.Cut(out, "\n\n")
	p := webPage{text: text}
	for line := range strings.Lines(head) {
		name, value, _ := strings.Cut(machine.CleanLine(line), ": ")
		switch name {
		case "address":
			p.address = value
		case "title":
			p.title = value
		case "read at":
			p.readAt = value
		}
	}
	return p
}

// webFailure matches why a page was not fetched, with its code.
var webFailure = pattern(`^not fetched \(([a-z-]+)\): (.*)`)

// How much of a page an answer shows.
const (
	shownNews      = 6
	shownResults   = 6
	shownWikiLines = 12
	wikiLineLength = 400 // characters
)

func (r *result) webReply() Reply {
	out := r.steps[0].Stdout
	if m := webFailure().FindStringSubmatch(out); m != nil {
		switch m[1] {
		case "offline":
			return Reply{Text: r.say(i18n.HelperWebOffline)}
		case "captive-portal":
			return Reply{Text: r.say(i18n.HelperWebPortal)}
		case "certificate":
			return Reply{Text: r.say(i18n.HelperWebCertificate(hostOf(r.str("url"))))}
		case "name":
			return Reply{Text: r.say(i18n.HelperWebName(hostOf(r.str("url"))))}
		case "timeout":
			return Reply{Text: r.say(i18n.HelperWebTimeout(hostOf(r.str("url"))))}
		}
		return Reply{Text: r.say(i18n.HelperWebFailed(machine.CleanLine(m[2])))}
	}
	p := parseWebPage(out)
	text := r.wikiText(p)
	if text == "" {
		return Reply{Text: r.say(i18n.HelperWebFailed(cutRunes(essentialLines(out, 4), wikiLineLength)))}
	}
	if p.readAt != "" {
		text = joinBlocks(text, r.say(i18n.HelperWebReadAt(p.readAt)))
	}
	return Reply{Text: text}
}

// hostOf returns the host of an address that package intent made.
func hostOf(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

var fullUpgrades = command(machine.FullUpgradesProbe.String())

// news reports the news of Arch Linux, and which are newer than the last full update.
func (q *inquiry) news() Reply {
	r := q.resultOf(q.first)
	if r == nil || len(r.steps) == 0 {
		return q.firstReply()
	}
	p := parseWebPage(r.steps[0].Stdout)
	items, ok := tryRead(machine.ParseArchNews, p.text)
	if !ok || len(items) == 0 {
		return q.toolReply(q.first)
	}
	head := q.say(i18n.HelperWebNews(p.address))
	if last, known := tryRead(machine.ParseLastFullUpgrade, q.stdout(fullUpgrades)); known {
		day := last.Format(time.DateOnly)
		items = machine.NewsSince(items, last)
		if len(items) == 0 {
			return Reply{Text: joinBlocks(q.say(i18n.HelperWebNewsNone(day)), q.readAt(p))}
		}
		head = q.say(i18n.HelperWebNewsSince(day, len(items)))
	}
	lines := each(items[:min(shownNews, len(items))], func(n machine.NewsItem) string { return n.Date + " · " + n.Title + " · " + n.Address })
	return Reply{Text: joinBlocks(head, bullets(lines), q.readAt(p))}
}

// readAt says when a kept page was read, "" if that was now.
func (q *inquiry) readAt(p webPage) string {
	return q.sayIf(p.readAt != "", i18n.HelperWebReadAt(p.readAt))
}

var (
	// wikiResult matches a hit in the list of results of the wiki's search.
	wikiResult = pattern(`^(?:- |\d+\. )?\[([^\]]+)\]\((https://wiki\.archlinux\.org/title/[^)\s]+)\)$`)
	// wikiLink matches a link in a page.
	wikiLink = pattern(`\[([^\]]*)\]\([^)\s]*\)`)
)

// wikiText shows the beginning of a page, or the hits of a search that leads to no page.
func (r *result) wikiText(p webPage) string {
	title := strings.TrimSuffix(p.title, " - ArchWiki")
	if strings.Contains(p.address, "Special:Search") || strings.Contains(p.address, "Special%3ASearch") {
		var hits []string
		for line := range strings.Lines(p.text) {
			if m := wikiResult().FindStringSubmatch(machine.CleanLine(line)); m != nil && len(hits) < shownResults {
				hits = append(hits, m[1]+" · "+m[2])
			}
		}
		if len(hits) == 0 {
			return r.say(i18n.HelperWebFoundNone)
		}
		return joinBlocks(r.say(i18n.HelperWebFound), bullets(hits))
	}
	if title == "" || p.text == "" {
		return ""
	}
	var lines []string
	for line := range strings.Lines(p.text) {
		line = wikiLink().ReplaceAllString(machine.CleanLine(line), "$1")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		if len(lines) == 0 && (strings.HasPrefix(line, "- ") || line == "Related articles") { // the box before the text
			continue
		}
		if lines = append(lines, cutRunes(line, wikiLineLength)); len(lines) == shownWikiLines {
			break
		}
	}
	return joinBlocks(r.say(i18n.HelperWebPage(title, p.address)), quote(strings.Join(lines, "\n")))
}
