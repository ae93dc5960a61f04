package report

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayWifiList      = i18n.T("주변에 와이파이가 %[1]d개 보여요. 신호가 센 것부터:", "Wi-Fi networks in range: %[1]d, the strongest first:", "附近有 %[1]d 个无线网络，信号强的在前：")
	sayWifiCurrent   = i18n.T("지금 %[1]s에 연결되어 있어요(신호 %[2]d%%).", "Connected to %[1]s (signal %[2]d%%).", "当前连接到 %[1]s（信号 %[2]d%%）。")
	sayWifiWeak      = i18n.T("신호가 약해서 자주 끊길 수 있어요. 공유기에 가까이 가 보세요.", "That signal is weak and may drop; move closer to the access point.", "信号较弱，可能会断线，请靠近路由器。")
	sayWifiIdle      = i18n.T("지금 연결된 와이파이는 없어요.", "No Wi-Fi network is connected now.", "当前没有连接无线网络。")
	sayWifiNone      = i18n.T("보이는 와이파이가 없어요. 무선이 꺼져 있거나(비행기 모드) 무선 장치가 없을 수 있어요.", "No Wi-Fi network is visible: the radio may be off (flight mode), or there is no wireless device.", "没有可见的无线网络：无线可能已关闭（飞行模式），或没有无线设备。")
	sayWifiRow       = i18n.T("%[1]s: 신호 %[2]d%%, %[3]s", "%[1]s: signal %[2]d%%, %[3]s", "%[1]s：信号 %[2]d%%，%[3]s")
	sayHiddenName    = i18n.T("(숨은 이름)", "(hidden name)", "（隐藏名称）")
	sayOpenNetwork   = i18n.T("암호 없음", "open", "无密码")
	sayNMStopped     = i18n.T("NetworkManager가 실행 중이 아니에요. 그래서 네트워크를 관리하지 못하고 있어요.", "NetworkManager is not running, so nothing manages the network.", "NetworkManager 没有运行，因此网络未被管理。")
	askStartNM       = i18n.T("NetworkManager를 시작할까요?", "Shall I start NetworkManager?", "要启动 NetworkManager 吗？")
	sayOnline        = i18n.T("인터넷에 연결되어 있어요.", "The machine is online.", "已连接到互联网。")
	sayOnlineButSlow = i18n.T("인터넷에 연결은 되어 있지만 응답이 느려요(%[1]s ms).", "The machine is online, but answers are slow (%[1]s ms).", "已联网，但响应较慢（%[1]s 毫秒）。")
	sayNoLink        = i18n.T("연결이 끊겨 있어요: 켜진 네트워크 장치에 주소가 없어요. 랜선이나 와이파이 연결부터 확인하세요.", "No network device has an address. Check the cable or the Wi-Fi connection first.", "没有网络设备获得地址。请先检查网线或无线连接。")
	sayNoRoute       = i18n.T("장치에 주소는 있지만(%[1]s) 밖으로 나가는 기본 경로(게이트웨이)가 없어요. 공유기나 DHCP 문제일 때가 많아요.", "There is an address (%[1]s) but no default route (gateway), often a router or DHCP problem.", "有地址（%[1]s）但没有默认路由（网关），通常是路由器或 DHCP 问题。")
	sayNoPing        = i18n.T("공유기(%[1]s)까지는 설정되어 있지만 인터넷(1.1.1.1)이 응답하지 않아요. 공유기나 통신사 쪽 문제일 수 있어요.", "The gateway (%[1]s) is set, but the internet (1.1.1.1) does not answer. The router or the provider may be down.", "网关（%[1]s）已设置，但互联网（1.1.1.1）没有响应，可能是路由器或运营商的问题。")
	sayNoDNS         = i18n.T("인터넷 자체는 되지만 이름을 주소로 바꾸지 못해요(DNS). 그래서 웹사이트가 안 열려요. DNS 설정이나 systemd-resolved를 확인하세요.", "The internet answers, but names cannot be resolved (DNS), so web sites do not open. Check the DNS settings or systemd-resolved.", "网络本身可用，但无法解析域名（DNS），所以网站打不开。请检查 DNS 设置或 systemd-resolved。")
	sayNoDNSUntested = i18n.T("이름을 주소로 바꾸지 못해요(DNS). 그래서 웹사이트가 안 열려요.", "Names cannot be resolved (DNS), so web sites do not open.", "无法解析域名（DNS），所以网站打不开。")
	sayNamesOnly     = i18n.T("이름 찾기(DNS)는 되니 인터넷에 연결되어 있는 것 같아요.", "Names are resolved (DNS), so the machine is probably online.", "域名可以解析（DNS），应该已联网。")
	sayUntested      = i18n.T("인터넷이 응답하는지는 확인하지 못했어요.", "Whether the internet answers could not be tested.", "无法测试互联网是否响应。")
	sayLayerLink     = i18n.T("장치와 주소: %[1]s", "Device and address: %[1]s", "设备和地址：%[1]s")
	sayLayerRoute    = i18n.T("기본 게이트웨이: %[1]s", "Default gateway: %[1]s", "默认网关：%[1]s")
	sayLayerPing     = i18n.T("1.1.1.1 응답: %[1]s ms", "1.1.1.1 answers in %[1]s ms", "1.1.1.1 响应：%[1]s 毫秒")
	sayLayerDNS      = i18n.T("이름 찾기(DNS): 정상", "Name resolution (DNS): works", "域名解析（DNS）：正常")
	askNetworkLogs   = i18n.T("NetworkManager 로그에서 이유를 찾아볼까요?", "Shall I look for the reason in NetworkManager's log?", "要在 NetworkManager 日志中查找原因吗？")
	sayAddress       = i18n.T("이 컴퓨터의 주소는 %[1]s{이에요/예요}.", "This machine's address is %[1]s.", "本机地址是 %[1]s。")
	sayNoAddress     = i18n.T("이 컴퓨터에 네트워크 주소가 없어요. 연결이 끊겨 있어요.", "This machine has no network address; it is not connected.", "本机没有网络地址，未连接网络。")
	sayPublicNote    = i18n.T("내부 네트워크의 주소예요. 인터넷에서 보이는 공인 IP는 다를 수 있어요.", "That is the local address; the public one may differ.", "这是内网地址，公网 IP 可能不同。")
	sayPortsOpen     = i18n.T("열려 있는(기다리는) 포트가 %[1]d개예요(`ss -tulpn`):", "Listening ports: %[1]d (`ss -tulpn`):", "有 %[1]d 个端口在监听（`ss -tulpn`）：")
	sayPortsNone     = i18n.T("기다리는 포트가 없어요.", "No port is listening.", "没有端口在监听。")
	sayPortUsed      = i18n.T("%[1]s번 포트는 %[2]s{이/가} 쓰고 있어요: %[3]s.", "Port %[1]s is used by %[2]s: %[3]s.", "端口 %[1]s 正被 %[2]s 使用：%[3]s。")
	sayPortFree      = i18n.T("%[1]s번 포트를 쓰는 프로그램이 없어요.", "No program is listening on port %[1]s.", "没有程序在监听端口 %[1]s。")
	sayInterfaceUp   = i18n.T("%[1]s{은/는} 연결되어 있어요. 주소: %[2]s (`ip -br addr`)", "%[1]s is up. Addresses: %[2]s (`ip -br addr`)", "%[1]s 已连接。地址：%[2]s（`ip -br addr`）")
	sayInterfaceBare = i18n.T("%[1]s{은/는} 켜져 있지만 주소가 없어요(상태 %[2]s, `ip -br addr`).", "%[1]s is on but has no address (state %[2]s, `ip -br addr`).", "%[1]s 已启用但没有地址（状态 %[2]s，`ip -br addr`）。")
	sayInterfaceDown = i18n.T("%[1]s{은/는} 연결되어 있지 않아요(상태 %[2]s, `ip -br addr`).", "%[1]s is not connected (state %[2]s, `ip -br addr`).", "%[1]s 未连接（状态 %[2]s，`ip -br addr`）。")
	sayNoInterface   = i18n.T("이 컴퓨터에는 %[1]s{이/가} 없어요. 있는 것: %[2]s (`ip -br addr`)", "There is no interface %[1]s on this machine. There are: %[2]s (`ip -br addr`)", "这台电脑没有接口 %[1]s。现有：%[2]s（`ip -br addr`）")
	sayPortUnknown   = i18n.T("다른 사용자의 프로그램(이름을 보려면 관리자 권한 필요)", "a program of another user (its name needs administrator rights)", "其他用户的程序（查看名称需要管理员权限）")
	sayPortOutside   = i18n.T("밖에서도 접근 가능", "reachable from outside", "外部可访问")
	sayPortLocal     = i18n.T("이 컴퓨터에서만", "this machine only", "仅本机")
)

