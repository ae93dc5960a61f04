package report

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayWifiSwitchedOff = i18n.T("NetworkManager에서 와이파이가 꺼져 있어요.", "Wi-Fi is switched off in NetworkManager.", "NetworkManager 中的 Wi-Fi 已关闭。")
	sayWifiHardware    = i18n.T("와이파이 무선이 하드웨어 스위치로 꺼져 있어요. 노트북의 무선 스위치나 Fn 키로 켜 주세요.", "The Wi-Fi radio is off by a hardware switch; use the laptop's wireless switch or Fn key.", "Wi-Fi 被硬件开关关闭，请用笔记本的无线开关或 Fn 键打开。")
	saySwitchFigures   = i18n.T("하드웨어 %[1]s, 소프트웨어 %[2]s(`nmcli radio`)", "Hardware %[1]s, software %[2]s (`nmcli radio`)", "硬件 %[1]s，软件 %[2]s（`nmcli radio`）")
	askWifiOn          = i18n.T("와이파이를 켤까요? (`nmcli radio wifi on`)", "Shall I switch Wi-Fi on? (`nmcli radio wifi on`)", "要打开 Wi-Fi 吗？（`nmcli radio wifi on`）")
	sayManagerOther    = i18n.T("NetworkManager는 꺼져 있고 %[1]s{이/가} 네트워크를 관리하고 있어요.", "NetworkManager is not running; %[1]s manages the network here.", "NetworkManager 没有运行，网络由 %[1]s 管理。")
	sayManagerState    = i18n.T("NetworkManager 상태: %[1]s(`systemctl is-active`)", "NetworkManager: %[1]s (`systemctl is-active`)", "NetworkManager：%[1]s（`systemctl is-active`）")
	askStartManager    = i18n.T("NetworkManager를 시작할까요? (`systemctl start NetworkManager`)", "Shall I start NetworkManager? (`systemctl start NetworkManager`)", "要启动 NetworkManager 吗？（`systemctl start NetworkManager`）")
	askUnitLog         = i18n.T("%[1]s 로그에서 이유를 찾아볼까요?", "Shall I look for the reason in the log of %[1]s?", "要在 %[1]s 的日志中查找原因吗？")
	sayNoWifiCard      = i18n.T("시스템이 쓸 수 있는 와이파이 장치가 없어요.", "There is no Wi-Fi device that the system can use.", "没有系统可用的 Wi-Fi 设备。")
	sayCardNoDriver    = i18n.T("무선 카드(%[1]s)는 꽂혀 있지만 그것을 다루는 커널 드라이버가 없어요.", "The wireless card (%[1]s) is there, but no kernel driver handles it.", "有无线网卡（%[1]s），但没有内核驱动在使用它。")
	sayCardDriver      = i18n.T("무선 카드 %[1]s, 드라이버 %[2]s(`lspci -nnk`)", "Wireless card %[1]s, driver %[2]s (`lspci -nnk`)", "无线网卡 %[1]s，驱动 %[2]s（`lspci -nnk`）")
	sayCardNone        = i18n.T("PCI 장치 가운데 무선 카드가 없어요(`lspci -nnk`). USB 무선랜이라면 빼었다가 다시 꽂아 보세요.", "There is no wireless card among the PCI devices (`lspci -nnk`). If it is a USB one, unplug it and plug it in again.", "PCI 设备中没有无线网卡（`lspci -nnk`）。如果是 USB 网卡，请拔下再插上。")
	askFirmwareLog     = i18n.T("커널 로그에서 펌웨어 오류를 찾아볼까요?", "Shall I look for firmware errors in the kernel log?", "要在内核日志中查找固件错误吗？")
	sayWifiUnavailable = i18n.T("무선 장치 %[1]s{이/가} 쓸 수 없는 상태(unavailable)예요. 무선이 막혀 있지 않은데 이러면 보통 인증 프로그램(wpa_supplicant)이나 드라이버가 준비되지 않은 거예요.", "The wireless device %[1]s is unavailable. With no radio block, that is usually the supplicant (wpa_supplicant) or the driver not being ready.", "无线设备 %[1]s 处于不可用状态（unavailable）。在无线未被屏蔽时，通常是认证程序（wpa_supplicant）或驱动没有就绪。")
	askRestartManager  = i18n.T("NetworkManager를 다시 시작할까요? 잠깐 연결이 끊겨요. (`systemctl restart NetworkManager`)", "Shall I restart NetworkManager? The connection drops for a moment. (`systemctl restart NetworkManager`)", "要重启 NetworkManager 吗？连接会短暂中断。（`systemctl restart NetworkManager`）")
	sayWifiUnmanaged   = i18n.T("NetworkManager가 무선 장치 %[1]s{을/를} 관리하지 않고 있어요(unmanaged).", "NetworkManager does not manage the wireless device %[1]s (unmanaged).", "NetworkManager 没有管理无线设备 %[1]s（unmanaged）。")
	askManage          = i18n.T("NetworkManager에게 맡길까요? (`%[1]s`)", "Shall I hand it to NetworkManager? (`%[1]s`)", "要交给 NetworkManager 管理吗？（`%[1]s`）")
	sayDeviceState     = i18n.T("%[1]s: %[2]s(`nmcli device status`)", "%[1]s: %[2]s (`nmcli device status`)", "%[1]s：%[2]s（`nmcli device status`）")
	sayWifiWrongKey    = i18n.T("와이파이 비밀번호가 맞지 않아서 연결되지 않아요.", "Wi-Fi does not connect because the password is wrong.", "Wi-Fi 因密码错误而无法连接。")
	sayWifiWrongKeyFix = i18n.T("네트워크 목록에서 %[1]s{을/를} 다시 고르고 비밀번호를 새로 입력해 주세요.", "Choose %[1]s in the network menu again and type the password anew.", "请在网络菜单中重新选择 %[1]s 并输入密码。")
	sayThatNetwork     = i18n.T("그 와이파이", "that network", "该网络")
	sayWifiDown        = i18n.T("와이파이는 켜져 있지만 어느 네트워크에도 연결되어 있지 않아요.", "Wi-Fi is on, but not connected to any network.", "Wi-Fi 已打开，但没有连接任何网络。")
	sayWifiDHCP        = i18n.T("%[1]s에 붙었지만 공유기에서 주소를 받지 못했어요(DHCP).", "It joined %[1]s, but got no address from the router (DHCP).", "已接入 %[1]s，但没有从路由器获得地址（DHCP）。")
	sayWifiSaved       = i18n.T("저장된 네트워크 %[1]s{이/가} 잡혀요(신호 %[2]d%%).", "The saved network %[1]s is in range (signal %[2]d%%).", "已保存的网络 %[1]s 在范围内（信号 %[2]d%%）。")
	sayWifiInRange     = i18n.T("잡히는 네트워크: %[1]s(`nmcli device wifi list`)", "In range: %[1]s (`nmcli device wifi list`)", "范围内：%[1]s（`nmcli device wifi list`）")
	sayWifiSeesNone    = i18n.T("잡히는 네트워크가 하나도 없어요(`nmcli device wifi list`). 공유기 전원과 거리를 확인해 주세요.", "No network is in range (`nmcli device wifi list`). Check that the router is on and near.", "范围内没有网络（`nmcli device wifi list`），请检查路由器电源和距离。")
	sayWifiPick        = i18n.T("저장된 네트워크가 없으니 트레이의 네트워크 메뉴에서 골라 비밀번호를 입력해 주세요.", "None of them is saved here: choose yours in the network menu and type its password.", "这里没有保存其中任何网络，请在网络菜单中选择并输入密码。")
	askConnect         = i18n.T("연결할까요? (`%[1]s`)", "Shall I connect? (`%[1]s`)", "要连接吗？（`%[1]s`）")
	askReconnect       = i18n.T("다시 연결해 볼까요? (`%[1]s`)", "Shall I connect anew? (`%[1]s`)", "要重新连接吗？（`%[1]s`）")
	sayWifiConnecting  = i18n.T("지금 연결하는 중이에요(%[1]s). 잠시 뒤에 다시 물어봐 주세요.", "It is connecting right now (%[1]s). Ask again in a moment.", "正在连接（%[1]s），请稍后再问。")
)

