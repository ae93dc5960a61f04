package intent

import (
	"net/url"
	"slices"
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

var (
	// aurWords match the AUR or its build recipes.
	aurWords    = pattern(`(?i)\baur(?:\b|[가-힣\x{4e00}-\x{9fff}])|\bpkgbuilds?(?:\b|[가-힣\x{4e00}-\x{9fff}])`)
	recipeWords = pattern(`(?i)\bpkgbuilds?(?:\b|[가-힣\x{4e00}-\x{9fff}])|\b(?:build )?recipe\b|레시피|构建脚本`)
	// doubtsSafety matches doubts about something, checksRecipe requests to read a recipe.
	doubtsSafety = pattern(`(?i)\bsafe(?:ly|ty)?\b|\btrust\w*|\bmalicious|\bmalware|\bvirus|\bdanger\w*|\brisky\b|\blegit\b|\bsuspicious|\bok(?:ay)? to (?:install|use|build)|안전|믿[어을]|악성|위험|수상|괜찮[아은을]|安全|可信|靠谱|恶意|病毒|危险|放心`)
	checksRecipe = pattern(`(?i)\b(?:check|review|inspect|audit|vet|look (?:at|over|into)|read|verify|scan|examine)\b|검사|점검|확인|검토|살펴|봐|检查|审查|审核|看|查`)
	// recipeStops are words of such requests that are no package.
	recipeStops = set(strings.Fields("aur pkgbuild pkgbuilds package packages recipe build arch linux yay paru pacman safe trust install")...)
)

// recipeCheck is the command that reads a build recipe without running it.
const recipeCheck = "blunux-ai aur check -- "

// decideRecipe recognises the question whether a package of the AUR is safe, and asks for its name if it has none.
func (r *Reading) decideRecipe() (Plan, bool) {
	raw := r.u.raw
	asked := doubtsSafety().MatchString(raw) || recipeWords().MatchString(raw) && checksRecipe().MatchString(raw)
	if !aurWords().MatchString(raw) || !asked || r.u.data != "" || r.hasAny("remember", "recall", "howto") || r.forbids() {
		return Plan{}, false
	}
	target := r.recipeTarget()
	if target == "" {
		p := askPlan("recipe", "recipe", "").because("asks whether a package of the AUR is safe, without its name")
		p.Score = sureScore
		return p, true
	}
	return recipePlan(target).because("asks whether the build recipe of %s is safe", target), true
}

// recipeTarget returns the path or the package that a request names, "" without one.
func (r *Reading) recipeTarget() string {
	if path := findPath(r.u); path != "" && onlyPathCharacters().MatchString(path) {
		return path
	}
	for i, w := range r.u.words {
		name := strings.ToLower(w.raw)
		if w.script != latin || recipeStops[name] || !packageName().MatchString(name) {
			continue
		}
		if r.isUnknownName(w) || r.isNameWord(i) && (strings.Contains(name, "-") || !r.isAmbiguous(hit{start: w.start, end: w.end})) {
			return name
		}
	}
	if n := r.anyName(); n != nil && !recipeStops[n.Package] {
		return n.Package
	}
	return ""
}

// onlyPathCharacters matches a path that a shell leaves as it is.
var onlyPathCharacters = pattern(`^~?[\w./@+-]+$`)

func recipePlan(target string) Plan {
	return callPlan(sureScore, Call("run_command", "command", recipeCheck+target))
}

var (
	upgradeWord = `(?:system |full |whole )?(?:updat|upgrad)\w*`
	upgradeKo   = `(?:업데이트|업뎃|업그레이드|업글)`
	// upgradePreview matches a question what an upgrade of all packages would do, or whether it is safe now.
	upgradePreview = pattern(`(?i)\bwhat(?:'s|'ll)?\b[^.?!]*\b(?:would|will|'ll|going to|gonna|happens?|changes?|breaks?)\b[^.?!]*\b` + upgradeWord + `\b` +
		`|\bwhat (?:does|do|would|will) (?:an?|the|this|my)? ?` + upgradeWord + `\b[^.?!]*\b(?:do|change|break|bring|replace|remove)\b` +
		`|\bwhat (?:an?|the|this) ` + upgradeWord + ` (?:would|will|does|brings?|changes?)\b` +
		`|\b(?:if|when) (?:i|we) ` + upgradeWord + `\b[^.?!]*\b(?:what|will|would|anything)\b` +
		`|\b(?:safe|ok(?:ay)?|fine|wise|risky|dangerous|good (?:idea|time|moment|day))\b[^.?!]*\b` + upgradeWord + `\b` +
		`|\b(?:can|should|may|could) (?:i|we)\b[^.?!]*\b` + upgradeWord + `\b[^.?!]*\b(?:safely|now|today|tonight|without)\b|\b(?:can|should|may) (?:i|we) safely ` + upgradeWord + `\b` +
		`|\b(?:will|would|could|might|does|do|is|can|going to)\b[^.?!]*\b` + upgradeWord + `\b[^.?!]*\b(?:break|breaks|breaking|brick|harm|damage|replace|conflicts?)\b` +
		`|\b(?:does|will|would)\b (?:the|an?|this) ` + upgradeWord + `\b[^.?!]*\b(?:need|require)s?\b[^.?!]*\b(?:reboot|restart)` +
		`|\b(?:preview|simulate|dry[- ]?run)\b[^.?!]*\b` + upgradeWord + `\b|\b` + upgradeWord + ` (?:preview|dry[- ]?run|simulation)\b` +
		`|` + upgradeKo + `(?:를|을)?\s*(?:하|돌리)(?:면|게\s*되면|고\s*나면)[^.?!]*(?:뭐|뭘|무엇|무슨|어떤|어떻게|바뀌|바뀔|달라|깨[지질져]|문제|위험|영향|망가|재부팅|이상|괜찮)` +
		`|` + upgradeKo + `(?:를|을)?\s*(?:해도|돌려도)\s*(?:돼|되|될|괜찮|안전|문제|상관|별\s*일|탈)` +
		`|` + upgradeKo + `(?:를|을)?\s*하기\s*전에[^.?!]*(?:달라|바뀌|바뀔|깨|뭐)|` + upgradeKo + `(?:가|이|는|은)?\s*(?:지금\s*)?안전` +
		`|` + upgradeKo + `\s*(?:를|을|내용을?|결과를?)?\s*(?:미리\s*(?:보기|보여|봐|알려|확인|볼)|시뮬)|미리[^.?!]*` + upgradeKo + `[^.?!]*(?:보여|봐|알려|확인)` +
		`|(?:更新|升级|升級)[^。？！]{0,6}(?:会|會|将)[^。？！]*(?:改|变|變|坏|壞|影响|影響|动|怎样|怎么样|什么|什麼|问题)|(?:更新|升级|升級)[^。？！]{0,4}(?:安全|有风险|有問題|有问题|稳吗)` +
		`|(?:可以|能|能不能|可不可以|安全)(?:放心|安全)?(?:地)?(?:更新|升级|升級)(?:系统)?(?:吗|嗎|么|$)|(?:预览|預覽|模拟|试算)[^。？！]{0,4}(?:更新|升级|升級)|(?:更新|升级|升級)(?:的)?(?:预览|預覽)`)
	// upgradePast matches a question about an upgrade that was made.
	upgradePast = pattern(`(?i)\b(?:last|previous|yesterday\S*|changed|broke|did|was|were|after|since|happened)\b|바뀌었|바뀐|바꼈|달라졌|지난|마지막|어제|이후|하고\s*나서|했더니|됐|了什么|上次|昨天|之前的`)
)

// decidePreview recognises the question what an upgrade of all packages would do. It never starts one.
func (r *Reading) decidePreview() (Plan, bool) {
	raw := r.u.raw
	if !upgradePreview().MatchString(raw) || upgradePast().MatchString(raw) || r.u.data != "" || r.otherDevice() != "" ||
		r.hasAny("remember", "recall") || looksLikeCommand(strings.TrimSpace(raw)) || r.namesOnePackage() {
		return Plan{}, false
	}
	if _, repeats := findRecurrence(raw); repeats {
		return Plan{}, false
	}
	return callPlan(sureScore, Call("preview_upgrade", "lang", r.u.lang)).because("asks what an upgrade would do"), true
}

// namesOnePackage reports whether a request names a program other than those that upgrade all.
func (r *Reading) namesOnePackage() bool {
	return slices.ContainsFunc(r.namesIn(0, len(r.u.flat)), func(n *Name) bool {
		return n.Package != "pacman" && n.Package != "yay" && n.Package != "paru"
	})
}

// ownerQuestions match a complete question which package has a file or a command. The first non-empty group is the file
// or the command. A bare name needs words that ask neither what a package is for nor what to install.
var ownerQuestions = pattern(ownerForms())

func ownerForms() string {
	const (
		path      = `(/[A-Za-z0-9._/+@-]+)`
		name      = `([A-Za-z0-9][A-Za-z0-9._+@-]*)`
		kind      = `(?:the )?(?:file |command |program |binary |library )?`
		kindAfter = `(?: (?:file|command|program|binary|library))?`
		koKind    = `\s*(?:명령어?|파일|실행\s*파일|라이브러리)`
		koJosa    = `\s*(?:은|는|이|가|을|를)?\s*`
		koEnd     = `[\p{Hangul} ]{0,12}[?.!~]*\s*$`
		zhKind    = `\s*(?:命令|文件|程序|库)`
	)
	var forms []string
	for _, ask := range []struct{ target, has string }{
		{path, `owns|has|contains|provides|ships|installed|installs|includes|brought`},
		{name, `owns|installed|brought`},
	} {
		target, has := ask.target, ask.has
		forms = append(forms,
			`^\s*(?:please |tell me |do you know |can you tell me )*(?:which|what) package (?:`+has+`) `+kind+target+kindAfter+`\s*[?.!]*\s*$`,
			`^\s*(?:please |tell me |do you know |can you tell me )*(?:which|what) package (?:is|does|did) `+kind+target+kindAfter+
				` (?:in|from|part of|belongs? to|come from)\s*[?.!]*\s*$`,
			`^\s*(?:어느|어떤|무슨)\s*패키지(?:가|에서|에|의)?\s*`+target+koKind+`?`+koJosa+`(?:설치|제공|포함|들어|가지고|갖고|깔|있)`+koEnd,
			`^\s*`+target+koKind+`?`+koJosa+`어느\s*패키지`+koEnd,
			`^\s*`+target+koKind+koJosa+`(?:어떤|무슨)\s*패키지`+koEnd,
			`^\s*`+target+koJosa+`(?:어떤|무슨)\s*패키지\s*(?:꺼|거|것|소속|에서|에\s*(?:들|포함|있|속))`+koEnd,
			`^\s*`+target+zhKind+`?\s*(?:是|属于|来自|在)\s*(?:哪个|哪一个)\s*(?:软件)?包(?:的|里的?|提供的|安装的|中的?)?\s*[?？。吗呢]*\s*$`,
			`^\s*(?:哪个|哪一个)\s*(?:软件)?包(?:拥有|安装了?)\s*`+target+zhKind+`?\s*[?？。吗呢]*\s*$`)
	}
	return `(?i)` + strings.Join(forms, "|")
}

// decideOwner asks pacman which package has a file. pacman looks for a name without a slash in PATH (pacman(8), -Qo).
func (r *Reading) decideOwner() (Plan, bool) {
	m := ownerQuestions().FindStringSubmatch(r.u.raw)
	if m == nil || r.u.data != "" {
		return Plan{}, false
	}
	file := strings.Join(m[1:], "")
	return callPlan(sureScore, Call("run_command", "command", "pacman -Qo -- "+file)).because("asks which package has %s", file), true
}
