package report

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayCableOut      = i18n.T("유선 %[1]s에 랜선이 꽂혀 있지 않거나 신호가 없어요(NO-CARRIER). 랜선 양쪽과 공유기 전원을 확인해 주세요.", "The wired port %[1]s has no cable or no signal (NO-CARRIER). Check both ends of the cable and the router's power.", "有线接口 %[1]s 没有插网线或没有信号（NO-CARRIER），请检查网线两端和路由器电源。")
	sayNoAddressDHCP = i18n.T("%[1]s{은/는} 연결됐지만 주소를 받지 못했어요(DHCP). 공유기가 응답하지 않을 때 이래요.", "%[1]s is connected but got no address (DHCP), as when the router does not answer.", "%[1]s 已连接但没有获得地址（DHCP），通常是路由器没有响应。")
	sayAddressState  = i18n.T("%[1]s: %[2]s(`ip -br addr`)", "%[1]s: %[2]s (`ip -br addr`)", "%[1]s：%[2]s（`ip -br addr`）")
	sayNoUsableAddr  = i18n.T("쓸 수 있는 주소 없음", "no usable address", "没有可用地址")
	sayGatewayDead   = i18n.T("공유기(%[1]s)가 응답하지 않아요. 그래서 인터넷에 나갈 수 없어요.", "The router (%[1]s) does not answer, so nothing gets out.", "路由器（%[1]s）没有响应，因此无法上网。")
	sayGatewayLine   = i18n.T("공유기 %[1]s: 응답 없음(`%[2]s`)", "Router %[1]s: no answer (`%[2]s`)", "路由器 %[1]s：无响应（`%[2]s`）")
	sayGatewayGood   = i18n.T("공유기 %[1]s: 응답 %[2]s ms(`ping`)", "Router %[1]s answers in %[2]s ms (`ping`)", "路由器 %[1]s：%[2]s 毫秒响应（`ping`）")
	sayGatewayUp     = i18n.T("공유기 %[1]s: 응답함(`ping`)", "Router %[1]s answers (`ping`)", "路由器 %[1]s：有响应（`ping`）")
	sayGatewayMeans  = i18n.T("다시 연결해도 안 되면 공유기 전원을 뺐다가 다시 켜 보세요.", "If connecting anew does not help, switch the router off and on.", "如果重新连接仍不行，请重启路由器。")
	sayProviderDead  = i18n.T("공유기까지는 되지만 그 너머 인터넷(1.1.1.1)이 응답하지 않아요.", "The router answers, but the internet behind it (1.1.1.1) does not.", "路由器有响应，但其后的互联网（1.1.1.1）没有响应。")
	sayProviderMeans = i18n.T("이 컴퓨터가 아니라 공유기의 인터넷 쪽이나 통신사 문제예요. 공유기와 모뎀을 껐다 켜고, 다른 기기도 안 되면 통신사에 문의하세요.", "That is not this machine but the router's line or the provider. Restart router and modem; if other devices fail too, call the provider.", "问题不在这台电脑，而在路由器的外线或运营商。请重启路由器和光猫；若其他设备也不行，请联系运营商。")
	sayPingFiltered  = i18n.T("이름 찾기(DNS)는 되는데 1.1.1.1 핑만 응답이 없어요. 핑을 막는 네트워크(회사·학교)일 수 있어요.", "Names resolve (DNS) but 1.1.1.1 does not answer to ping; some networks (office, school) block ping.", "域名可以解析（DNS），但 ping 1.1.1.1 没有响应；有些网络（公司、学校）会屏蔽 ping。")
	sayPortal        = i18n.T("이 네트워크는 로그인 페이지(카페·호텔 등)를 거쳐야 인터넷이 돼요.", "This network wants a login page first (café, hotel …) before it lets you out.", "这个网络需要先在登录页面（咖啡馆、酒店等）认证才能上网。")
	sayPortalLine    = i18n.T("NetworkManager 판정: portal(`nmcli general status`)", "NetworkManager's verdict: portal (`nmcli general status`)", "NetworkManager 判定：portal（`nmcli general status`）")
	sayPortalMeans   = i18n.T("웹 브라우저에서 http://ping.archlinux.org 를 열면 로그인 페이지가 나와요.", "Open http://ping.archlinux.org in a browser: the login page appears.", "在浏览器中打开 http://ping.archlinux.org 就会出现登录页面。")
	sayVPNDead       = i18n.T("VPN(%[1]s)이 켜져 있는데 그쪽으로 인터넷이 나가지 않아요.", "The VPN (%[1]s) is on, but nothing gets out through it.", "VPN（%[1]s）已开启，但流量无法通过它出去。")
	sayVPNLine       = i18n.T("기본 경로가 %[1]s{을/를} 지나요(`ip route`)", "The default route goes through %[1]s (`ip route`)", "默认路由经过 %[1]s（`ip route`）")
	askVPNDown       = i18n.T("VPN을 끊어 볼까요? (`%[1]s`)", "Shall I take the VPN down? (`%[1]s`)", "要断开 VPN 吗？（`%[1]s`）")
	sayResolvEmpty   = i18n.T("인터넷 회선은 살아 있지만 쓸 DNS 서버가 정해져 있지 않아서 이름을 못 찾아요. 그래서 웹사이트가 안 열려요.", "The internet answers, but no DNS server is set, so no name is found and web sites do not open.", "网络是通的，但没有设置 DNS 服务器，因此无法解析域名，网站打不开。")
	sayResolvedDown  = i18n.T("인터넷 회선은 살아 있지만 이름 찾기(DNS)를 맡은 systemd-resolved가 꺼져 있어요. 그래서 웹사이트가 안 열려요.", "The internet answers, but systemd-resolved, which resolves the names here (DNS), is not running, so web sites do not open.", "网络是通的，但负责域名解析（DNS）的 systemd-resolved 没有运行，因此网站打不开。")
	sayServerDead    = i18n.T("인터넷 회선은 살아 있지만 DNS 서버(%[1]s)가 이름을 찾아 주지 못해요. 그래서 웹사이트가 안 열려요.", "The internet answers, but the DNS server (%[1]s) resolves nothing, so web sites do not open.", "网络是通的，但 DNS 服务器（%[1]s）无法解析域名，因此网站打不开。")
	sayServersLine   = i18n.T("DNS 서버: %[1]s(`/etc/resolv.conf`)", "DNS servers: %[1]s (`/etc/resolv.conf`)", "DNS 服务器：%[1]s（`/etc/resolv.conf`）")
	sayServersNone   = i18n.T("DNS 서버: 없음(`/etc/resolv.conf`)", "DNS servers: none (`/etc/resolv.conf`)", "DNS 服务器：无（`/etc/resolv.conf`）")
	sayResolvedLine  = i18n.T("systemd-resolved: %[1]s(`systemctl is-active`)", "systemd-resolved: %[1]s (`systemctl is-active`)", "systemd-resolved：%[1]s（`systemctl is-active`）")
	askStartResolved = i18n.T("systemd-resolved를 시작할까요? (`systemctl start systemd-resolved`)", "Shall I start systemd-resolved? (`systemctl start systemd-resolved`)", "要启动 systemd-resolved 吗？（`systemctl start systemd-resolved`）")
	sayNamesLine     = i18n.T("이름 찾기: archlinux.org 실패(`getent hosts`)", "Looking up archlinux.org fails (`getent hosts`)", "解析 archlinux.org 失败（`getent hosts`）")
	sayNetReady      = i18n.T("1.1.1.1 응답: %[1]s ms(`ping`)", "1.1.1.1 answers in %[1]s ms (`ping`)", "1.1.1.1 响应：%[1]s 毫秒（`ping`）")
)

