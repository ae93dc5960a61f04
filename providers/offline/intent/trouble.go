package intent

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The kinds of package and permission problems with their own diagnosis.
const (
	TroubleLock      = "lock"      // pacman's database is locked
	TroubleSignature = "signature" // invalid signature or keyring
	TroubleDatabase  = "database"  // the package lists or the database are damaged or unavailable
	TroubleSudo      = "sudo"      // no administrator rights
)

var (
	troubleAbout     = pattern(`(?i)업그레이드|\b(?:pacman|yay|paru|packages?|updates?|updating|upgrad\w+|databases?|repos?|repositor\w+|mirrors?|keyrings?|pgp|gpg|alpm|install\w*)\b|패키지|업데이트|업뎃|설치|팩맨|데이터베이스|저장소|미러|키링|软件包|更新|升级|安装|数据库|仓库|镜像|密钥环`)
	troubleLock      = pattern(`(?i)\b(?:unable|failed|cannot|can't|could not|couldn't) (?:to )?lock (?:the )?database|\bdatabase (?:is )?(?:still )?locked|\bdb\.lck\b|\bpacman (?:is )?locked|(?:데이터베이스|디비|db|팩맨|pacman|패키지\s*관리자)\S*\s*(?:가|이|는|은)?\s*(?:잠겨|잠김|잠겼|락)|数据库\S{0,4}(?:锁|鎖)`)
	troubleSignature = pattern(`(?i)\b(?:keyrings?|pgp|signatures?)\b.*\b(?:broken|invalid|bad|unknown|corrupt\w*|marginal|trust|error|errors|fail\w*|not|cannot|wrong|expired|problem|issue|trouble)\b|\b(?:invalid|bad|unknown|corrupt\w*|marginal|wrong|expired|could not verify)\b.*\b(?:keyrings?|pgp|signatures?|trust)\b|(?:키링|서명|pgp).*(?:오류|에러|안|못|깨|무효|신뢰|잘못|실패|문제|만료|이상)|(?:签名|密钥环|pgp).*(?:无效|错误|失败|损坏|未知|信任|不对|问题|过期)`)
	troubleSign      = pattern(`(?i)\b(?:keyring|pgp|corrupted package|unknown trust|marginal trust)\b|pgp|키링|신뢰|密钥环|信任`)
	troubleDesktop   = pattern(`(?i)gnome[ -]?keyring|\blogin keyring|\bkeyring\b.*\b(?:unlock\w*|password|log(?:ged|s)? ?in)\b|키링.*(?:비밀번호|비번|암호|잠금|로그인)|로그인.*키링|(?:密钥环|钥匙环).*(?:密码|解锁|登录)|登录.*(?:密钥环|钥匙环)|kwallet|seahorse|\bemail\b|\bmail\b|이메일|전자 ?서명|邮件`)
	troubleDatabase  = pattern(`(?i)\b(?:no (?:usable )?(?:package )?repositor\w+|failed (?:to )?(?:synchroni[sz]\w+|retriev\w+|commit\w*|prepar\w*|updat\w+)|(?:package|pacman|local|core|extra)\S* database.*\b(?:corrupt\w*|damaged|broken|invalid|not valid|missing)|database\b.*\bnot valid|conflicting files|exists in filesystem|mirror\w*.*\b(?:404|error|fail\w*|dead|broken|timed? ?out)|\b404\b)|(?:패키지|팩맨|pacman)\s*(?:데이터베이스|디비|db)\S*\s*\S*(?:깨|손상|망가|고장)|미러.*(?:오류|에러|404|안|못)|저장소\S*\s*(?:하나도\s*)?(?:없|안|못)|数据库.*(?:损坏|坏|无效)|镜像.*(?:404|错误|失败|不能)|没有(?:配置)?(?:任何)?(?:软件)?仓库`)
	troubleUpdate    = pattern(`(?i)\b(?:can ?n?['o]?t|could ?n['o]?t|unable to|fail(?:s|ed)? to) (?:even )?(?:update|upgrade)\b|\b(?:updat\w+|upgrad\w+|pacman -Syu|yay -Syu|yay)\b[^.?!]{0,20}\b(?:fails?|failed|failing|does ?n['o]?t work|does not work|is broken|aborts?|stops?|errors? out)\b|(?:업데이트|업뎃|업그레이드)(?:가|이|는|도|를|을)?\s*(?:계속|자꾸|또|전혀)?\s*(?:안\s*[되돼된됨됩됐]|못\s*[하해]|실패|막[혀혔]|중단)|(?:更新|升级|升級)(?:总是|一直)?(?:失败|失敗|不了|出错|报错)|(?:无法|不能)(?:更新|升级)`)
	// troubleAlpm matches libalpm's own messages: lib/libalpm/error.c, and conflict.c.
	troubleAlpm = pattern(`(?i)exists in filesystem|failed to (?:commit|prepare) transaction|could not satisfy dependencies|conflicting (?:files|dependencies)`)
	troubleSudo = pattern(`(?i)\bsudo(?:ers)?\b|수도\s*권한|관리자\s*(?:권한|비밀번호)|\b(?:root|administrator|admin) (?:rights|privileges|permissions?)\b|(?:root|管理员|超级用户)\s*权限`)
)

