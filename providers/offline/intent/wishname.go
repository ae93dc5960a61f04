package intent

import (
	"regexp"
	"strings"
	"sync"
)

var (
	politeStart = pattern(`(?i)^\s*(?:(?:please|pls|plz|hey|hi|hello|ok|okay|so|now|just|um|uh|yo|hey computer|computer|can you|could you|would you|will you|can u|could u|i want you to|i'd like you to|i need you to|i want to|i'd like to|i need to|i wanna|let'?s|go ahead and|quickly|kindly|be a dear and)[, ]+)+`)
	politeEnd   = pattern(`(?i)(?:[, ]+(?:please|pls|plz|thanks|thank you|thx|for me|now|right now|real quick|quickly|will you|would you|ok|okay|mate|dude|buddy|already))+\s*[.!?~]*\s*$|[\s.!?~。！？…ㅋㅎㅠㅜ^;]+$`)
)

// trimPoliteness returns a request without the words that only make it polite, and the marks at its end.
func trimPoliteness(raw string) string {
	for range 3 {
		raw = politeEnd().ReplaceAllString(politeStart().ReplaceAllString(raw, ""), "")
	}
	return strings.TrimSpace(raw)
}

// wishTable is one kind of names of wishnames.tsv: what people say, and the name that the tool takes.
type wishTable []struct {
	name  string
	words func() *regexp.Regexp
}

var wishNames = sync.OnceValue(func() map[string]wishTable {
	all := map[string]wishTable{}
	rows("wishnames.tsv", func(f []string) {
		all[f[0]] = append(all[f[0]], struct {
			name  string
			words func() *regexp.Regexp
		}{f[1], pattern(`(?i)` + f[2])})
	})
	return all
})

// wishName returns the name of a kind that a text has, "" for none.
func wishName(kind, text string) string {
	for _, row := range wishNames()[kind] {
		if row.words().MatchString(text) {
			return row.name
		}
	}
	return ""
}

var (
	address   = pattern(`(?i)\b((?:https?://)?(?:[a-z0-9-]+\.)+(?:com|org|net|kr|io|dev|co|cn|jp|de|uk|edu|gov|me|tv|app|ai|info|xyz|wiki)(?:/[^\s\p{Hangul}\p{Han}]*)?)`)
	zoneWord  = pattern(`\b([A-Z][a-z]+/[A-Z][A-Za-z_]+)`)
	quoted    = pattern(`["'“‘「『《]([^"'”’」』》]+)["'”’」』》]`)
	fileWord  = pattern(`(?i)(\S+\.(?:pdf|docx?|xlsx?|pptx?|hwpx?|txt|md|odt|ods|png|jpe?g|gif|mp4|mkv|mp3|zip|csv|html?|epub))`)
	pathWord  = pattern(`((?:~|/[a-z]+)?/[^\s\p{Hangul}\p{Han}]+)`)
	hostWord  = pattern(`(?i)([a-z0-9][a-z0-9-]{0,62})`)
	particles = pattern(`(?:이라는|라는|이라고|라고|이란|에다가|에다|으로|에서|에게|한테|하고|이랑|을|를|은|는|이|가|에|로|랑|와|과|의|도)$`)
)

