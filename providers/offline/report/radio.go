package report

import (
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
)

var (
	sayWifiHard      = i18n.T("와이파이 무선이 하드웨어에서 꺼져 있어요. 명령으로는 켤 수 없으니 노트북의 무선 스위치나 Fn 키(비행기 그림), 또는 BIOS 설정에서 켜 주세요.", "The Wi-Fi radio is switched off in hardware. No command can switch it on: use the laptop's wireless switch, its Fn key (plane symbol) or the BIOS setup.", "Wi-Fi 无线被硬件开关关闭，命令无法打开：请使用笔记本的无线开关、Fn 键（飞机图标）或 BIOS 设置。")
	sayWifiSoft      = i18n.T("와이파이 무선이 소프트웨어에서 꺼져 있어요(비행기 모드 등). 그래서 아무것도 잡히지 않아요.", "The Wi-Fi radio is blocked by software (flight mode, for example), so nothing is received.", "Wi-Fi 无线被软件屏蔽（例如飞行模式），因此收不到任何信号。")
	sayBluetoothHard = i18n.T("블루투스가 하드웨어에서 꺼져 있어요. 명령으로는 켤 수 없으니 노트북의 무선 스위치나 Fn 키, 또는 BIOS 설정에서 켜 주세요.", "Bluetooth is switched off in hardware. No command can switch it on: use the laptop's wireless switch, its Fn key or the BIOS setup.", "蓝牙被硬件开关关闭，命令无法打开：请使用笔记本的无线开关、Fn 键或 BIOS 设置。")
	sayBluetoothSoft = i18n.T("블루투스가 소프트웨어에서 꺼져 있어요(비행기 모드 등).", "Bluetooth is blocked by software (flight mode, for example).", "蓝牙被软件屏蔽（例如飞行模式）。")
	sayRadioFigures  = i18n.T("소프트웨어 차단: %[1]s, 하드웨어 차단: %[2]s(`/sys/class/rfkill`, `rfkill list`와 같은 값)", "Soft blocked: %[1]s, hard blocked: %[2]s (`/sys/class/rfkill`, what `rfkill list` shows)", "软件屏蔽：%[1]s，硬件屏蔽：%[2]s（`/sys/class/rfkill`，与 `rfkill list` 相同）")
	askUnblock       = i18n.T("차단을 풀까요? (`%[1]s`)", "Shall I unblock it? (`%[1]s`)", "要解除屏蔽吗？（`%[1]s`）")
	sayIs            = i18n.T("예", "yes", "是")
	sayIsNot         = i18n.T("아니요", "no", "否")
)

// radioBlocks reads the kernel's files, because rfkill(8) needs a device that sandboxed commands cannot access.
var radioBlocks = command("grep -s . /sys/class/rfkill/rfkill*/type /sys/class/rfkill/rfkill*/soft /sys/class/rfkill/rfkill*/hard")

// radio is one transmitter and what blocks it (Linux Documentation/driver-api/rfkill.rst).
type radio struct {
	id, kind   string // "rfkill0", "wlan" or "bluetooth"
	soft, hard bool
}

// parseRadios parses "/sys/class/rfkill/rfkill0/soft:1".
func parseRadios(text string) []radio {
	var out []radio
	for _, line := range outputLines(text) {
		file, value, ok := strings.Cut(line, ":")
		if !ok || !strings.HasPrefix(file, "/sys/class/rfkill/rfkill") {
			continue
		}
		id := path.Base(path.Dir(file))
		at := slices.IndexFunc(out, func(r radio) bool { return r.id == id })
		if at < 0 {
			out, at = append(out, radio{id: id}), len(out)
		}
		switch path.Base(file) {
		case "type":
			out[at].kind = value
		case "soft":
			out[at].soft = value == "1"
		case "hard":
			out[at].hard = value == "1"
		}
	}
	return out
}

// blockedRadio returns a blocked radio of a kind if no other of that kind is free: a blocked dongle next to a
// working card is not a problem.
func blockedRadio(list []radio, kind string) (off radio, blocked bool) {
	for _, r := range list {
		switch {
		case r.kind != kind:
		case !r.soft && !r.hard:
			return radio{}, false
		case !blocked || r.hard:
			off, blocked = r, true
		}
	}
	return off, blocked
}

// radioOff reports that every radio of a kind is blocked. It returns nil if one is free or none is known.
func (q *inquiry) radioOff(kind, unblock string, hard, soft i18n.Text) *finding {
	r, blocked := blockedRadio(parseRadios(q.anyStdout(radioBlocks)), kind)
	if !blocked {
		return nil
	}
	f := &finding{evidence: []string{q.say(sayRadioFigures, q.yesNo(r.soft), q.yesNo(r.hard))}}
	if r.hard {
		f.verdict = q.say(hard)
		return f
	}
	f.verdict = q.say(soft)
	f.propose(command(unblock), q.say(askUnblock, unblock))
	return f
}

func (q *inquiry) yesNo(yes bool) string {
	if yes {
		return q.say(sayIs)
	}
	return q.say(sayIsNot)
}