func (r *result) network() Reply {
	switch r.str("scope") {
	case "ip":
		return r.addresses()
	case "ports":
		return r.ports()
	case "connectivity":
		return r.connectivity()
	}
	return r.wifi()
}

// accessPoint is one row of nmcli device wifi list.
type accessPoint struct {
	ssid, security string
	signal         int
	inUse          bool
}

var wifiRow = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\*)?\s*(?:[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}\s+)?(.*?)\s+(?:Infra|Ad-Hoc|Mesh|N/A)\s+\d+\s+\d+\s\S+\s+(\d{1,3})\s+\S+\s*(.*)$`)
})

// parseWifi parses nmcli's table. Names can contain blanks and any script. Of several access points of one
// network it keeps the strongest.
func parseWifi(text string) []accessPoint {
	var out []accessPoint
	for _, line := range outputLines(text) {
		f := wifiRow().FindStringSubmatch(line)
		if f == nil {
			continue
		}
		signal, err := strconv.Atoi(f[3])
		if err != nil || signal > 100 {
			continue
		}
		ap := accessPoint{ssid: strings.TrimSpace(f[2]), signal: signal, security: strings.TrimSpace(f[4]), inUse: f[1] == "*"}
		same := slices.IndexFunc(out, func(o accessPoint) bool { return o.ssid == ap.ssid && ap.ssid != "--" })
		switch {
		case same < 0:
			out = append(out, ap)
		case ap.inUse || ap.signal > out[same].signal && !out[same].inUse:
			out[same] = ap
		}
	}
	slices.SortStableFunc(out, func(a, b accessPoint) int { return b.signal - a.signal })
	return out
}

func (r *result) wifi() Reply {
	s := &r.steps[0]
	if strings.Contains(s.Stderr+s.Stdout, "NetworkManager is not running") {
		return r.managerStopped()
	}
	list := parseWifi(s.Stdout)
	if len(list) == 0 {
		if lines := outputLines(s.Stdout); s.Exit != 0 || s.TimedOut || len(lines) > 1 || len(lines) == 1 && !strings.Contains(lines[0], "SSID") {
			return r.unreadableReply(s)
		}
		return Reply{Text: r.say(sayWifiNone)}
	}
	head := r.say(sayWifiIdle)
	var lines []string
	for _, ap := range list {
		name := ap.ssid
		if name == "--" || name == "" {
			name = r.say(sayHiddenName)
		}
		if ap.inUse {
			head = r.say(sayWifiCurrent, name, ap.signal)
			if ap.signal < 40 {
				head = joinBlocks(head, r.say(sayWifiWeak))
			}
		}
		security := ap.security
		if security == "" || security == "--" {
			security = r.say(sayOpenNetwork)
		}
		lines = append(lines, r.say(sayWifiRow, name, ap.signal, security))
	}
	return Reply{Text: joinBlocks(head, r.say(sayWifiList, len(list)), bullets(lines[:min(8, len(lines))]))}
}

func (r *result) managerStopped() Reply {
	step := intent.Call("manage_service", "action", "start", "name", "NetworkManager")
	return Reply{Text: paragraphs(r.say(sayNMStopped), r.say(askStartNM)), Offer: &step}
}

// parseAddresses parses ip -br addr (ip-address(8)): device, state, addresses. Loopback and link-local
// addresses do not show a connection and are skipped.
func parseAddresses(text string) []string {
	var out []string
	for _, line := range outputLines(text) {
		f := strings.Fields(line)
		if len(f) < 3 || f[0] == "lo" || f[1] == "DOWN" || hasAnyPrefix(f[0], "docker", "veth", "br-", "virbr") {
			continue
		}
		device, _, _ := strings.Cut(f[0], "@")
		for _, a := range f[2:] {
			addr, _, ok := strings.Cut(a, "/")
			if ok && !hasAnyPrefix(addr, "fe80:", "169.254.", "127.", "::1") {
				out = append(out, device+" "+addr)
			}
		}
	}
	return out
}

// defaultGateway parses ip route; "" if there is no default route.
func defaultGateway(text string) string {
	for _, line := range outputLines(text) {
		f := strings.Fields(line)
		if len(f) > 2 && f[0] == "default" {
			if f[1] == "via" {
				return f[2]
			}
			return f[2] + " (" + f[1] + ")"
		}
	}
	return ""
}

var pingTime = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:time|시간|时间)[=<]\s*([\d.]+)\s*(?:ms|밀리초|毫秒)?`)
})

