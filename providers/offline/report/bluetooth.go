package report

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayBluezOff       = i18n.T("블루투스 서비스가 꺼져 있어요.", "The Bluetooth service is not running.", "蓝牙服务没有运行。")
	sayBluezLine      = i18n.T("bluetooth.service: %[1]s(`systemctl is-active`)", "bluetooth.service: %[1]s (`systemctl is-active`)", "bluetooth.service：%[1]s（`systemctl is-active`）")
	askStartBluez     = i18n.T("시작할까요? (`systemctl start bluetooth`)", "Shall I start it? (`systemctl start bluetooth`)", "要启动它吗？（`systemctl start bluetooth`）")
	sayBluezMissing   = i18n.T("블루투스 프로그램(bluez)이 설치되어 있지 않아요.", "The Bluetooth programs (bluez) are not installed.", "没有安装蓝牙程序（bluez）。")
	sayNoAdapter      = i18n.T("블루투스 서비스는 돌고 있지만 블루투스 장치(어댑터)가 보이지 않아요.", "The Bluetooth service runs, but there is no adapter.", "蓝牙服务在运行，但没有蓝牙适配器。")
	sayNoAdapterLine  = i18n.T("어댑터: 없음(`bluetoothctl show`)", "Adapters: none (`bluetoothctl show`)", "适配器：无（`bluetoothctl show`）")
	sayAdapterUnseen  = i18n.T("어댑터의 상태는 알아보지 못했어요(`bluetoothctl show`).", "The state of the adapter could not be read (`bluetoothctl show`).", "无法读取适配器的状态（`bluetoothctl show`）。")
	askBluezKernel    = i18n.T("커널 로그에서 블루투스 오류를 찾아볼까요?", "Shall I look for Bluetooth errors in the kernel log?", "要在内核日志中查找蓝牙错误吗？")
	sayAdapterOff     = i18n.T("블루투스 어댑터의 전원이 꺼져 있어요.", "The Bluetooth adapter is powered off.", "蓝牙适配器的电源已关闭。")
	sayAdapterLine    = i18n.T("어댑터 전원: %[1]s(`bluetoothctl show`)", "Adapter powered: %[1]s (`bluetoothctl show`)", "适配器电源：%[1]s（`bluetoothctl show`）")
	askPowerOn        = i18n.T("켤까요? (`bluetoothctl power on`)", "Shall I switch it on? (`bluetoothctl power on`)", "要打开吗？（`bluetoothctl power on`）")
	sayGadgetsUnseen  = i18n.T("블루투스는 켜져 있지만 어떤 기기가 연결됐는지는 읽지 못했어요(`bluetoothctl devices`).", "Bluetooth is on, but which devices are connected could not be read (`bluetoothctl devices`).", "蓝牙已打开，但无法读取已连接的设备（`bluetoothctl devices`）。")
	sayNoneKnown      = i18n.T("블루투스는 켜져 있지만 등록된 기기가 없어요.", "Bluetooth is on, but no device is paired.", "蓝牙已打开，但没有配对任何设备。")
	sayPairFirst      = i18n.T("기기를 페어링 모드로 두고 데스크톱의 블루투스 설정에서 골라 주세요.", "Put the device into pairing mode and choose it in the desktop's Bluetooth settings.", "请将设备置于配对模式，并在桌面的蓝牙设置中选择它。")
	sayNoneConnected  = i18n.T("블루투스는 켜져 있지만 지금 연결된 기기가 없어요.", "Bluetooth is on, but no device is connected now.", "蓝牙已打开，但当前没有连接任何设备。")
	sayKnownDevices   = i18n.T("등록된 기기: %[1]s(`bluetoothctl devices`)", "Known devices: %[1]s (`bluetoothctl devices`)", "已知设备：%[1]s（`bluetoothctl devices`）")
	sayBluezConnected = i18n.T("블루투스가 켜져 있고 %[1]s{이/가} 연결되어 있어요.", "Bluetooth is on, and %[1]s is connected.", "蓝牙已打开，已连接 %[1]s。")
	askConnectDevice  = i18n.T("%[1]s에 연결해 볼까요? 기기를 켜 두세요. (`%[2]s`)", "Shall I connect %[1]s? Have it switched on. (`%[2]s`)", "要连接 %[1]s 吗？请先打开设备。（`%[2]s`）")
	sayBluezLog       = i18n.T("로그: %[1]s(`journalctl -u bluetooth`)", "Log: %[1]s (`journalctl -u bluetooth`)", "日志：%[1]s（`journalctl -u bluetooth`）")
	sayBluezLogTimes  = i18n.T("%[1]s(%[2]d번)", "%[1]s (%[2]d×)", "%[1]s（%[2]d 次）")
	sayMeansAudio     = i18n.T("\"Protocol not available\"은 소리 서비스(pipewire)가 블루투스 소리를 맡지 못했다는 뜻이에요.", "\"Protocol not available\" means that the sound service (pipewire) does not handle Bluetooth audio.", "“Protocol not available”表示声音服务（pipewire）没有处理蓝牙音频。")
	sayMeansAsleep    = i18n.T("\"Host is down\"이나 \"page-timeout\"은 기기가 꺼져 있거나 멀다는 뜻이에요.", "\"Host is down\" or \"page-timeout\" means that the device is off or too far.", "“Host is down”或“page-timeout”表示设备已关闭或距离太远。")
	sayMeansRepair    = i18n.T("인증이 거부됐어요. 기기를 지우고 다시 등록(페어링)하면 풀려요.", "Authentication was refused: remove the device and pair it anew.", "认证被拒绝：请移除设备后重新配对。")
)

