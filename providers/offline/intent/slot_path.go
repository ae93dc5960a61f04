package intent

import (
	"cmp"
	"strings"
)

// place is a folder or file system with its common names.
type place struct{ path, texts string }

// placeNamed returns the path of the first place that a request names, "" for none. spaced holds its words separated by
// blanks, flat the same without blanks.
func placeNamed(places []place, spaced, flat string) string {
	for _, p := range places {
		for t := range strings.SplitSeq(p.texts, "|") {
			english := detectLang(t) == "en"
			if english && strings.Contains(spaced, " "+t+" ") || !english && strings.Contains(flat, t) {
				return p.path
			}
		}
	}
	return ""
}

var folders = []place{
	{"~/Downloads", "downloads folder|download folder|downloads directory|download directory|my downloads|downloads|다운로드폴더|다운로드디렉토리|다운로드디렉터리|다운로드에|다운폴더|받은파일폴더|내려받기폴더|다운로드밑|다운로드안|下载文件夹|下载目录|下载里"},
	{"~/Documents", "documents folder|document folder|in documents|my documents|documents directory|문서폴더|도큐먼트폴더|문서디렉토리|文档目录|文档文件夹"},
	{"~/Pictures", "pictures folder|picture folder|in pictures|photos folder|my pictures|사진폴더|그림폴더|图片文件夹|图片目录"},
	{"~/Videos", "videos folder|video folder|in videos|my videos|movies folder|동영상폴더|비디오폴더|영상폴더|视频文件夹|视频目录"},
	{"~/Music", "music folder|my music folder|음악폴더|音乐文件夹|音乐目录"},
	{"~/Desktop", "desktop folder|my desktop|바탕화면|데스크톱폴더|데스크탑폴더|桌面"},
	{"~/.cache", "cache folder|cache directory|캐시폴더|캐시디렉토리|缓存目录"},
	{"~", "home folder|home directory|my home|home dir|in home|홈폴더|홈디렉토리|홈디렉터리|홈에|홈에서|홈밑|홈안|家目录|主目录|用户目录"},
	{"/var/log", "log folder|log directory|logs folder|로그폴더|로그디렉토리|日志目录"},
	{"/", "root directory|root folder|root filesystem|whole disk|entire disk|whole drive|entire system|루트폴더|루트디렉토리|루트에서|루트밑|디스크전체|전체디스크|根目录|整个硬盘|整个磁盘"},
}

// findPath returns the path that a request mentions, "" when it names none.
func findPath(u *utterance) string {
	for i, w := range u.words {
		if w.script != latin {
			continue
		}
		switch p := strings.TrimRight(u.wholePath(i), "/"); {
		case strings.HasPrefix(w.raw, "~/") || w.raw == "~" || strings.HasPrefix(w.raw, "$HOME"):
			return p
		case w.raw == "/":
			return "/"
		case strings.HasPrefix(w.raw, "/") && len(p) > 1 && strings.Count(p, "//") == 0:
			return p
		}
	}
	return cmp.Or(placeNamed(folders, u.spacedWords(), string(u.flat)), folderAfterName(u))
}

// afterPath matches what follows a path without a blank: a Korean particle, the rest of a Chinese sentence.
var afterPath = pattern(`(^|[^/])(?:(?:안?에서?|아래에서?|밑에서?|의|안|를|을|은|는)$|(?:里|中|内|下面|下的|下有` +
	`|的|最|哪|有|目录|文件夹).*$)`)

// wholePath returns the path that begins with word i. Its folders may be in any script: ~/문서/2024.
func (u *utterance) wholePath(i int) string {
	p := u.words[i].raw
	_, rest, _ := strings.Cut(u.raw, p)
	rest, _, _ = strings.Cut(rest, " ")
	if p == "/" || !strings.HasSuffix(p, "/") {
		return p
	}
	return p + afterPath().ReplaceAllString(strings.TrimRight(rest, "?!.,。？！，"), "$1")
}

// folderAfterName reads "my Projects folder" as ~/Projects: a capitalised word directly before "folder".
func folderAfterName(u *utterance) string {
	for i := 1; i < len(u.words); i++ {
		t := u.words[i].text
		prev := u.words[i-1].raw
		isFolder := t == "folder" || t == "directory" || strings.HasPrefix(t, "폴더") || strings.HasPrefix(t, "디렉")
		if isFolder && prev != "" && u.words[i-1].script == latin && prev[0] >= 'A' && prev[0] <= 'Z' && i > 1 {
			return "~/" + prev
		}
	}
	return ""
}

// spacedWords joins the words with single blanks between and around them.
func (u *utterance) spacedWords() string {
	return " " + strings.Join(each(u.words, func(w word) string { return foldWord(w.text) }), " ") + " "
}

