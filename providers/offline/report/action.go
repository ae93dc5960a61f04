package report

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
)

// Results of changes made by a command, in one sentence.
var (
	sayPruned         = i18n.T("지난 패키지 파일 %[1]s개를 지워서 %[2]s{이/가} 비었어요.", "Deleted %[1]s old package files, which freed %[2]s.", "已删除 %[1]s 个旧软件包文件，释放了 %[2]s。")
	sayPrunedNone     = i18n.T("지울 지난 패키지 파일이 없었어요.", "There were no old package files to delete.", "没有可删除的旧软件包文件。")
	sayVacuumed       = i18n.T("오래된 시스템 로그를 지워서 %[1]s{이/가} 비었어요.", "Deleted old system logs, which freed %[1]s.", "已删除旧的系统日志，释放了 %[1]s。")
	sayVacuumedNone   = i18n.T("지울 오래된 로그가 없었어요(비운 공간 0 B).", "There were no old logs to delete (freed 0 B).", "没有可删除的旧日志（释放 0 B）。")
	sayTrashEmptied   = i18n.T("휴지통을 비웠어요.", "The trash is empty now.", "回收站已清空。")
	sayWifiOn         = i18n.T("와이파이를 켰어요. 저장된 네트워크라면 곧 연결돼요.", "Wi-Fi is switched on; a saved network connects in a moment.", "Wi-Fi 已打开，已保存的网络稍后会自动连接。")
	sayWifiOff        = i18n.T("와이파이를 껐어요.", "Wi-Fi is switched off.", "Wi-Fi 已关闭。")
	sayUnblocked      = i18n.T("무선 차단을 풀었어요. 이제 연결해 보세요.", "The radio is unblocked; connect now.", "已解除无线屏蔽，现在可以连接了。")
	sayBlockedRadio   = i18n.T("무선을 껐어요.", "The radio is blocked.", "已屏蔽无线。")
	sayConnected      = i18n.T("연결했어요.", "Connected.", "已连接。")
	sayDisconnected   = i18n.T("연결을 끊었어요.", "Disconnected.", "已断开。")
	sayHandedOver     = i18n.T("이제 NetworkManager가 관리해요.", "NetworkManager manages it now.", "现在由 NetworkManager 管理。")
	sayRebooting      = i18n.T("재부팅을 시작했어요.", "The machine is rebooting.", "正在重启。")
	sayNTPOn          = i18n.T("시각 동기화를 켰어요. 인터넷이 되면 곧 맞춰져요.", "Time synchronisation is on; the clock is set as soon as a server answers.", "已开启时间同步，联网后会自动校准。")
	sayNTPOff         = i18n.T("시각 동기화를 껐어요.", "Time synchronisation is off.", "已关闭时间同步。")
	sayZoneSet        = i18n.T("시간대를 %[1]s{으로/로} 바꿨어요.", "The time zone is now %[1]s.", "时区已改为 %[1]s。")
	sayRTCSet         = i18n.T("메인보드 시계(RTC)의 기준을 바꿨어요.", "Changed what the board's clock (RTC) counts in.", "已更改主板时钟（RTC）的基准。")
	sayRTCWritten     = i18n.T("지금 시각을 메인보드 시계(RTC)에 써 넣었어요.", "Wrote the current time to the board's clock (RTC).", "已把当前时间写入主板时钟（RTC）。")
	sayLocaleMade     = i18n.T("로케일을 만들었어요. 다시 로그인하면 적용돼요.", "The locale is generated; log in again to use it.", "区域设置已生成，重新登录后生效。")
	sayLocaleSet      = i18n.T("시스템 언어를 바꿨어요. 다시 로그인하면 적용돼요.", "The system language is set; log in again to use it.", "系统语言已更改，重新登录后生效。")
	sayUnmuted        = i18n.T("음소거를 풀었어요.", "Unmuted.", "已取消静音。")
	sayNowMuted       = i18n.T("음소거했어요.", "Muted.", "已静音。")
	sayVolumeSet      = i18n.T("음량을 %[1]s로 맞췄어요.", "The volume is set to %[1]s.", "音量已设为 %[1]s。")
	sayBrightnessSet  = i18n.T("화면 밝기를 %[1]s로 바꿨어요.", "The brightness is now %[1]s.", "屏幕亮度已调到 %[1]s。")
	sayOpened         = i18n.T("`%[1]s`{을/를} 시작했어요.", "Started `%[1]s`.", "已启动 `%[1]s`。")
	sayOutputSet      = i18n.T("기본 출력 장치를 바꿨어요. 들리지 않던 소리를 다시 틀어 보세요.", "The default output is changed; play something again.", "已更改默认输出设备，请重新播放试试。")
	saySoundRestarted = i18n.T("소리 서비스를 다시 시작했어요. 소리를 내던 프로그램은 다시 열어야 할 수 있어요.", "The sound services are restarted; programs that were playing may have to be opened again.", "声音服务已重启，正在播放的程序可能需要重新打开。")
	sayBluetoothOn    = i18n.T("블루투스를 켰어요.", "Bluetooth is switched on.", "蓝牙已打开。")
	sayBluetoothNo    = i18n.T("기기가 연결을 받지 않았어요. 켜져 있는지, 가까이 있는지 확인하고 다시 해 보세요.", "The device did not take the connection. See that it is on and near, then try again.", "设备没有接受连接。请确认它已开机且在附近，然后重试。")
	sayMounted        = i18n.T("마운트했어요. %[1]s에서 열 수 있어요.", "Mounted; it is at %[1]s.", "已挂载，可在 %[1]s 打开。")
	sayUnmarked       = i18n.T("NTFS 표시를 지웠어요. 이제 마운트할 수 있어요.", "The NTFS mark is cleared; it can be mounted now.", "NTFS 标记已清除，现在可以挂载。")
	sayAskedToEnd     = i18n.T("종료를 요청했어요. 곧 닫히지 않으면 멈춰 있는 거예요.", "Asked it to end. If it does not close soon, it hangs.", "已请求其退出。若很快没有关闭，说明它已卡死。")
	sayUnmasked       = i18n.T("%[1]s{을/를} 막은 것을 풀었어요. 이제 시작할 수 있어요.", "Unmasked %[1]s; it can be started now.", "已解除对 %[1]s 的屏蔽，现在可以启动。")
	sayUnitDisabled   = i18n.T("이제 %[1]s{은/는} 부팅할 때 시작되지 않아요.", "%[1]s will no longer start at boot.", "%[1]s 今后不会开机启动。")
	sayPrinterOn      = i18n.T("프린터를 다시 켰어요. 기다리던 인쇄가 나와요.", "The printer is resumed; waiting jobs print now.", "打印机已恢复，等待的任务会开始打印。")
	sayPrinterOpen    = i18n.T("프린터가 다시 인쇄를 받아요.", "The printer accepts jobs again.", "打印机重新接受任务。")
	sayPrinterDefault = i18n.T("기본 프린터를 정했어요.", "The default printer is set.", "已设置默认打印机。")
	sayInputStarted   = i18n.T("fcitx5를 시작했어요. 한/영 키나 Ctrl+Space로 바꿔 보세요.", "fcitx5 is started; switch with the Hangul key or Ctrl+Space.", "fcitx5 已启动，可用 Ctrl+Space 切换。")
	saySavingOff      = i18n.T("무선 절전을 껐어요. 재부팅하면 원래대로 돌아가요.", "Wireless power saving is off until the next reboot.", "已关闭无线省电，重启后会恢复。")
	saySaverOn        = i18n.T("절전 모드로 바꿨어요. 되돌리려면 `powerprofilesctl set balanced`예요.", "Power saving is on; `powerprofilesctl set balanced` goes back.", "已切换到省电模式，用 `powerprofilesctl set balanced` 可恢复。")
	sayAlreadyEnded   = i18n.T("그 프로그램은 이미 끝나 있었어요.", "It had already ended.", "它已经结束了。")
	sayManyFiles      = i18n.T("파일이 가장 많은 폴더는 %[1]s{이에요/예요}: inode %[2]s개.", "The folder with the most files is %[1]s: %[2]s {inode|inodes}.", "文件最多的文件夹是 %[1]s：%[2]s 个 inode。")
)