// netDevice is one row of nmcli device status.
type netDevice struct{ name, kind, state, connection string }

var (
	radioSwitch = command("nmcli -t -f WIFI-HW,WIFI radio")
	netDevices  = command("nmcli -t -f DEVICE,TYPE,STATE,CONNECTION device status")
	savedNets   = command("nmcli -t -f NAME,TYPE,AUTOCONNECT connection show")
	pciDevices  = command("lspci -nnk")
)

func parseDevices(text string) []netDevice {
	var out []netDevice
	for _, line := range outputLines(text) {
		if f := splitTerse(line); len(f) == 4 && f[0] != "" && f[2] != "" {
			out = append(out, netDevice{f[0], f[1], f[2], f[3]})
		}
	}
	return out
}

// wifi checks a wireless link layer by layer: radio, manager, device, connection, address, internet, and drops
// in the log.
func (q *inquiry) wifi() Reply {
	if !q.collect(q.first, radioBlocks, radioSwitch, netDevices) {
		return Reply{}
	}
	if !q.hasRun(netDevices) && q.output(q.first, "") == nil && q.output(radioBlocks, "") == nil {
		return q.toolReply(q.first) // no program could be run, or none is installed
	}
	return conclude(q.firstBroken(q.wifiRadio, q.manager, q.wifiSwitch, q.wifiDevice, q.wifiUp, q.wifiLink))
}