// connectivity reports the first broken layer, bottom up: device and address, route, internet, names.
func (r *result) connectivity() Reply {
	link, route, ping, dns := r.step("ip -br addr"), r.step("ip route"), r.step("ping"), r.step("getent")
	var layers []string
	addresses := []string{"?"}
	if isUsable(link) {
		if addresses = parseAddresses(link.Stdout); len(addresses) == 0 {
			return r.offlineReply(r.say(sayNoLink), layers)
		}
		layers = append(layers, r.say(sayLayerLink, strings.Join(addresses[:min(3, len(addresses))], ", ")))
	}
	gateway := "?"
	if isUsable(route) {
		if gateway = defaultGateway(route.Stdout); gateway == "" {
			return r.offlineReply(r.say(sayNoRoute, addresses[0]), layers)
		}
		layers = append(layers, r.say(sayLayerRoute, gateway))
	}
	delay, tested := "", hasPinged(ping)
	if tested {
		if ping.Exit != 0 {
			return r.offlineReply(r.say(sayNoPing, gateway), layers)
		}
		if m := pingTime().FindStringSubmatch(ping.Stdout); m != nil {
			delay = m[1]
			layers = append(layers, r.say(sayLayerPing, delay))
		}
	}
	switch {
	case isNameMissing(dns):
		return r.offlineReply(r.namesFail(ping), layers)
	case isNameFound(dns):
		layers = append(layers, r.say(sayLayerDNS))
	}
	if !tested {
		return r.untestedReply(ping, isNameFound(dns), layers)
	}
	head := r.say(sayOnline)
	if ms, ok := parseNumber(delay); ok && ms > 300 {
		head = r.say(sayOnlineButSlow, delay)
	}
	if !r.asksAbout("cause", "why") {
		head = r.polar(true, head)
	}
	return Reply{Text: joinBlocks(head, bullets(layers))}
}