var (
	objectDevice = pattern(`^(?:/dev/)?((?:sd|vd|hd|xvd)[a-z]{1,2}\d*|nvme\d+(?:n\d+(?:p\d+)?)?|mmcblk\d+(?:p\d+)?|md\d+|dm-\d+|sr\d+|zram\d+)$`)
	objectNetdev = pattern(`^(?:eth|eno|ens|enp|enx|wlan|wlp|wlo|wls|wlx|tun|tap|wg|docker|br|veth|bond|virbr|ppp|wwan|wwp|tailscale|usb|vlan)\d[\w.-]*$|^(?:enp|wlp|ens|enx|wlx)[\w.-]*\d[\w.-]*$`)
)

var partitions = []place{
	{"/home", "home partition|home file system|home filesystem|홈파티션|홈디스크|home파티션|home分区|家目录分区"},
	{"/boot", "boot partition|boot file system|boot filesystem|efi partition|부트파티션|부팅파티션|efi파티션|boot파티션|启动分区|引导分区|efi分区"},
	{"/", "root partition|root file system|root filesystem|root fs|루트파티션|루트디스크|root파티션|根分区"},
}

// Volume returns the file system that a request names: a mount point or another path, or a device as
// "/dev/NAME"; "" for none.
func (r *Reading) Volume() string {
	if d := r.Device(); d != "" {
		return "/dev/" + d
	}
	for _, w := range r.u.words {
		if p := strings.TrimRight(w.raw, "/"); w.script == latin && strings.HasPrefix(w.raw, "/") && strings.Count(p, "//") == 0 {
			if p == "" {
				return "/"
			}
			return p
		}
	}
	return placeNamed(partitions, r.u.spacedText(), r.u.flatText())
}

// Device returns the disk or partition that a request names, without "/dev/", "" for none.
func (r *Reading) Device() string {
	for _, w := range r.u.words {
		if m := objectDevice().FindStringSubmatch(strings.ToLower(w.raw)); m != nil {
			return m[1]
		}
	}
	return ""
}

// Interface returns the network interface that a request names, "" for none.
func (r *Reading) Interface() string {
	for _, w := range r.u.words {
		if t := strings.ToLower(w.raw); w.script == latin && objectNetdev().MatchString(t) {
			return t
		}
	}
	return ""
}

var (
	mountQuestion = pattern(`(?i)\b(?:is|are|was)\b.*\bmounted\b|\bmounted\s*\?|마운트\s*(?:됐|되어|돼|되었|된)|挂载(?:了|着|没|好)`)
	sizeQuestion  = pattern(`(?i)\bhow (?:big|large)\b|\b(?:size|capacity) of\b|몇\s*(?:기가|테라|gb|tb|g\b|t\b)|크기|용량(?:이|은)?\s*(?:얼마|몇|뭐)|多大|容量`)
	roomQuestion  = pattern(`(?i)\b(?:is there|any|enough|have|got)\b.*\b(?:space|room)\b|(?:공간|자리|용량|여유)\s*(?:이|가|은|는)?\s*(?:좀|아직|더|충분히)?\s*(?:있|남|충분|부족|모자|넉넉)|(?:还有|有没有|有|够)\S{0,4}(?:空间|地方)`)
)

// decideObject answers a question about one named interface or device.
func (r *Reading) decideObject() (Plan, bool) {
	if r.Device() != "" && r.has["health"] && !r.has["@do"] && !r.hasAny("log", "remember", "recall", "write", "howto", "explain") {
		return callPlan(sureScore, Call("check_hardware", "scope", "disk")).because("asks for the health of %s", r.Device()), true
	}
	if r.has["@do"] || r.hasAny("log", "remember", "recall", "write", "howto", "explain", "health", "temperature", "installed", "search") {
		return Plan{}, false
	}
	if r.Interface() != "" && (r.hasAny("connect", "status", "ip", "running", "internet", "wifi", "cause", "look", "slow") || r.has["@question"] || r.has["@short"]) {
		return callPlan(sureScore, Call("check_network", "scope", "ip")).because("asks about the interface %s", r.Interface()), true
	}
	if mountQuestion().MatchString(r.u.raw) && r.Volume() != "" && !r.hasAny("usb", "cause", "why", "error") {
		return callPlan(sureScore, Call("check_disk")).because("asks whether %s is mounted", r.Volume()), true
	}
	if r.Device() != "" && sizeQuestion().MatchString(r.u.raw) && !r.hasAny("full", "free", "usage", "nospace", "takespace") {
		return callPlan(sureScore, Call("run_command", "command", "lsblk -d -P -o NAME,SIZE,TYPE,TRAN,ROTA,MODEL")).because("asks how large %s is", r.Device()), true
	}
	if strings.HasPrefix(r.Volume(), "/") && roomQuestion().MatchString(r.u.raw) && !r.hasAny("takespace", "large", "file", "memory") {
		return callPlan(sureScore, Call("check_disk")).because("asks whether there is room on %s", r.Volume()), true
	}
	if r.Device() != "" && r.hasAny("full", "free", "amount", "usage", "space", "nospace") && !r.hasAny("takespace", "large", "usb") {
		return callPlan(sureScore, Call("check_disk")).because("asks how full %s is", r.Device()), true
	}
	return Plan{}, false
}