// wishObject returns the object of a kind from the part of a request that a line marks, or from all of it.
func (r *Reading) wishObject(kind, group, text string) string {
	if m := quoted().FindStringSubmatch(text); m != nil && kind != "find" && kind != "find-name" {
		group = m[1]
	}
	switch kind {
	case "app":
		return r.appName(group, text)
	case "url":
		if m := address().FindStringSubmatch(text); m != nil {
			return strings.TrimRight(m[1], ".,")
		}
		return wishName("site", text)
	case "folder":
		if name := wishName("folder", text); name != "" {
			return name
		}
		if m := pathWord().FindStringSubmatch(text); m != nil {
			return m[1]
		}
		return ""
	case "file":
		if m := pathWord().FindStringSubmatch(text); m != nil && group == "" {
			return m[1]
		}
		if m := fileWord().FindStringSubmatch(text); m != nil {
			return cleanName(strings.Trim(m[1], `"'“”‘’`))
		}
		if name := cleanName(group); !isPronoun().MatchString(name) {
			return name
		}
		return ""
	case "zone":
		if m := zoneWord().FindStringSubmatch(text); m != nil {
			return m[1]
		}
		return wishName("zone", text)
	case "layout", "sink", "locale":
		return wishName(kind, text)
	case "host":
		if m := hostWord().FindStringSubmatch(group); m != nil {
			return m[1]
		}
		return group // a name in another script, which the plan refuses with the reason
	case "find":
		return findObject(group, text)
	case "device":
		return deviceName(group)
	case "text":
		if m := quoted().FindStringSubmatch(text); m != nil {
			return m[1] // exactly
		}
		if m := codeText().FindStringSubmatch(group); m != nil {
			return m[1]
		}
		return cleanName(group)
	case "network":
		return networkName(group)
	}
	return ""
}

var cleaners = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`^(?:the|my|our|this|that|to|with|a|an|network|[Ww]i-?[Ff]i|wifi network|called|named|내|제|우리|저기|그|이|나의|我的|这个|那个|名为|叫|到|上)\s+`),
		regexp.MustCompile(`^(?:我的|这个|那个|名为|叫做?|连接?到?|连上|到)`),
		// A Latin word is not cut apart: HomeWiFi, WhatsApp.
		regexp.MustCompile(`(?i)(?:\s+|(\p{Hangul}|\p{Han}))(?:wi-?fi|network|hotspot|device|file|app|program|window)$|\s*(?:와이파이|와파|네트워크|블루투스|기기|장치|파일|무선|앱|프로그램|无线网络|网络|设备|这个|蓝牙|文件|的)$`),
		particles(),
	}
})

// cleanName returns a name without articles, particles and the word for what it is.
func cleanName(name string) string {
	name = strings.TrimSpace(strings.Trim(strings.TrimSpace(name), `"'“”‘’「」『』《》`))
	for range 2 {
		for _, c := range cleaners() {
			if short := strings.TrimSpace(c.ReplaceAllString(name, "$1")); short != "" {
				name = short
			}
		}
	}
	return strings.Trim(strings.TrimSpace(name), `"'“”‘’`)
}

// ssidWord matches a word that only the name of a network is: it has a digit, a line or a hyphen.
var ssidWord = pattern(`[A-Za-z0-9][\w.@-]*[\d_-][\w.@-]*`)

// networkName returns the name of a network. A name of Latin letters differs from other words around it.
func networkName(group string) string {
	group, _, _ = strings.Cut(strings.ReplaceAll(group, "，", ","), ",")
	if found := ssidWord().FindAllString(group, -1); len(found) == 1 && detectLang(group) != "en" {
		return found[0]
	}
	return cleanName(group)
}

var (
	codeText   = pattern(`(?i)\b(?:number|code|번호|코드)\s*(?:is|는|은|:)?\s*([\d][\d-]{3,})$`)
	reasonTail = pattern(`(?i)\s+(?:so|and|because|cause|since|before|please|again|now|already|to my (?:laptop|computer|pc)|from my (?:laptop|computer|pc))\b.*$`)
	deviceKind = pattern(`(?i)^(?:새(?:로\s*산)?\s*|new\s+)?(?:헤드폰|헤드셋|이어폰|마우스|키보드|스피커|headphones?|headset|ear(?:bud|phone)s?|mouse|keyboard|speaker|耳机|鼠标|键盘|音箱)\s+([\p{L}\d].*)$`)
)

// deviceName returns the name of a device without its kind, if it has a name besides.
func deviceName(group string) string {
	name := cleanName(reasonTail().ReplaceAllString(group, ""))
	if m := deviceKind().FindStringSubmatch(name); m != nil {
		return m[1]
	}
	if known := wishName("device", name); known != "" {
		return known
	}
	if isGenericDevice().MatchString(name) {
		return ""
	}
	return name
}

