package intent

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// The addresses that this helper opens, after a yes.
const (
	archWiki = "https://wiki.archlinux.org/index.php?"
	// ArchNews lists the news of Arch Linux.
	ArchNews = "https://archlinux.org/news/"
)

// wikiSearches match a request to look something up in the Arch wiki; their group is what.
var wikiSearches = patterns(
	`(?i)^\s*(?:please |can you |could you |would you )*(?:look up|look for|search for|search|find|check|read up on|read|show me|show)\s+(.+?)\s+(?:in|on|from|at)\s+(?:the\s+)?arch\s?(?:linux\s)?wiki\b`,
	`(?i)\b(?:search|check|consult|ask|look (?:it up )?in|read|open)\s+(?:the\s+)?arch\s?(?:linux\s)?wiki\s+(?:for|about|on)\s+(.+)$`,
	`(?i)\bwhat does (?:the\s+)?arch\s?(?:linux\s)?wiki say (?:about|on)\s+(.+)$`,
	`(?i)(?:아치|arch)\s*(?:리눅스|linux)?\s*(?:위키|wiki)(?:에서|에|의|로|한테)\s*(.+?)(?:을|를)?(?:\s*(?:에\s*대해서?|에\s*관해서?|관련\s*(?:글|문서)?|페이지|문서)(?:을|를)?)?\s*(?:좀\s*)?(?:찾|검색|알아|보여|읽|봐)`,
	`(?i)^\s*(.+?)(?:을|를|은|는)?\s*(?:아치|arch)\s*(?:리눅스|linux)?\s*(?:위키|wiki)(?:에서|에)\s*(?:좀\s*)?(?:찾|검색|알아|보여|읽|봐)`,
	`(?i)(?:在|去|到)?\s*arch\s*(?:linux)?\s*(?:wiki|维基|維基)\s*(?:上|里|裡|中)?\s*(?:面)?\s*(?:搜索|搜尋|搜一下|查找|查一下|查一查|查询|查詢|找一下|查|找|搜)\s*(.+)$`,
)

// newsQuestion matches a question about the news of Arch Linux.
var newsQuestion = pattern(`(?i)\barch(?:\s?linux)?(?:'s)?\s+(?:linux\s+)?news\b|\bnews (?:about|from|on|for|of) arch(?:\s?linux)?\b` +
	`|(?:아치|arch)\s*(?:리눅스|linux)?\s*(?:에\s*)?(?:새\s*|최신\s*|최근\s*)?(?:뉴스|소식|공지)|arch\s*(?:linux)?\s*(?:的|有什么|有什麼|有没有|有沒有|最新|最近)*\s*(?:新闻|新聞|消息|公告)` +
	`|\bnews\b[^.?!]*\b(?:before|since)\b[^.?!]*\b(?:updat|upgrad)\w*|\b(?:before|since)\b[^.?!]*\b(?:updat|upgrad)\w*[^.?!]*\bnews\b` +
	`|(?:업데이트|업그레이드)\s*(?:하기\s*)?(?:전|이후|후)에?\s*(?:볼|봐야\s*할|읽을|읽어야\s*할|확인할|알아야\s*할|나온|새로운?)?\s*(?:만한\s*)?(?:뉴스|소식|공지)` +
	`|(?:更新|升级|升級)(?:之?前|以来|以來|之?后|之?後)\S{0,8}(?:新闻|新聞|消息|公告)`)

// maxSearch bounds what is looked up, in characters.
const maxSearch = 80

// decideArch recognises a request for a page of the Arch wiki or the news of Arch Linux: the only web pages that this
// helper opens.
func (r *Reading) decideArch() (Plan, bool) {
	if _, repeats := findRecurrence(r.u.raw); repeats || r.u.data != "" || prohibition().MatchString(r.u.raw) {
		return Plan{}, false
	}
	for _, search := range wikiSearches() {
		m := search.FindStringSubmatch(r.u.raw)
		if m == nil {
			continue
		}
		what := strings.Trim(strings.Join(strings.Fields(m[1]), " "), " \"'“”‘’「」?!.,。？！，`")
		if n := utf8.RuneCountInString(what); n == 0 || n > maxSearch {
			continue
		}
		address := archWiki + url.Values{"title": {"Special:Search"}, "search": {what}, "go": {"Go"}}.Encode()
		return callPlan(sureScore, Call("fetch_page", "url", address)).because("asks for a page of the Arch wiki"), true
	}
	if newsQuestion().MatchString(r.u.raw) {
		return callPlan(sureScore, Call("fetch_page", "url", ArchNews)).because("asks for the news of Arch Linux"), true
	}
	return Plan{}, false
}