// Trouble returns the kind of package or permission problem that a request describes or quotes, "" for none.
func (r *Reading) Trouble() string {
	raw := r.u.raw
	quoted := troubleLock().MatchString(raw) || troubleAlpm().MatchString(raw) || troubleSignature().MatchString(raw) && troubleSign().MatchString(raw)
	if r.u.data != "" || r.has["@do"] && !quoted && !r.hasAny("error", "cause") ||
		r.hasAny("remember", "recall", "write", "@since", "log") || r.otherDevice() != "" ||
		r.RequestsUndo() || troubleDesktop().MatchString(raw) {
		return ""
	}
	if troubleSudo().MatchString(raw) && (sudoTrouble(raw) || r.has["cause"]) &&
		!looksLikeCommand(strings.TrimSpace(raw)) {
		return TroubleSudo
	}
	if !quoted && (len(r.namesIn(0, len(r.u.flat))) > 0 && !strings.Contains(strings.ToLower(raw), "pacman") ||
		!troubleAbout().MatchString(raw)) {
		return ""
	}
	switch {
	case troubleLock().MatchString(raw):
		return TroubleLock
	case troubleSignature().MatchString(raw):
		return TroubleSignature
	case troubleDatabase().MatchString(raw), troubleAlpm().MatchString(raw), troubleUpdate().MatchString(raw):
		return TroubleDatabase
	}
	return ""
}

// sudoTrouble reports whether a text describes a problem with sudo.
func sudoTrouble(raw string) bool {
	return containsAny(strings.ToLower(raw), "not in", "sudoers", "password", "forgot", "forget", "reject", "den", "wrong", "broken", "not work", "can't", "cannot", "doesn't", "anymore", "안 ", "안돼", "안되", "없", "잊", "틀", "비밀번호", "거부", "못", "不", "密码", "忘", "拒绝", "失败", "没有")
}

// troubleSteps are the first steps for each kind of problem.
var troubleSteps = map[string]Step{
	TroubleLock:      Call("run_command", "command", "ls -l --time-style=long-iso /var/lib/pacman/db.lck"),
	TroubleSignature: Call("run_command", "command", "pacman -Q archlinux-keyring"),
	TroubleDatabase:  Call("check_updates"),
	TroubleSudo:      Call("run_command", "command", "id"),
}

// decideTrouble recognises described or quoted problems with pacman's database, its signatures and sudo. It
// runs a read-only step.
func (r *Reading) decideTrouble() (Plan, bool) {
	kind := r.Trouble()
	if kind == "" {
		return Plan{}, false
	}
	look := troubleSteps[kind]
	p := callPlan(sureScore, Step{look.Tool, maps.Clone(look.Input)}).
		because("a problem with packages or rights: %s", kind)
	return p, true
}

var (
	// restartsPattern matches a complaint that something is started again and again.
	restartsPattern = pattern(`(?i)\bkeeps? (?:on )?(?:re-?starting|crashing|dying|failing|flapping)\b|\b(?:re-?starts?|crash(?:es)?|dies) (?:over and over|again and again|all the time|constantly|in a loop)\b|\b(?:crash|restart)[ -]loop\w*\b` +
		`|(?:자꾸|계속|반복해서|끊임없이|무한)\s*(?:다시\s*시작|재시작|재시동|죽|크래시|실패)|(?:다시\s*시작|재시작)(?:을|만)?\s*(?:자꾸|계속|반복|무한)` +
		`|(?:一直|不断|不停|老是|反复|总是|总|老)(?:地|在|的)*(?:重启|重新启动|崩溃|挂|失败)|(?:重启|重新启动)(?:个)?(?:不停|循环)`)
	// startLimit matches what systemd writes when it gives up: systemd.unit(5), StartLimitBurst=.
	startLimit = pattern(`(?i)\bstart[ -]limit\b|\bstart request repeated\b|시작\s*(?:한도|횟수\s*제한)|启动(?:次数)?(?:限制|上限)`)
	// wholeComputer matches words for this computer.
	wholeComputer = pattern(`(?i)\b(?:computer|laptop|pc|machine|system|desktop|notebook|reboot\w*|arch)\b|컴퓨터|컴이|컴은|노트북|피시|피씨|시스템|재부팅|데스크톱|본체|电脑|计算机|笔记本|机器|系统|主机|开机`)
)

// TellsOfRestarts reports whether a request complains about a service that is started again and again, and names neither
// a program nor the computer.
func (r *Reading) TellsOfRestarts() bool {
	quoted := startLimit().MatchString(r.u.raw)
	return (quoted || restartsPattern().MatchString(r.u.raw)) && !wholeComputer().MatchString(r.u.raw) && r.otherDevice() == "" && r.u.data == "" &&
		(quoted || !r.has["@do"]) && len(r.names) == 0 && !r.hasAny("wifi", "internet", "sound", "bluetooth", "usb", "process", "remember", "recall", "write", "update", "package", "disk", "@since")
}