// hasRun reports whether a step was run, with any result.
func (q *inquiry) hasRun(s intent.Step) bool { return q.find(s) != nil }

func (q *inquiry) wifiRadio() *finding {
	return q.radioOff("wlan", "rfkill unblock wifi", sayWifiHard, sayWifiSoft)
}

// manager reports that NetworkManager does not run, and which program replaces it.
func (q *inquiry) manager() *finding {
	first := q.output(q.first, "nmcli")
	missing := first == nil
	if !missing && !strings.Contains(first.Stderr+first.Stdout, "NetworkManager is not running") {
		return nil
	}
	units := []string{"NetworkManager", "iwd", "systemd-networkd"}
	if !q.collect(unitStateStep(false, units...)) {
		return nil
	}
	is := unitStates(q.anyStdout(unitStateStep(false, units...)), units...)
	for _, other := range units[1:] {
		if is[other] == "active" {
			f := &finding{verdict: q.say(sayManagerOther, other)}
			f.propose(intent.Call("read_logs", "unit", other, "since", "boot"), q.say(askUnitLog, other))
			return f
		}
	}
	if missing {
		return &finding{verdict: q.toolReply(q.first).Text}
	}
	f := &finding{verdict: q.say(sayNMStopped)}
	if s := is["NetworkManager"]; s != "" {
		f.note(q.say(sayManagerState, s))
	}
	f.propose(intent.Call("manage_service", "action", "start", "name", "NetworkManager"), q.say(askStartManager))
	return f
}

// wifiSwitch checks NetworkManager's own switch.
func (q *inquiry) wifiSwitch() *finding {
	f := splitTerse(strings.TrimSpace(q.stdout(radioSwitch)))
	if len(f) != 2 {
		return nil
	}
	out := &finding{evidence: []string{q.say(saySwitchFigures, f[0], f[1])}}
	switch {
	case f[0] == "disabled":
		out.verdict = q.say(sayWifiHardware)
	case f[0] == "enabled" && f[1] == "disabled":
		out.verdict = q.say(sayWifiSwitchedOff)
		out.propose(command("nmcli radio wifi on"), q.say(askWifiOn))
	default:
		return nil
	}
	return out
}

// wifiCard returns the wireless device, preferring a connected one; nil if there is none. known reports whether
// the list could be read.
func (q *inquiry) wifiCard() (card *netDevice, known bool) {
	list := parseDevices(q.stdout(netDevices))
	for i, d := range list {
		if d.kind == "wifi" && (card == nil || strings.HasPrefix(d.state, "connected")) {
			card = &list[i]
		}
	}
	return card, len(list) > 0
}

func (q *inquiry) wifiDevice() *finding {
	card, known := q.wifiCard()
	switch {
	case !known:
		return nil
	case card == nil:
		return q.noWifiCard()
	case card.state == "unmanaged":
		return q.wifiUnmanaged(card.name)
	case card.state == "unavailable":
		f := &finding{verdict: q.say(sayWifiUnavailable, card.name), evidence: []string{q.deviceState(*card)}}
		f.propose(intent.Call("manage_service", "action", "restart", "name", "NetworkManager"), q.say(askRestartManager))
		return f
	}
	return nil
}

func (q *inquiry) deviceState(d netDevice) string { return q.say(sayDeviceState, d.name, d.state) }

func (q *inquiry) wifiUnmanaged(device string) *finding {
	f := &finding{verdict: q.say(sayWifiUnmanaged, device)}
	if word := quoteWord(device); word != "" {
		hand := "nmcli device set " + word + " managed yes"
		f.propose(command(hand), q.say(askManage, hand))
	}
	return f
}