var (
	connectivity = intent.Call("check_network", "scope", "connectivity")
	links        = command("ip -br link")
	resolvConf   = command("cat /etc/resolv.conf")
	activeNets   = command("nmcli -t -f NAME,TYPE,DEVICE connection show --active")
)

// internet checks from the radio up to name resolution and stops at the first broken layer. If all work, it
// reports the first step.
func (q *inquiry) internet() Reply {
	if !q.collect(q.first) {
		return Reply{}
	}
	f := q.checkLayers(q.first)
	if f == nil && len(q.needed) == 0 {
		return q.toolReply(q.first)
	}
	if f != nil && f.verdict != q.say(sayPingFiltered) && q.Request != nil && q.Request.HasQuestionMark() && !q.asksAbout("cause", "why") {
		f.verdict = q.say(sayNo) + f.verdict
	}
	return conclude(f)
}

// checkLayers checks the layers of one connectivity result.
func (q *inquiry) checkLayers(s intent.Step) *finding {
	r := q.resultOf(s)
	if r == nil || r.out == nil || r.out.Refusal != "" {
		return nil
	}
	n := &network{inquiry: q, result: r}
	return q.firstBroken(n.cable, n.lease, n.portal, n.gateway, n.nameResolution)
}

// network is a connectivity result in which to find the broken layer.
type network struct {
	*inquiry
	result *result
}