// Reasons why a change made by a command failed.
var (
	sayNeedsPassword = i18n.T("관리자 암호가 필요해서 실행하지 못했어요. 터미널에서 직접 실행해 주세요: `%[1]s`", "It was not run because it needs the administrator's password. Run it in a terminal: `%[1]s`", "需要管理员密码，没有执行。请在终端中运行：`%[1]s`")
	sayNotAuthorised = i18n.T("권한이 없어서 실행하지 못했어요. 터미널에서 직접 실행해 주세요: `%[1]s`", "It was not run for lack of rights. Run it in a terminal: `%[1]s`", "没有权限，未能执行。请在终端中运行：`%[1]s`")
	sayNoProgram     = i18n.T("`%[1]s` 프로그램이 없어서 실행하지 못했어요.", "It was not run because the program `%[1]s` is not installed.", "没有 `%[1]s` 程序，未能执行。")
)

// action describes a command that changes something and its result. figure has one group for each argument of
// done.
type action struct {
	command         string // prefix of the command after sudo and its options
	ends            string // suffix of the command
	done            i18n.Text
	figure          string
	fromCmd         bool // figure is matched against the command, not the output
	failed          string
	unchanged       i18n.Text
	unchangedOutput string // output if there was nothing to do
}

// actions are the commands that chains propose and that people request, in matching order.
var actions = []action{
	{command: "paccache -r", done: sayPruned, figure: `finished: (\d+) packages? removed \(disk space saved: ([\d.]+ \w+)\)`, unchanged: sayPrunedNone, unchangedOutput: "no candidate packages"},
	{command: "gio trash --empty", done: sayTrashEmptied},
	{command: "nmcli radio wifi on", done: sayWifiOn},
	{command: "nmcli radio wifi off", done: sayWifiOff},
	{command: "nmcli connection up", done: sayConnected, failed: "error:"},
	{command: "nmcli device connect", done: sayConnected, failed: "error:"},
	{command: "nmcli connection down", done: sayDisconnected, failed: "error:"},
	{command: "nmcli device set", done: sayHandedOver},
	{command: "rfkill unblock", done: sayUnblocked},
	{command: "rfkill block", done: sayBlockedRadio},
	{command: "systemctl reboot", done: sayRebooting},
	{command: "reboot", done: sayRebooting},
	{command: "timedatectl set-ntp true", done: sayNTPOn},
	{command: "timedatectl set-ntp false", done: sayNTPOff},
	{command: "timedatectl set-timezone", done: sayZoneSet, figure: `set-timezone (\S+)`, fromCmd: true},
	{command: "timedatectl set-local-rtc", done: sayRTCSet},
	{command: "hwclock --systohc", done: sayRTCWritten},
	{command: "localectl set-locale", done: sayLocaleSet},
	{command: "wpctl set-mute", done: sayUnmuted, figure: `set-mute \S+ 0$`, fromCmd: true},
	{command: "wpctl set-mute", done: sayNowMuted, figure: `set-mute \S+ 1$`, fromCmd: true},
	{command: "wpctl set-volume", done: sayVolumeSet, figure: `set-volume \S+ (\d+%)$`, fromCmd: true},
	{command: "pactl set-sink-mute", done: sayUnmuted, figure: `mute \S+ 0$`, fromCmd: true},
	{command: "pactl set-sink-mute", done: sayNowMuted, figure: `mute \S+ 1$`, fromCmd: true},
	{command: "pactl set-sink-volume", done: sayVolumeSet, figure: `volume \S+ (\d+%)$`, fromCmd: true},
	{command: "brightnessctl set", done: sayBrightnessSet, figure: `set (\d+%)$`, fromCmd: true},
	{command: "systemd-run --user --collect -- ", done: sayOpened, figure: `-- (\S+)`, fromCmd: true},
	{command: "wpctl set-default", done: sayOutputSet},
	{command: "systemctl --user restart wireplumber", done: saySoundRestarted},
	{command: "systemctl unmask", done: sayUnmasked, figure: `unmask (\S+?)(?:\.service)?$`, fromCmd: true},
	{command: "systemctl disable", done: sayUnitDisabled, figure: `disable (\S+?)(?:\.service)?$`, fromCmd: true},
	{command: "bluetoothctl power on", done: sayBluetoothOn, figure: `succeeded`, failed: "failed"},
	{command: "bluetoothctl connect", done: sayConnected, figure: `Connection successful`, failed: "failed to connect", unchanged: sayBluetoothNo, unchangedOutput: "Failed to connect"},
	{command: "udisksctl mount", done: sayMounted, figure: `Mounted \S+ at (.+?)\.?$`},
	{command: "ntfsfix -d", done: sayUnmarked, figure: `processed successfully`},
	{command: "cupsenable", done: sayPrinterOn},
	{command: "cupsaccept", done: sayPrinterOpen},
	{command: "lpoptions -d", done: sayPrinterDefault},
	{command: "fcitx5 -d", done: sayInputStarted},
	{command: "powerprofilesctl set power-saver", done: saySaverOn},
	{command: "iw dev ", ends: " set power_save off", done: saySavingOff},
	{command: "kill ", done: sayAskedToEnd, unchanged: sayAlreadyEnded, unchangedOutput: "No such process"},
}