// noWifiCard reports whether there is a card at all, and whether it has a driver.
func (q *inquiry) noWifiCard() *finding {
	if !q.collect(pciDevices) {
		return nil
	}
	f := &finding{verdict: q.say(sayNoWifiCard)}
	if q.stdout(pciDevices) == "" {
		return f
	}
	card := parseCard(q.stdout(pciDevices), "Network controller")
	switch {
	case card.model == "":
		f.note(q.say(sayCardNone))
		return f
	case card.driver == "":
		f.verdict = q.say(sayCardNoDriver, card.model)
	default:
		f.note(q.say(sayCardDriver, card.model, card.driver))
	}
	f.propose(intent.Call("read_logs", "since", "boot", "grep", "firmware"), q.say(askFirmwareLog))
	return f
}

// parseCard returns the first device of a class in lspci -nnk, with its driver.
func parseCard(text, class string) (card graphicsCard) {
	inCard := false
	for _, line := range outputLines(text) {
		if !strings.HasPrefix(line, " ") {
			head, model, _ := strings.Cut(line, ": ")
			inCard = card.model == "" && strings.Contains(head, class)
			if inCard {
				card.model, _, _ = strings.Cut(model, " [")
			}
		}
		if _, driver, ok := strings.Cut(line, "Kernel driver in use: "); ok && inCard {
			card.driver = strings.TrimSpace(driver)
		}
	}
	return card
}

// wifiUp reports why no network is connected.
func (q *inquiry) wifiUp() *finding {
	card, _ := q.wifiCard()
	switch {
	case card == nil || strings.HasPrefix(card.state, "connected"):
		return nil
	case strings.Contains(card.state, "getting IP configuration"):
		return q.wifiNoAddress(*card)
	case strings.HasPrefix(card.state, "connecting"):
		return &finding{verdict: q.say(sayWifiConnecting, card.state)}
	}
	if !q.collect(savedNets, dropLog) {
		return nil
	}
	f := &finding{verdict: q.say(sayWifiDown), evidence: []string{q.deviceState(*card)}}
	log := parseDrops(q.anyStdout(dropLog))
	if log.wrongKey > 0 {
		return q.wrongKey(f, log)
	}
	return q.proposeNetwork(f)
}

func (q *inquiry) wrongKey(f *finding, log dropLogState) *finding {
	name := log.ssid
	if name == "" {
		name = q.say(sayThatNetwork)
	}
	f.verdict = q.say(sayWifiWrongKey)
	f.note(q.say(sayWrongKeyTimes, log.wrongKey, log.wrongKeyAt))
	f.meaning = q.say(sayWifiWrongKeyFix, name)
	return f
}

func (q *inquiry) wifiNoAddress(card netDevice) *finding {
	f := &finding{verdict: q.say(sayWifiDHCP, card.connection), evidence: []string{q.deviceState(card)}}
	q.proposeUp(f, card.connection, askReconnect)
	return f
}

// proposeUp offers to bring a saved connection up.
func (q *inquiry) proposeUp(f *finding, name string, ask i18n.Text) {
	if word := quoteWord(name); word != "" {
		up := "nmcli connection up id " + word
		f.propose(command(up), q.say(ask, up))
	}
}

// proposeNetwork offers the strongest saved network in range.
func (q *inquiry) proposeNetwork(f *finding) *finding {
	list := parseWifi(q.stdout(q.first))
	if len(list) == 0 {
		if q.stdout(q.first) != "" {
			f.note(q.say(sayWifiSeesNone))
		}
		return f
	}
	saved := savedNetworks(q.stdout(savedNets))
	for _, ap := range list {
		if slices.Contains(saved, ap.ssid) {
			f.note(q.say(sayWifiSaved, ap.ssid, ap.signal))
			q.proposeUp(f, ap.ssid, askConnect)
			return f
		}
	}
	f.note(q.say(sayWifiInRange, q.networkNames(list)))
	if q.output(savedNets, "") != nil {
		f.meaning = q.say(sayWifiPick)
	}
	return f
}

func (q *inquiry) networkNames(list []accessPoint) string {
	var names []string
	for _, ap := range list {
		if len(names) < 4 && ap.ssid != "--" && ap.ssid != "" {
			names = append(names, ap.ssid+" "+itoa(ap.signal)+"%")
		}
	}
	return strings.Join(names, ", ")
}

// savedNetworks returns the names of the saved wireless connections.
func savedNetworks(text string) []string {
	var out []string
	for _, line := range outputLines(text) {
		if f := splitTerse(line); len(f) >= 2 && strings.Contains(f[1], "wireless") && f[0] != "" {
			out = append(out, f[0])
		}
	}
	return out
}