func (n *network) out(part string) string {
	if s := n.result.step(part); isUsable(s) {
		return s.Stdout
	}
	return ""
}

// status returns a column of nmcli general status by its heading.
func (n *network) status(heading string) string {
	lines := outputLines(n.out("nmcli general"))
	if len(lines) != 2 {
		return ""
	}
	at := strings.Index(lines[0]+" ", heading+" ")
	if at < 0 || at >= len(lines[1]) {
		return ""
	}
	value, _, _ := strings.Cut(lines[1][at:], "  ")
	return strings.TrimSpace(value)
}

// cable reports why no device has an address: radio off, cable unplugged, no lease.
func (n *network) cable() *finding {
	if !isUsable(n.result.step("ip -br addr")) || len(parseAddresses(n.out("ip -br addr"))) > 0 {
		return nil
	}
	if s := n.result.step("nmcli"); s != nil && strings.Contains(s.Stderr+s.Stdout, "NetworkManager is not running") {
		return n.stoppedManager()
	}
	if !n.collect(links, radioBlocks) {
		return nil
	}
	wired, wireless := deadLinks(n.stdout(links))
	radioOff := n.wifiRadio()
	if radioOff == nil && n.status("WIFI") == "disabled" && n.status("WIFI-HW") == "enabled" {
		radioOff = &finding{verdict: n.say(sayWifiSwitchedOff), evidence: []string{n.say(saySwitchFigures, n.status("WIFI-HW"), n.status("WIFI"))}}
		radioOff.propose(command("nmcli radio wifi on"), n.say(askWifiOn))
	}
	switch {
	case radioOff != nil && (wireless || wired == ""):
		return radioOff
	case wired != "":
		return &finding{verdict: n.say(sayCableOut, wired)}
	}
	return nil
}

// stoppedManager reports that NetworkManager is not running.
func (n *network) stoppedManager() *finding {
	f := &finding{verdict: n.say(sayNMStopped)}
	f.propose(intent.Call("manage_service", "action", "start", "name", "NetworkManager"), n.say(askStartManager))
	return f
}

// deadLinks parses ip -br link: the wired device without a carrier, and whether there is a wireless one.
func deadLinks(text string) (wired string, wireless bool) {
	for _, line := range outputLines(text) {
		f := strings.Fields(line)
		switch {
		case len(f) < 4:
		case hasAnyPrefix(f[0], "wl"):
			wireless = true
		case hasAnyPrefix(f[0], "en", "eth") && strings.Contains(f[3], "NO-CARRIER") && wired == "":
			wired = f[0]
		}
	}
	return wired, wireless
}

