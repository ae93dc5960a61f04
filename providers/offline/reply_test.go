package offline

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
)

var update = flag.Bool("update", false, "rewrite the golden replies")

// replyCase is a question with recorded outputs of the first call it leads to.
type replyCase struct {
	name   string
	ko, en string
	out    providers.Output
}

func replyCases(t testing.TB) []replyCase {
	f := func(name string) string { return recorded(t, name) }
	df := func(file string) providers.Output { return output(ran("df -h", f(file))) }
	connectivity := func(addr, route string, ping, dns int) providers.Output {
		pingText := ""
		if ping == 0 {
			pingText = f("ping-ok.txt")
		}
		return output(ran("nmcli general status", "STATE"), ran("ip -br addr", addr), ran("ip route", route), exited("ping -c 1 -W 2 1.1.1.1", ping, pingText, ""), exited("getent hosts archlinux.org", dns, "", ""))
	}
	info := func(qi, si providers.Step) providers.Output { return output(qi, si) }
	lockError := "error: failed to synchronize all databases (unable to lock database)\n"
	return []replyCase{
		{"disk-full", "디스크 꽉 찼어?", "disk full?", df("df-full.txt")},
		{"disk-btrfs", "디스크 용량 알려줘", "how much disk space is free?", df("df-btrfs.txt")},
		{"disk-home", "/home 용량 얼마나 남았어? 디스크", "how full is the disk at /home", df("df-full.txt")},
		{"disk-container", "디스크 꽉 찼어?", "disk full?", df("df-container.txt")},
		{"disk-korean-output", "디스크 꽉 찼어?", "disk full?", df("df-korean.txt")},
		{"disk-only-tmpfs", "디스크 꽉 찼어?", "disk full?", df("df-only-tmpfs.txt")},
		{"disk-empty", "디스크 꽉 찼어?", "disk full?", df("empty.txt")},
		{"disk-nospace-but-room", "저장할 공간이 없다고 나와요", "it says no space left on device", df("df-container.txt")},
		{"disk-timeout", "디스크 꽉 찼어?", "disk full?", output(providers.Step{Command: "df -h", Exit: -1, TimedOut: true, Stdout: f("df-full.txt")})},
		{"disk-failed", "디스크 꽉 찼어?", "disk full?", output(exited("df -h", 1, "", "df: /mnt/nas: Stale file handle\n"))},
		{"memory-tight", "메모리 부족해?", "am I running out of memory?", output(ran("free -h", f("free-tight.txt")))},
		{"memory-fine", "메모리 얼마나 남았어?", "how much memory is free?", output(ran("free -h", f("free-fine.txt")))},
		{"memory-korean-output", "메모리 얼마나 남았어?", "how much memory is free?", output(ran("free -h", f("free-korean.txt")))},
		{"memory-old-free", "메모리 얼마나 남았어?", "how much memory is free?", output(ran("free -h", f("free-old.txt")))},
		{"swap", "스왑 쓰고 있어?", "am I swapping?", output(ran("free -h", f("free-fine.txt")))},
		{"processes-memory", "메모리 제일 많이 먹는 프로그램", "what uses the most memory?", output(ran("ps aux --sort=-%mem", f("ps-mem.txt")))},
		{"processes-cpu", "CPU 많이 쓰는 거 뭐야", "what's hogging my cpu", output(ran("ps aux --sort=-%cpu", f("ps-mem.txt")))},
		{"process-running", "스포티파이 실행 중이야?", "is spotify running?", output(ran("pgrep -a -i -- spotify", "4121 /opt/spotify/spotify\n4130 /opt/spotify/spotify --type=zygote\n"))},
		{"process-not-running", "스포티파이 실행 중이야?", "is spotify running?", output(exited("pgrep -a -i -- spotify", 1, "", ""))},
		{"logs-errors", "오늘 에러 보여줘", "show me the errors from today", output(ran("journalctl --no-pager -n 200 --since today -p err", f("journal-errors.txt")))},
		{"logs-none", "오늘 에러 보여줘", "show me the errors from today", output(ran("journalctl --no-pager -n 200 --since today -p err", "-- No entries --\n"))},
		{"logs-unit-quiet", "sshd 로그 보여줘", "show me the sshd logs", output(ran("journalctl --no-pager -n 200 -u sshd", "Nov 21 08:00:12 blunux sshd[1]: Server listening on 0.0.0.0 port 22.\n"))},
		{"wifi", "와이파이 목록", "list wifi networks", output(ran("nmcli device wifi list", f("wifi.txt")))},
		{"wifi-no-manager", "와이파이 목록", "list wifi networks", output(exited("nmcli device wifi list", 8, "", "Error: NetworkManager is not running.\n"))},
		{"wifi-no-nmcli", "와이파이 목록", "list wifi networks", output(providers.Step{Command: "nmcli device wifi list", MissingProgram: "nmcli", Exit: -1})},
		{"internet-ok", "인터넷 돼?", "am I online?", connectivity(f("addr.txt"), f("route.txt"), 0, 0)},
		{"internet-no-link", "인터넷이 안 돼요", "no internet", connectivity("lo UNKNOWN 127.0.0.1/8\nwlan0 DOWN\n", "", 2, 2)},
		{"internet-no-route", "인터넷이 안 돼요", "no internet", connectivity(f("addr.txt"), "", 2, 2)},
		{"internet-no-ping", "인터넷이 안 돼요", "no internet", connectivity(f("addr.txt"), f("route.txt"), 1, 2)},
		{"internet-no-dns", "인터넷이 안 돼요", "no internet", connectivity(f("addr.txt"), f("route.txt"), 0, 2)},
		{"ip", "내 아이피 뭐야", "what's my ip", output(ran("ip -br addr", f("addr.txt")), ran("ip route", f("route.txt")))},
		{"ports", "열린 포트 뭐 있어?", "which ports are open?", output(ran("ss -tulpn", f("ss.txt")))},
		{"port-8080", "8080 포트 누가 써?", "who is using port 8080?", output(ran("ss -tulpn", f("ss.txt")))},
		{"port-free", "3000 포트 누가 써?", "who is using port 3000?", output(ran("ss -tulpn", f("ss.txt")))},
		{"orphans-none", "고아 패키지 있어?", "any orphan packages?", output(exited("pacman -Qdt", 1, "", ""))},
		{"packages-foreign", "AUR 패키지 보여줘", "show AUR packages", output(ran("pacman -Qm", "google-chrome 142.0.7444.59-1\nyay 12.5.2-1\n"))},
		{"search", "pdf 프로그램 찾아줘", "search for pdf", output(ran("pacman -Ss -- pdf", f("search-pdf.txt")))},
		{"search-none", "zzqx 패키지 찾아줘", "search for a package called zzqx", output(exited("pacman -Ss -- zzqx", 1, "", ""))},
		{"info-installed", "파이어폭스 언제 깔았어?", "when was firefox installed?", info(ran("pacman -Qi -- firefox", f("qi-firefox.txt")), ran("pacman -Si -- firefox", "Repository : extra\nVersion : 146.0-1\n"))},
		{"info-version", "파이어폭스 버전", "firefox version", info(ran("pacman -Qi -- firefox", f("qi-firefox.txt")), exited("pacman -Si -- firefox", 1, "", ""))},
		{"info-available", "vlc 설치돼 있어?", "is vlc installed?", info(exited("pacman -Qi -- vlc", 1, "", "error: package 'vlc' was not found\n"), ran("pacman -Si -- vlc", f("si-vlc.txt")))},
		{"info-unknown", "크롬 설치돼 있어?", "is chrome installed?", info(exited("pacman -Qi -- google-chrome", 1, "", "error: package 'google-chrome' was not found\n"), exited("pacman -Si -- google-chrome", 1, "", "error: package 'google-chrome' was not found\n"))},
		{"updates", "업데이트 있어?", "any updates?", output(ran("checkupdates", f("updates.txt")))},
		{"updates-none", "업데이트 있어?", "any updates?", output(exited("checkupdates", 2, "", ""))},
		{"updates-fallback", "업데이트 있어?", "any updates?", output(providers.Step{Command: "checkupdates", MissingProgram: "checkupdates", Exit: -1}, exited("pacman -Qu", 1, "", ""))},
		{"install-done", "vlc 설치해줘", "install vlc", output(ran("yay -S --noconfirm -- vlc", "installing vlc...\n"))},
		{"install-service", "도커 설치해줘", "install docker", output(ran("yay -S --noconfirm -- docker", "installing docker...\n"))},
		{"install-not-found", "foozle-viewer 설치해줘", "install foozle-viewer", output(exited("yay -S --noconfirm -- foozle-viewer", 1, "", f("install-fail.txt")))},
		{"install-denied", "vlc 설치해줘", "install vlc", providers.Output{Refusal: "denied"}},
		{"install-queued", "vlc 설치해줘", "install vlc", providers.Output{Refusal: "queued"}},
		{"install-blocked", "vlc 설치해줘", "install vlc", providers.Output{Refusal: "blocked"}},
		{"install-expired", "vlc 설치해줘", "install vlc", providers.Output{Refusal: "expired"}},
		{"remove-dependency", "mesa 삭제해줘", "remove mesa", output(exited("yay -Rns --noconfirm -- mesa", 1, "checking dependencies...\n", "error: failed to prepare transaction (could not satisfy dependencies)\n:: removing mesa breaks dependency 'mesa' required by gtk3\n"))},
		{"update-done", "시스템 업데이트해줘", "update everything", output(ran("sudo pacman -Syu --noconfirm", f("update-ok.txt")))},
		{"update-locked", "시스템 업데이트해줘", "update everything", output(exited("sudo pacman -Syu --noconfirm", 1, "", lockError))},
		{"service-failed", "도커 실행 중이야?", "is docker running?", output(exited("systemctl status --no-pager -n 10 -- docker", 3, f("status-failed.txt"), ""))},
		{"service-running", "블루투스 상태", "is bluetooth running?", output(ran("systemctl status --no-pager -n 10 -- bluetooth", f("status-running.txt")))},
		{"service-enabled", "블루투스 자동 시작돼?", "is bluetooth enabled at boot?", output(ran("systemctl status --no-pager -n 10 -- bluetooth", f("status-running.txt")))},
		{"service-off", "SSH 서버 켜져 있나요?", "is sshd running?", output(exited("systemctl status --no-pager -n 10 -- sshd", 3, f("status-inactive.txt"), ""))},
		{"service-missing", "nginx 상태", "nginx status", output(exited("systemctl status --no-pager -n 10 -- nginx", 4, "", "Unit nginx.service could not be found.\n"))},
		{"services-failed", "실패한 서비스 있어?", "any failed services?", output(ran("systemctl --failed --no-pager", f("failed-units.txt")))},
		{"services-well", "실패한 서비스 있어?", "any failed services?", output(ran("systemctl --failed --no-pager", f("failed-none.txt")))},
		{"manage-done", "블루투스 재시작해줘", "restart bluetooth", output(ran("systemctl restart -- bluetooth", ""))},
		{"manage-auth", "블루투스 재시작해줘", "restart bluetooth", output(exited("systemctl restart -- bluetooth", 1, "", "Failed to restart bluetooth.service: Interactive authentication required.\nSee system logs and 'systemctl status bluetooth.service' for details.\n"))},
		{"manage-failed", "도커 시작해줘", "start docker", output(exited("systemctl start -- docker", 1, "", "Job for docker.service failed because the control process exited with error code.\nSee \"systemctl status docker.service\" and \"journalctl -xeu docker.service\" for details.\n"))},
		{"system-uptime", "컴퓨터 켠 지 얼마나 됐어?", "how long has this machine been up?", output(ran("uname -srm", "Linux 6.17.8-arch1-1 x86_64"), ran("cat /etc/os-release", f("os-release.txt")), ran("uptime", f("uptime.txt")), ran("free -h", f("free-fine.txt")), ran("lscpu", f("lscpu.txt")))},
		{"system-specs", "컴퓨터 사양 알려줘", "show me the specs", output(ran("uname -srm", "Linux 6.17.8-arch1-1 x86_64"), ran("cat /etc/os-release", f("os-release.txt")), ran("uptime", f("uptime.txt")), ran("free -h", f("free-fine.txt")), ran("lscpu", f("lscpu.txt")))},
		{"system-kernel", "커널 버전", "kernel version", output(ran("uname -srm", "Linux 6.17.8-arch1-1 x86_64"), ran("cat /etc/os-release", f("os-release.txt")))},
		{"hardware-gpu", "그래픽카드 뭐야", "what gpu do I have", output(ran("lspci -nnk", f("lspci.txt")))},
		{"hardware-battery", "배터리 얼마나 남았어", "battery?", output(ran("upower -d", f("upower.txt")))},
		{"hardware-temperature", "cpu 온도 알려줘", "cpu temperature", output(ran("sensors", f("sensors.txt")))},
		{"hardware-no-sensors", "cpu 온도 알려줘", "cpu temperature", output(providers.Step{Command: "sensors", MissingProgram: "sensors", Exit: -1})},
		{"hardware-usb", "usb 꽂았는데 인식이 안 돼요", "my usb stick is not detected", output(ran("lsusb", f("lsusb.txt")))},
		{"hardware-disks", "디스크 목록 보여줘", "list block devices", output(ran("lsblk -o NAME,SIZE,TYPE,FSTYPE,MOUNTPOINT", f("lsblk.txt")))},
		{"hardware-cores", "cpu 코어 몇 개야", "how many cpu cores are there?", output(ran("lscpu", f("lscpu.txt")))},
		{"boot", "부팅이 왜 이렇게 느려?", "why is booting so slow?", output(ran("systemd-analyze time", f("boot-time.txt")), ran("systemd-analyze blame --no-pager", f("blame.txt")), ran("systemd-analyze critical-chain --no-pager", ""))},
		{"large", "홈 폴더에서 큰 파일 찾아줘", "find the biggest files in my home folder", output(exited("du -x -h --max-depth=1 /home/blu", 1, f("du.txt"), "du: cannot read directory '/home/blu/.secret': Permission denied\n"), ran("find /home/blu -xdev -type f -size +100M", f("find.txt")))},
		{"command", "`ls -la ~/Projects` 실행해줘", "run `ls -la ~/Projects`", output(exited("ls -la ~/Projects", 2, "", "ls: cannot access '/home/blu/Projects': No such file or directory\n"))},
	}
}