var (
	bluezState     = unitStateStep(false, "bluetooth")
	adapter        = command("bluetoothctl show")
	knownDevices   = command("bluetoothctl devices")
	linkedDevices  = command("bluetoothctl devices Connected")
	bluezLog       = command("journalctl --no-pager -b -n 100 -u bluetooth")
	bluetoothAudio = "systemctl --user restart wireplumber pipewire pipewire-pulse"
)

// bluetoothDevice is one Bluetooth device.
type bluetoothDevice struct{ address, name string }

var bluetoothDeviceRow = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^Device ((?:[0-9A-F]{2}:){5}[0-9A-F]{2}) (.+)$`)
})

// parseBluetoothDevices parses bluetoothctl devices.
func parseBluetoothDevices(text string) []bluetoothDevice {
	var out []bluetoothDevice
	for _, line := range outputLines(text) {
		if m := bluetoothDeviceRow().FindStringSubmatch(line); m != nil {
			out = append(out, bluetoothDevice{m[1], cutRunes(m[2], 40)})
		}
	}
	return out
}

// bluetooth checks the service, the radio, the adapter, then the devices. bluetoothctl hangs if the service
// does not run, so the adapter is queried only if it does.
func (q *inquiry) bluetooth() Reply {
	if !q.collect(q.first, bluezState, radioBlocks) {
		return Reply{}
	}
	if q.output(bluezState, "") == nil {
		return q.toolReply(q.first)
	}
	f := q.firstBroken(q.bluezService, q.bluezRadio, q.bluezAdapter, q.bluezDevices)
	if f != nil && f.verdict == "" {
		return q.toolReply(q.first)
	}
	return conclude(f)
}

func (q *inquiry) bluezService() *finding {
	state := unitStates(q.anyStdout(bluezState), "bluetooth")["bluetooth"]
	first := q.output(q.first, "")
	switch {
	case first != nil && strings.Contains(first.Stderr+first.Stdout, "could not be found"):
		f := &finding{verdict: q.say(sayBluezMissing)}
		f.propose(intent.Call("install_package", "name", "bluez bluez-utils"), q.say(askInstallIt, "bluez bluez-utils"))
		return f
	case state == "":
		return &finding{}
	case state != "active" && state != "reloading":
		f := &finding{verdict: q.say(sayBluezOff), evidence: []string{q.say(sayBluezLine, state)}}
		f.propose(intent.Call("manage_service", "action", "start", "name", "bluetooth"), q.say(askStartBluez))
		return f
	}
	return nil
}

func (q *inquiry) bluezRadio() *finding {
	return q.radioOff("bluetooth", "rfkill unblock bluetooth", sayBluetoothHard, sayBluetoothSoft)
}

func (q *inquiry) bluezAdapter() *finding {
	if !q.collect(adapter, knownDevices, linkedDevices, bluezLog) {
		return nil
	}
	step := q.output(adapter, "")
	switch {
	case step == nil:
		return &finding{verdict: q.toolReply(q.first).Text, evidence: []string{q.missingProgramOf(adapter)}}
	case strings.Contains(step.Stdout+step.Stderr, "No default controller"):
		f := &finding{verdict: q.say(sayNoAdapter), evidence: []string{q.say(sayNoAdapterLine)}}
		f.propose(intent.Call("read_logs", "since", "boot", "grep", "bluetooth"), q.say(askBluezKernel))
		return f
	}
	switch powered := parseIndented(step.Stdout)["Powered"]; powered {
	case "no":
		f := &finding{verdict: q.say(sayAdapterOff), evidence: []string{q.say(sayAdapterLine, q.say(sayIsNot))}}
		f.propose(command("bluetoothctl power on"), q.say(askPowerOn))
		return f
	case "":
		return &finding{verdict: q.toolReply(q.first).Text, evidence: []string{q.say(sayAdapterUnseen)}}
	}
	return nil
}

// missingProgramOf names the missing program of a step.
func (q *inquiry) missingProgramOf(s intent.Step) string {
	if r := q.resultOf(s); r != nil {
		return r.missing()
	}
	return ""
}

func (q *inquiry) bluezDevices() *finding {
	known, linked := parseBluetoothDevices(q.stdout(knownDevices)), parseBluetoothDevices(q.stdout(linkedDevices))
	f := &finding{evidence: []string{q.say(sayAdapterLine, q.say(sayIs))}}
	switch {
	case len(linked) > 0:
		f.verdict = q.say(sayBluezConnected, bluetoothDeviceNames(linked))
		f.note(q.say(sayKnownDevices, bluetoothDeviceNames(known)))
	case !q.isDeviceList(knownDevices) || !q.isDeviceList(linkedDevices):
		f.verdict = q.say(sayGadgetsUnseen)
		return f
	case len(known) == 0:
		f.verdict, f.meaning = q.say(sayNoneKnown), q.say(sayPairFirst)
		return f
	default:
		f.verdict = q.say(sayNoneConnected)
		f.note(q.say(sayKnownDevices, bluetoothDeviceNames(known)))
		connect := "bluetoothctl connect " + known[0].address
		f.propose(command(connect), q.say(askConnectDevice, known[0].name, connect))
	}
	q.bluezTrouble(f)
	return f
}

// isDeviceList reports whether a step printed a list of devices, possibly empty.
func (q *inquiry) isDeviceList(s intent.Step) bool {
	step := q.output(s, "")
	if step == nil || step.Exit != 0 || step.TimedOut {
		return false
	}
	return !slices.ContainsFunc(outputLines(step.Stdout), func(l string) bool { return !strings.Contains(l, "Device ") })
}

func bluetoothDeviceNames(list []bluetoothDevice) string {
	var names []string
	for _, g := range list[:min(5, len(list))] {
		names = append(names, g.name)
	}
	return strings.Join(names, ", ")
}

// bluezTrouble adds the worst line of the service's log and its meaning.
func (q *inquiry) bluezTrouble(f *finding) {
	groups := groupLines(journalLines(q.stdout(bluezLog)), 2)
	for _, g := range groups {
		if g.source != "bluetoothd" {
			continue
		}
		text := cutRunes(g.text, 120)
		if g.count > 1 {
			text = q.say(sayBluezLogTimes, text, g.count)
		}
		f.note(q.say(sayBluezLog, text))
		switch low := strings.ToLower(g.text); {
		case strings.Contains(low, "protocol not available"):
			f.meaning = q.say(sayMeansAudio)
			f.propose(command(bluetoothAudio), q.say(askRestartSound, bluetoothAudio))
		case containsAny(low, "host is down", "page-timeout"):
			f.meaning = q.say(sayMeansAsleep)
		case containsAny(low, "authentication", "key missing", "permission denied"):
			f.meaning = q.say(sayMeansRepair)
		}
		return
	}
}