// lease reports a device that is up but has no address from DHCP.
func (n *network) lease() *finding {
	if len(parseAddresses(n.out("ip -br addr"))) > 0 || !isUsable(n.result.step("ip -br addr")) {
		return nil
	}
	device, address := deviceWithoutLease(n.out("ip -br addr"))
	if device == "" {
		return nil
	}
	if address == "" {
		address = n.say(sayNoUsableAddr)
	}
	f := &finding{verdict: n.say(sayNoAddressDHCP, device), evidence: []string{n.say(sayAddressState, device, address)}, meaning: n.say(sayGatewayMeans)}
	n.reconnect(f, device)
	return f
}

// reconnect offers to bring the device's connection up again.
func (n *network) reconnect(f *finding, device string) {
	if word := quoteWord(device); word != "" && n.result.step("nmcli") != nil && n.result.step("nmcli").MissingProgram == "" {
		up := "nmcli device connect " + word
		f.propose(command(up), n.say(askReconnect, up))
	}
}

// deviceWithoutLease returns a device that is up with no address except a link-local one.
func deviceWithoutLease(text string) (device, address string) {
	for _, line := range outputLines(text) {
		f := strings.Fields(line)
		if len(f) < 2 || f[1] != "UP" || hasAnyPrefix(f[0], "lo", "docker", "veth", "br-", "virbr") {
			continue
		}
		if i := slices.IndexFunc(f, func(s string) bool { return strings.HasPrefix(s, "169.254.") }); i > 0 {
			return f[0], f[i]
		}
		if device == "" {
			device = f[0]
		}
	}
	return device, ""
}

func (n *network) portal() *finding {
	if n.status("CONNECTIVITY") != "portal" {
		return nil
	}
	return &finding{verdict: n.say(sayPortal), evidence: []string{n.say(sayPortalLine)}, meaning: n.say(sayPortalMeans)}
}

// gateway reports whether the router, a VPN or the provider fails.
func (n *network) gateway() *finding {
	ping := n.result.step("ping")
	if !hasPinged(ping) || ping.Exit == 0 {
		return nil
	}
	via, device := defaultRoute(n.out("ip route"))
	if hasAnyPrefix(device, "tun", "wg", "ppp", "tailscale", "proton", "nordlynx") {
		return n.tunnel(device)
	}
	dns := n.result.step("getent")
	resolves := isNameFound(dns)
	if via == "" || quoteWord(via) != via {
		return nil
	}
	near := command("ping -c 1 -W 2 " + via)
	if !n.collect(near) {
		return nil
	}
	answer := n.output(near, "")
	switch {
	case resolves:
		return &finding{verdict: n.say(sayPingFiltered), evidence: []string{n.gatewayFact(via, answer)}}
	case !hasPinged(answer):
		return nil
	case answer.Exit != 0:
		f := &finding{verdict: n.say(sayGatewayDead, via), evidence: []string{n.say(sayGatewayLine, via, near.Input["command"])}, meaning: n.say(sayGatewayMeans)}
		n.reconnect(f, device)
		return f
	}
	return &finding{verdict: n.say(sayProviderDead), evidence: []string{n.gatewayFact(via, answer)}, meaning: n.say(sayProviderMeans)}
}

// gatewayFact reports whether the router answered a ping.
func (n *network) gatewayFact(via string, ping *providers.Step) string {
	if !hasPinged(ping) || ping.Exit != 0 {
		return n.say(sayGatewayLine, via, "ping -c 1 -W 2 "+via)
	}
	if m := pingTime().FindStringSubmatch(ping.Stdout); m != nil {
		return n.say(sayGatewayGood, via, m[1])
	}
	return n.say(sayGatewayUp, via)
}