// hasPinged reports whether ping ran, with any result. It exits 1 if there is no answer and 2 on other errors
// (ping(8)). Without the right to send packets it tests nothing.
func hasPinged(s *providers.Step) bool {
	if !isUsable(s) || s.TimedOut {
		return false
	}
	switch s.Exit {
	case 0:
		return containsAny(s.Stdout, "bytes from", "time=", " received", " 0% packet loss")
	case 1, 2:
		low := strings.ToLower(s.Stderr)
		return low == "" || containsAny(low, "unreachable", "no route", "is down", "not known", "failure in name resolution")
	}
	return false
}

// isNameMissing reports whether getent found no such name: it exits 2 (getent(1)).
func isNameMissing(s *providers.Step) bool { return isUsable(s) && !s.TimedOut && s.Exit == 2 }

// isNameFound reports whether getent found the name.
func isNameFound(s *providers.Step) bool { return isUsable(s) && !s.TimedOut && s.Exit == 0 }

// namesFail reports that name resolution fails. Only a successful ping shows that the internet is reachable
// anyway.
func (r *result) namesFail(ping *providers.Step) string {
	if hasPinged(ping) {
		return r.say(sayNoDNS)
	}
	return joinBlocks(r.say(sayNoDNSUntested), r.untestedReason(ping))
}