var isGenericDevice = pattern(`(?i)^(?:device|something|it|기기|장치|새\s*기기|这个|设备|新设备|bluetooth|블루투스|蓝牙|a new device|new device)$`)

// appName returns a program: the name of the lexicon, or that of wishnames.tsv, or as it was typed.
func (r *Reading) appName(group, text string) string {
	name := cleanName(reasonTail().ReplaceAllString(group, ""))
	if name == "" || isPronoun().MatchString(name) || clauseEnds().MatchString(group+" ") {
		return ""
	}
	if known := wishName("app", name); known != "" {
		return known
	}
	for _, word := range []string{name, strings.ReplaceAll(name, " ", "")} {
		if n := r.lex.lookUpName(word); n != nil && (n.Kind == "app" || clearlyProgram().MatchString(text)) {
			return n.Package
		}
	}
	if !clearlyProgram().MatchString(text) || len(strings.Fields(name)) > 2 || noProgram().MatchString(name) {
		return ""
	}
	return strings.ToLower(name)
}

var (
	// clearlyProgram matches verbs that fit hardly anything but programs, so that an unknown word is one.
	clearlyProgram = pattern(`(?i)\b(?:open|launch|close|quit|exit|force|default|from now on|always|login|log ?in|sign ?in|startup (?:apps?|programs?))\b|로그인|시작\s*프로그램|登录|启动项|열어|실행|띄워|닫아|강제|강종|기본|앞으로|항상|打开|启动|開啟|关闭|退出|默认|强制|以后`)
	noProgram      = pattern(`(?i)으로|\bdocument|\bfile|一年|(?:^|\s)창$|정보|목록|상태|에러|오류|사양|시간|결과|이력|내용|메뉴|기능|(?:재|제|껐다|시|까지|부터|에서)$|\d{2,}%|时间|链条|单元|转圈|耗时|最长|多久|信息|列表|脚本|服务|状态|\b(?:info|list|errors?|status|results?|memory|menu|door|window|by|with|at|on)\b`)
)

var (
	isPronoun  = pattern(`(?i)^(?:it|this|that|them|these|those|something|everything|이거|그거|저거|이것|그것|걔|그|이|뭐|다|불|这个|那个|它|东西|一下|이번|저|요|这|这份|这张)$`)
	anyFile    = pattern(`(?i)^(?:파일|문서|것|거|걸|그거|files?|documents?|stuff|things?|it|one|文件|东西|个|下载的(?:东西|文件)|(?:내가\s*)?(?:받은|작업한|만든|찍은|저장한)\s*(?:파일|거|것|문서)?)$`)
	calledName = pattern(`(?i)\b(?:called|named|with the name|titled)\s+([\w.-]+(?: (?-i:[A-Z])[\w.-]+)*)|(?:이름이|제목이)\s*(\S+?)(?:인|이라|라|\s)|(\S+?)\s*(?:이?라는|이란)\s*(?:이름|제목)?|(?:叫做?|名为|名叫)(\S+?)(?:的|$)`)
)

// findObject returns what a file is looked for by: its name, type:KIND and age:TIME.
func findObject(group, text string) string {
	var words []string
	if name := cleanName(reasonTail().ReplaceAllString(group, "")); name != "" && !anyFile().MatchString(name) && wishName("filetype", name) == "" && wishName("fileage", name) == "" {
		words = append(words, name)
	}
	if m := calledName().FindStringSubmatch(text); m != nil {
		words = []string{cleanName(strings.Join(m[1:], ""))}
	}
	if m := quoted().FindStringSubmatch(text); m != nil {
		words = []string{strings.TrimSpace(m[1])}
	}
	if m := fileWord().FindStringSubmatch(text); m != nil {
		words = []string{m[1]}
	}
	if kind := wishName("filetype", text); kind != "" && len(words) == 0 || kind != "" && !strings.Contains(strings.Join(words, " "), ".") {
		words = append(words, "type:"+kind)
	}
	if age := wishName("fileage", text); age != "" {
		words = append(words, "age:"+age)
	}
	return strings.Join(words, " ")
}