var actionForms = sync.OnceValue(func() (re struct{ sudo, freed, inodes *regexp.Regexp }) {
	re.sudo = regexp.MustCompile(`^sudo(?: -n)* +`)
	re.freed = regexp.MustCompile(`freed ([\d.]+[BKMGT]?) of archived journals`)
	re.inodes = regexp.MustCompile(`^(\d+)\s+(/.*)$`)
	return re
})

// actionText reports a change in one sentence. It returns "" for an unknown command, or if the output does not show
// the result.
func (r *result) actionText(s *providers.Step) string {
	plain := actionForms().sudo.ReplaceAllString(strings.TrimSpace(s.Command), "")
	if text := r.refusedActionText(s, plain); text != "" {
		return text
	}
	switch {
	case strings.HasPrefix(plain, "journalctl --vacuum"):
		return r.vacuumText(s)
	case strings.HasPrefix(plain, "du -x --inodes"):
		return r.manyFiles(s)
	case strings.HasSuffix(plain, "locale-gen") && s.Exit == 0 && strings.Contains(s.Stdout, "Generation complete"):
		return r.say(sayLocaleMade)
	case strings.ContainsAny(plain, ";&|<>\n"):
		return ""
	}
	for _, d := range actions {
		if text := r.matchAction(d, s, plain); text != "" {
			return text
		}
	}
	return ""
}