// untestedReply reports what is known if ping could not run.
func (r *result) untestedReply(ping *providers.Step, names bool, layers []string) Reply {
	head := ""
	if names {
		head = r.say(sayNamesOnly)
	}
	return Reply{Text: joinBlocks(head, r.untestedReason(ping), bullets(layers))}
}

func (r *result) untestedReason(ping *providers.Step) string {
	why := ""
	switch {
	case ping == nil:
	case ping.MissingProgram != "":
		why = r.missingText(ping.MissingProgram)
	case ping.Exit != 0 || ping.TimedOut:
		why = r.failureText(ping)
	}
	return joinBlocks(r.say(sayUntested), why)
}

func isUsable(s *providers.Step) bool { return s != nil && s.MissingProgram == "" }

func (r *result) offlineReply(finding string, layers []string) Reply {
	if !r.asksAbout("cause", "why") && r.ask != nil && r.ask.HasQuestionMark() {
		finding = r.polar(false, finding)
	}
	if s := r.step("nmcli"); s != nil && strings.Contains(s.Stderr+s.Stdout, "NetworkManager is not running") {
		rep := r.managerStopped()
		rep.Text = joinBlocks(finding, rep.Text)
		return rep
	}
	step := intent.Call("read_logs", "unit", "NetworkManager", "since", "1 hour ago")
	return Reply{Text: paragraphs(joinBlocks(finding, bullets(layers)), r.say(askNetworkLogs)), Offer: &step}
}

// oneInterface answers a question about a named interface from "ip -br addr": its state and addresses, or that
// it does not exist.
func (r *result) oneInterface() (Reply, bool) {
	if r.ask == nil || r.ask.Interface() == "" {
		return Reply{}, false
	}
	s := r.step("ip -br addr")
	if s == nil || s.Exit != 0 || strings.TrimSpace(s.Stdout) == "" {
		return Reply{}, false
	}
	named := r.ask.Interface()
	var there []string
	for _, line := range outputLines(s.Stdout) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		name, _, _ := strings.Cut(f[0], "@")
		there = append(there, name)
		switch {
		case name != named:
		case f[1] == "UP" && len(f) > 2:
			return Reply{Text: r.say(sayInterfaceUp, name, strings.Join(f[2:], ", "))}, true
		case f[1] == "UP" || f[1] == "UNKNOWN":
			return Reply{Text: r.say(sayInterfaceBare, name, f[1])}, true
		default:
			return Reply{Text: r.say(sayInterfaceDown, name, f[1])}, true
		}
	}
	return Reply{Text: r.say(sayNoInterface, named, strings.Join(there[:min(8, len(there))], ", "))}, true
}

func (r *result) addresses() Reply {
	if rep, ok := r.oneInterface(); ok {
		return rep
	}
	s := r.step("addr")
	if !isUsable(s) {
		s = &r.steps[0]
	}
	list := parseAddresses(s.Stdout)
	if len(list) == 0 {
		if s.Exit != 0 {
			return r.unreadableReply(s)
		}
		return Reply{Text: r.say(sayNoAddress)}
	}
	_, first, _ := strings.Cut(list[0], " ")
	lines := slices.Clone(list)
	if route := r.step("route"); isUsable(route) {
		if gw := defaultGateway(route.Stdout); gw != "" {
			lines = append(lines, r.say(sayLayerRoute, gw))
		}
	}
	text := joinBlocks(r.say(sayAddress, first), bullets(lines))
	if hasAnyPrefix(first, "10.", "192.168.", "172.") {
		text = joinBlocks(text, r.say(sayPublicNote))
	}
	return Reply{Text: text}
}