// decideRestarts looks for the service that is started again and again: the one that is named, or those that failed.
func (r *Reading) decideRestarts() (Plan, bool) {
	if !r.TellsOfRestarts() {
		return Plan{}, false
	}
	unit := r.unknownName()
	switch {
	case r.has["@unit"]: // is looked at by its name
		return Plan{}, false
	case unit != "" && !isLatin(unit), unit == "" && !startLimit().MatchString(r.u.raw) && r.hasAny("app"):
		return Plan{}, false
	case unit != "" && !startLimit().MatchString(r.u.raw):
		return callPlan(sureScore, Call("check_service", "name", unit)).because("%s is started again and again", unit), true
	}
	return callPlan(sureScore, Call("check_service", "failed", true)).because("something is started again and again: which service failed"), true
}

// failsToStart matches a complaint that a program does not start.
var failsToStart = pattern(`(?i)\b(?:does ?n['o]?t|does not|wo ?n['o]?t|will not|can ?n?['o]?t|could ?n['o]?t|no longer|fails? to|refuses? to|unable to)\s+(?:even |really |properly |want to )?(?:start|starts|open|opens|launch|launches|run|load|come up)\b` +
	`|\b(?:is ?n['o]?t|is not|not) (?:starting|opening|launching|coming up)\b` +
	`|안\s*(?:켜[지져진짐졌집]|열[려리림린]|떠|뜨|뜬|뜸|뜹|실행[되돼됨])|못\s*(?:켜|열|띄)|(?:실행|시작|기동)(?:이|도|을|를)?\s*(?:전혀\s*)?(?:안\s*[되돼된됨됩됐]|못\s*[하해]|되지\s*않)|(?:켜지|열리|뜨)지\s*(?:도\s*)?않[아았습는]` +
	`|打不开|打开不了|启动不了|无法(?:启动|打开|运行)|不能(?:启动|打开|运行)|起不来|開不了|打不開|启动失败`)

// FailsToStart reports whether a request complains that a program does not start.
func (r *Reading) FailsToStart() bool {
	return failsToStart().MatchString(r.u.raw) && !r.hasAny("remember", "recall", "write", "@since", "howto") && r.u.data == "" && r.otherDevice() == ""
}

// decideStart looks at a named program that does not start.
func (r *Reading) decideStart() (Plan, bool) {
	other := slices.ContainsFunc(r.orders(), func(a act) bool { return a.verb != "start" })
	if !r.FailsToStart() || other || r.hasAny("service", "usb", "wifi", "internet", "sound", "bluetooth", "printer", "disk", "file", "port", "inputmethod", "autostart") || r.has["@unit"] || r.has["@service"] {
		return Plan{}, false
	}
	name, _ := r.value("$app").(string)
	if name == "" {
		return Plan{}, false
	}
	return callPlan(sureScore, Call("check_processes", "name", name)).because("%s does not start", name), true
}

// ejectPattern matches requests to remove a USB stick or external disk.
var ejectPattern = sync.OnceValue(func() *regexp.Regexp {
	const (
		en = `(?:usb(?: (?:stick|drive|disk|key))?|stick|thumb ?drive|flash ?drive|pen ?drive|sd card|memory card|external (?:drive|disk|hdd|ssd))`
		ko = `(?:usb|유에스비|외장\s*하드|외장\s*디스크|메모리\s*카드|sd\s*카드)`
		zh = `(?:u盘|优盘|移动硬盘|usb|存储卡|sd卡)`
	)
	return regexp.MustCompile(`(?i)\b(?:safely remove|eject|unplug|pull out|pull|take out|disconnect|unmount|dismount)\b.*\b` + en + `|\b` + en + `\b.*\b(?:eject|unplug|pull|take (?:it )?out|be removed|remove (?:it )?safely)\b` +
		`|` + ko + `\S*(?:\s*(?:메모리|스틱|드라이브))?\S*\s*(?:좀|지금|그냥|이제)?\s*(?:안전하게\s*)?(?:제거|빼|뽑|꺼내|분리|언마운트)|` + zh + `.*(?:弹出|拔|安全移除|安全删除|卸载|取下)|(?:弹出|拔掉|拔出|拔下|安全移除|卸载|取下)\S{0,4}` + zh)
})

// RequestsEject reports whether the request is to remove a stick or an external disk.
func (r *Reading) RequestsEject() bool {
	return ejectPattern().MatchString(r.u.raw) && r.u.data == "" &&
		!r.hasAny("log", "why", "error", "howto", "remember", "recall", "@wipe") && !r.RequestsUndo()
}

// decideEject checks whether a stick is still in use.
func (r *Reading) decideEject() (Plan, bool) {
	if !r.RequestsEject() {
		return Plan{}, false
	}
	if r.forbids() {
		return r.leaveAlonePlan("asks not to remove it"), true
	}
	return callPlan(sureScore, Call("run_command", "command", "lsblk -P -o NAME,SIZE,TYPE,TRAN,FSTYPE,LABEL,MOUNTPOINT")).because("asks to remove a USB disk"), true
}