// defaultRoute returns the gateway and device of the first default route.
func defaultRoute(text string) (via, device string) {
	for _, line := range outputLines(text) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] != "default" {
			continue
		}
		for i := 1; i+1 < len(f); i++ {
			switch f[i] {
			case "via":
				via = f[i+1]
			case "dev":
				device = f[i+1]
			}
		}
		return via, device
	}
	return "", ""
}

func (n *network) tunnel(device string) *finding {
	if !n.collect(activeNets) {
		return nil
	}
	f := &finding{verdict: n.say(sayVPNDead, device), evidence: []string{n.say(sayVPNLine, device)}}
	for _, line := range outputLines(n.stdout(activeNets)) {
		c := splitTerse(line)
		if len(c) != 3 || c[2] != device && c[1] != "vpn" && c[1] != "wireguard" {
			continue
		}
		if word := quoteWord(c[0]); word != "" {
			down := "nmcli connection down id " + word
			f.propose(command(down), n.say(askVPNDown, down))
			break
		}
	}
	return f
}

// nameResolution reports why name resolution fails although the internet is reachable.
func (n *network) nameResolution() *finding {
	ping, dns := n.result.step("ping"), n.result.step("getent")
	if !hasPinged(ping) || ping.Exit != 0 || !isNameMissing(dns) {
		return nil
	}
	if !n.collect(resolvConf, unitStateStep(false, "systemd-resolved")) || n.output(resolvConf, "") == nil {
		return nil
	}
	servers := nameServers(n.stdout(resolvConf))
	state := unitStates(n.anyStdout(unitStateStep(false, "systemd-resolved")), "systemd-resolved")["systemd-resolved"]
	f := &finding{}
	if m := pingTime().FindStringSubmatch(ping.Stdout); m != nil {
		f.note(n.say(sayNetReady, m[1]))
	}
	f.note(n.say(sayNamesLine))
	n.nameTrouble(f, servers, state)
	return f
}

func (n *network) nameTrouble(f *finding, servers []string, state string) {
	restart := intent.Call("manage_service", "action", "restart", "name", "NetworkManager")
	switch {
	case len(servers) == 0:
		f.verdict = n.say(sayResolvEmpty)
		f.note(n.say(sayServersNone))
	case slices.ContainsFunc(servers, isStub) && state != "" && state != "active":
		f.verdict = n.say(sayResolvedDown)
		f.note(n.say(sayServersLine, strings.Join(servers, ", ")), n.say(sayResolvedLine, state))
		f.propose(intent.Call("manage_service", "action", "start", "name", "systemd-resolved"), n.say(askStartResolved))
		return
	default:
		f.verdict = n.say(sayServerDead, strings.Join(servers, ", "))
		f.note(n.say(sayServersLine, strings.Join(servers, ", ")))
	}
	if isUsable(n.result.step("nmcli")) {
		f.propose(restart, n.say(askRestartManager))
	}
}

// isStub reports whether a name server is systemd-resolved's own.
func isStub(server string) bool { return server == "127.0.0.53" || server == "127.0.0.54" }

// nameServers parses resolv.conf(5), with at most three servers like the C library.
func nameServers(text string) []string {
	var out []string
	for _, line := range outputLines(text) {
		f := strings.Fields(line)
		if len(f) >= 2 && f[0] == "nameserver" && len(out) < 3 {
			out = append(out, f[1])
		}
	}
	return out
}

// delay reports the ping time, "" if there was no answer.
func (q *inquiry) delay() string {
	if !q.internetAnswers() {
		return ""
	}
	if m := pingTime().FindStringSubmatch(q.resultOf(connectivity).step("ping").Stdout); m != nil {
		return q.say(sayNetReady, m[1])
	}
	return ""
}

// internetAnswers reports whether the connectivity step reached the internet.
func (q *inquiry) internetAnswers() bool {
	r := q.resultOf(connectivity)
	if r == nil {
		return false
	}
	ping := r.step("ping")
	return hasPinged(ping) && ping.Exit == 0
}
