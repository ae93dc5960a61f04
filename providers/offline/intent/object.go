package intent

import "strings"

var (
	objectDevice = pattern(`^(?:/dev/)?((?:sd|vd|hd|xvd)[a-z]{1,2}\d*|nvme\d+(?:n\d+(?:p\d+)?)?|mmcblk\d+(?:p\d+)?|md\d+|dm-\d+|sr\d+|zram\d+)$`)
	objectNetdev = pattern(`^(?:eth|eno|ens|enp|enx|wlan|wlp|wlo|wls|wlx|tun|tap|wg|docker|br|veth|bond|virbr|ppp|wwan|wwp|tailscale|usb|vlan)\d[\w.-]*$|^(?:enp|wlp|ens|enx|wlx)[\w.-]*\d[\w.-]*$`)
)

// partitions maps common names of file systems to mount points.
var partitions = []struct{ mount, texts string }{
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
	spaced, flat := r.u.spacedText(), r.u.flatText()
	for _, p := range partitions {
		for _, t := range strings.Split(p.texts, "|") {
			if detectLang(t) == "en" && strings.Contains(spaced, " "+t+" ") || detectLang(t) != "en" && strings.Contains(flat, t) {
				return p.mount
			}
		}
	}
	return ""
}

// Device returns the disk or partition that a request names, without "/dev/",
// "" for none.
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