func TestRepliesMatchTheirGoldens(t *testing.T) {
	for _, tc := range replyCases(t) {
		for lang, question := range map[string]string{"ko": tc.ko, "en": tc.en} {
			t.Run(tc.name+"."+lang, func(t *testing.T) {
				c := newChat(t, lang)
				require.NotEmpty(t, c.say(question).ToolUses(), question)
				c.offerNothingMore()
				got := c.result(tc.out)
				text := "> " + question + "\n" + got.Text() + "\n"
				for _, s := range calls(t, got) {
					text += "→ " + s.Tool + "\n"
				}
				file := filepath.Join("testdata", "golden", tc.name+"."+lang+".txt")
				if *update {
					require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
				}
				want, err := os.ReadFile(file)
				require.NoError(t, err)
				require.Equal(t, string(want), text)
			})
		}
	}
}

// TestRepliesNeverPrintMarkers checks every reply for formatting mistakes.
func TestRepliesNeverPrintMarkers(t *testing.T) {
	for _, tc := range replyCases(t) {
		for _, lang := range []string{"ko", "en", "zh"} {
			c := newChat(t, lang)
			c.say(tc.en)
			c.offerNothingMore()
			text := c.result(tc.out).Text()
			for _, bad := range []string{"%!", "{은}", "{이}", "{을}", "{로}", "{과}", "{이에요}", "%[", "%%", "\x1b", "\n\n\n"} {
				require.False(t, strings.Contains(text, bad), "%s %s %q:\n%s", tc.name, lang, bad, text)
			}
		}
	}
}