// matchAction reports a command as action d. It returns "" if the command is not d or failed.
func (r *result) matchAction(d action, s *providers.Step, plain string) string {
	if !strings.HasPrefix(plain, d.command) || !strings.HasSuffix(plain, d.ends) {
		return ""
	}
	printed := s.Stdout + "\n" + s.Stderr
	low := strings.ToLower(printed)
	switch {
	case d.unchangedOutput != "" && strings.Contains(printed, d.unchangedOutput):
		return r.say(d.unchanged)
	case s.Exit != 0 || s.TimedOut || s.MissingProgram != "" || d.failed != "" && strings.Contains(low, d.failed):
		return ""
	case containsAny(strings.ToLower(s.Stderr), "error", "fail", "denied", "cannot", "invalid"):
		return ""
	}
	return r.actionResult(d, plain, printed)
}

// vacuumText adds up the space that the journals freed.
func (r *result) vacuumText(s *providers.Step) string {
	sum, seen := 0.0, false
	for _, m := range actionForms().freed.FindAllStringSubmatch(s.Stdout+"\n"+s.Stderr, -1) {
		if n, ok := parseSize(m[1]); ok {
			sum, seen = sum+n, true
		}
	}
	switch {
	case !seen || s.Exit != 0:
		return ""
	case sum == 0:
		return r.say(sayVacuumedNone)
	}
	return r.say(sayVacuumed, formatSize(sum))
}

// manyFiles names the deepest folder that holds at least half of all inodes, or else the first below the root.
func (r *result) manyFiles(s *providers.Step) string {
	all, best, count := 0, "", ""
	for _, line := range outputLines(s.Stdout) {
		m := actionForms().inodes.FindStringSubmatch(line)
		if m == nil {
			return ""
		}
		n, _ := strconv.Atoi(m[1])
		all = max(all, n)
		if m[2] != "/" && (best == "" || n*2 >= all && strings.HasPrefix(m[2], best+"/")) {
			best, count = m[2], groupDigits(n)
		}
	}
	if best == "" {
		return ""
	}
	return r.say(sayManyFiles, r.tilde(best), count)
}

// groupDigits formats a number with commas.
func groupDigits(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// actionResult reports the result of an action. It returns "" if the figure that proves it is missing.
func (r *result) actionResult(d action, plain, printed string) string {
	if d.figure == "" {
		return r.say(d.done)
	}
	text := printed
	if d.fromCmd {
		text = plain
	}
	m := regexp.MustCompile(`(?m)` + d.figure).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	var args []any
	for _, a := range m[1:] {
		args = append(args, cutRunes(cleanLine(a), 80))
	}
	return r.say(d.done, args...)
}

// refusedActionText reports a change that was not allowed or whose program is missing, and how to do it by hand.
func (r *result) refusedActionText(s *providers.Step, plain string) string {
	if s.Exit == 0 || s.TimedOut {
		return ""
	}
	low := strings.ToLower(s.Stderr)
	byHand := "sudo " + plain
	switch {
	case missingUnderSudo(s.Stderr) != "":
		return r.say(sayNoProgram, missingUnderSudo(s.Stderr))
	case containsAny(low, "a password is required", "a terminal is required"):
		return r.say(sayNeedsPassword, strings.ReplaceAll(byHand, "sudo -n ", "sudo "))
	case containsAny(low, "interactive authentication required", "not authorized", "you cannot perform this operation unless you are root"):
		return r.say(sayNotAuthorised, byHand)
	}
	return ""
}

// missingUnderSudo returns the program that sudo did not find.
func missingUnderSudo(stderr string) string {
	name, found := "", false
	for _, line := range outputLines(stderr) {
		if name, found = strings.CutPrefix(line, "sudo: "); found {
			if name, found = strings.CutSuffix(name, ": command not found"); found {
				return name
			}
		}
	}
	return ""
}
