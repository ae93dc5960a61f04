package intent

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// changingSteps returns the steps of a plan that change something.
func changingSteps(p Plan) []Step {
	var out []Step
	for _, s := range append(append([]Step{}, p.Steps...), p.FollowUps...) {
		if !s.IsReadOnly() {
			out = append(out, s)
		}
	}
	return out
}

// TestH1TakingBackNeverBecomesAChange asks to undo, to cancel and not to do something.
func TestH1TakingBackNeverBecomesAChange(t *testing.T) {
	for _, text := range []string{
		"undo the last update", "rollback the last update", "roll back that upgrade please", "revert the upgrade", "downgrade everything", "cancel the update", "cancel update",
		"don't update", "do not update the system", "never update", "please don't upgrade", "don't please update", "I don't want to update", "no update please", "stop updating", "I changed my mind, don't upgrade",
		"undo the installation of vlc", "I installed vlc by mistake, undo that", "take back the update", "put everything back the way it was", "go back to the previous kernel", "un-update", "uninstall the last update",
		"don't restart nginx", "cancel the restart of nginx", "don't install vlc", "do not remove firefox", "don't reboot", "don't turn it off",
		"업데이트 취소해줘", "마지막 업데이트 되돌려줘", "업데이트 되돌려", "업데이트하지 마", "업데이트 하지마", "업데이트하지 말아줘", "업데이트는 하지 말고 그냥 둬", "업데이트 안 할래", "업데이트 말고 디스크나 봐줘", "롤백해줘", "이전 버전으로 되돌려줘", "다운그레이드해줘", "어제 한 업데이트 취소하고 싶어",
		"vlc 설치 취소해줘", "vlc 설치하지 마", "nginx 재시작하지 마", "nginx 재시작 취소", "재부팅하지 마", "업데이트 원래대로 돌려놔", "방금 설치한 거 되돌려줘",
		"撤销更新", "撤销刚才的更新", "回滚更新", "取消更新", "不要更新", "别更新了", "不更新", "先不更新", "还原到更新之前", "把更新退回去", "降级到上一个版本", "取消安装 vlc", "不要重启 nginx", "别重启", "不想升级",
	} {
		require.Empty(t, changingSteps(shared().Understand(text, Context{})), text)
	}
}

// TestH1UndoLooksAtWhatWasChanged expects the list of changes first.
func TestH1UndoLooksAtWhatWasChanged(t *testing.T) {
	for _, text := range []string{"undo the last update", "rollback", "마지막 업데이트 되돌려줘", "롤백해줘", "撤销更新", "回滚"} {
		p := shared().Understand(text, Context{})
		require.Equal(t, []Step{Call("recent_changes")}, p.Steps, text)
		require.Equal(t, []string{"undo"}, p.Diagnoses, text)
	}
}

// TestH9OtherDevicesAreNeverThisComputer gives orders about a router, a phone, a printer, a television and a
// stick.
func TestH9OtherDevicesAreNeverThisComputer(t *testing.T) {
	frames := map[string][]string{
		"en": {"restart my %s", "please reboot the %s", "turn off the %s", "update my %s", "can you restart the %s?", "shut down the %s", "switch my %s on", "reset the %s", "install updates on my %s", "the %s is slow, restart it"},
		"ko": {"%s 재부팅해줘", "%s 꺼줘", "%s 업데이트해줘", "%s 좀 다시 시작해줘", "내 %s 켜줘", "%s 초기화해줘", "%s가 느려, 재시작해줘"},
		"zh": {"重启%s", "把%s关掉", "更新我的%s", "帮我重启一下%s", "关闭%s"},
	}
	devices := map[string][]string{
		"en": {"router", "phone", "iphone", "tablet", "tv", "television", "printer", "usb stick", "fridge", "smartwatch", "playstation", "other computer", "kid's tablet", "friend's laptop"},
		"ko": {"공유기", "휴대폰", "핸드폰", "스마트폰", "티비", "텔레비전", "프린터", "USB 메모리", "냉장고", "태블릿", "게임기", "친구 노트북"},
		"zh": {"路由器", "手机", "平板", "电视", "打印机", "U盘", "冰箱", "朋友的电脑"},
	}
	for lang, list := range frames {
		for _, frame := range list {
			for _, device := range devices[lang] {
				text := strings.ReplaceAll(frame, "%s", device)
				p := shared().Understand(text, Context{})
				require.Empty(t, changingSteps(p), "%s: %s", text, p.Why())
				require.NotEqual(t, "power", p.Topic, text)
			}
		}
	}
}

// TestH6WeakMatchesNeverChangeAnything describes problems that are only partly understood.
func TestH6WeakMatchesNeverChangeAnything(t *testing.T) {
	for _, text := range []string{
		"sudo does not work", "sudo says I am not in the sudoers file", "pacman says the database is corrupted", "my package database is damaged", "error: failed to commit transaction (conflicting files)", "could not lock database",
		"treat me to lutris", "my screen flickers", "everything is broken", "fix it", "fix my computer", "make it faster", "do something about it",
		"sudo가 안 돼", "sudo 비밀번호가 안 먹혀", "패키지 데이터베이스가 깨졌어", "고쳐줘", "어떻게 좀 해줘", "다 이상해", "sudo 用不了了", "软件包数据库坏了", "修一下",
	} {
		p := shared().Understand(text, Context{})
		require.Empty(t, changingSteps(p), "%s: %s", text, p.Why())
	}
}

// Words of the random sentences below.
var (
	promiseActs = map[string][]string{
		"en": {"install", "remove", "update", "upgrade", "restart", "stop", "start", "enable", "disable", "uninstall", "reboot"},
		"ko": {"설치해줘", "삭제해줘", "업데이트해줘", "재시작해줘", "꺼줘", "켜줘", "지워줘", "깔아줘", "재부팅해줘"},
		"zh": {"安装", "卸载", "更新", "升级", "重启", "停止", "启动", "删除"},
	}
	promiseObjects = []string{"firefox", "vlc", "nginx", "docker", "cups", "bluetooth", "system", "크롬", "도커", "시스템", "系统"}
	promiseNoise   = map[string][]string{
		"en": {"kitchen", "yellow", "tomorrow's", "grandmother", "sandwich", "because", "window", "river", "disk", "memory", "wifi", "battery", "slow", "full", "why", "what", "my", "the", "is", "today", "logs", "please"},
		"ko": {"부엌", "노란", "할머니", "샌드위치", "창문", "디스크", "메모리", "와이파이", "배터리", "느려", "왜", "뭐야", "오늘", "로그", "좀", "내", "이"},
		"zh": {"厨房", "黄色", "奶奶", "窗户", "磁盘", "内存", "电池", "慢", "为什么", "什么", "今天", "日志", "我的"},
	}
	denials = map[string][]string{
		"en": {"don't %s", "do not %s", "never %s", "please don't %s", "you must not %s", "undo: %s", "cancel the %s", "revert %s", "roll back %s"},
		"ko": {"%s 취소해줘", "%s 되돌려줘", "%s 하지 마", "%s 롤백"},
		"zh": {"不要%s", "别%s", "取消%s", "撤销%s", "回滚%s"},
	}
)

// TestH6NoActOrNoObjectMeansNoChange joins random words: only a word that requests a change may lead to one.
func TestH6NoActOrNoObjectMeansNoChange(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lang := rapid.SampledFrom([]string{"en", "ko", "zh"}).Draw(rt, "lang")
		words := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(promiseNoise[lang]), rapid.SampledFrom(promiseObjects)), 1, 9).Draw(rt, "words")
		text := strings.Join(words, map[string]string{"zh": ""}[lang]+map[bool]string{true: " "}[lang != "zh"])
		p := shared().Understand(text, Context{})
		require.Empty(rt, changingSteps(p), "%q: %s", text, p.Why())
	})
}

// TestH1DeniedActsMeanNoChange denies an act in a sentence of random words.
func TestH1DeniedActsMeanNoChange(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lang := rapid.SampledFrom([]string{"en", "ko", "zh"}).Draw(rt, "lang")
		act := rapid.SampledFrom(promiseActs[lang]).Draw(rt, "act")
		object := rapid.SampledFrom(promiseObjects).Draw(rt, "object")
		order := act + " " + object
		if lang == "ko" {
			order = object + " " + strings.TrimSuffix(act, "해줘")
		}
		text := strings.ReplaceAll(rapid.SampledFrom(denials[lang]).Draw(rt, "denial"), "%s", order)
		noise := rapid.SliceOfN(rapid.SampledFrom(promiseNoise[lang]), 0, 3).Draw(rt, "noise")
		if lang != "en" { // a denial ends a Korean sentence and begins a Chinese one
			text = strings.Join(append(noise, text), " ")
		} else {
			text = strings.Join(append([]string{text}, noise...), " ")
		}
		p := shared().Understand(text, Context{})
		require.Empty(rt, changingSteps(p), "%q: %s", text, p.Why())
	})
}

// TestH6OrdersAreStillOrders checks that clear orders are planned.
func TestH6OrdersAreStillOrders(t *testing.T) {
	for text, tool := range map[string]string{
		"install vlc": "install_package", "vlc 설치해줘": "install_package", "安装 vlc": "install_package", "remove vlc": "remove_package", "vlc 지워줘": "remove_package",
		"update the system": "update_system", "시스템 업데이트해줘": "update_system", "更新系统": "update_system", "don't ask, just update everything": "update_system",
		"restart nginx": "manage_service", "nginx 재시작해줘": "manage_service", "重启 nginx": "manage_service", "restart the printer service": "manage_service",
		"install kdeconnect for my phone": "install_package", "restart bluetooth, my phone does not connect": "manage_service",
	} {
		p := shared().Understand(text, Context{})
		require.Equal(t, KindCall, p.Kind, "%s: %s", text, p.Why())
		require.Equal(t, tool, p.Steps[0].Tool, text)
	}
}

// TestH11OtherQuestionsAreAskedBack asks questions that no tool answers.
func TestH11OtherQuestionsAreAskedBack(t *testing.T) {
	for _, text := range []string{
		"is my disk encrypted?", "how fast is my ssd?", "mount the second disk", "how full is my bathtub", "set a charging limit of 80%", "is secure boot enabled?", "how many monitors are connected", "is my memory ecc", "is my computer hacked?",
		"디스크 암호화돼 있어?", "ssd 속도 얼마나 나와", "와이파이 채널 바꿔줘", "컴퓨터 이름 바꿔줘", "배터리 충전 80%까지만 하게 해줘", "磁盘加密了吗", "固态硬盘速度多少", "电脑中毒了吗", "forever",
	} {
		p := shared().Understand(text, Context{})
		require.Empty(t, p.Steps, "%s: %s", text, p.Why())
	}
}

// TestH2RestartsAreLookedAtFirst asks whether the machine can be restarted or switched off, and orders it.
func TestH2RestartsAreLookedAtFirst(t *testing.T) {
	for _, text := range []string{"can I reboot?", "is it safe to reboot now?", "ok to restart?", "may I shut down the computer?", "재부팅해도 돼?", "지금 꺼도 돼?", "재부팅해도 괜찮아?", "可以重启吗", "现在能关机吗"} {
		p := shared().Understand(text, Context{})
		require.Equal(t, []Step{shared().Read(text).readyStep()}, p.Steps, "%s: %s", text, p.Why())
		require.Equal(t, []string{"ready"}, p.Diagnoses, text)
	}
	for text, want := range map[string]string{
		"reboot now": "reboot", "can you reboot the computer?": "reboot", "shut down the computer": "shutdown", "재부팅해줘": "reboot", "컴퓨터 꺼줘": "shutdown",
		"重启电脑": "reboot", "关机": "shutdown",
	} {
		p := shared().Understand(text, Context{})
		require.Equal(t, "session "+want, wishText(p), "%s: %s", text, p.Why()) // its plan is asked about
	}
	for _, text := range []string{"don't reboot", "재부팅하지 마", "不要关机"} {
		require.Nil(t, shared().Understand(text, Context{}).Offer, text)
	}
}

// TestH3NamedThingsAreTheObjectOfTheAnswer checks the things that a question names: a file system, a device, an
// interface, a unit.
func TestH3NamedThingsAreTheObjectOfTheAnswer(t *testing.T) {
	for text, volume := range map[string]string{
		"/srv is full": "/srv", "is /data full?": "/data", "how much space is left on sdb2?": "/dev/sdb2", "how full is nvme0n1p3?": "/dev/nvme0n1p3", "is the home partition full?": "/home",
		"/mnt/backup 꽉 찼어?": "/mnt/backup", "sdc 얼마나 남았어": "/dev/sdc", "홈 파티션 얼마나 남았어?": "/home", "/srv 满了吗": "/srv", "根分区还剩多少": "/", "disk full?": "", "디스크 꽉 찼어?": "",
	} {
		p := shared().Understand(text, Context{})
		require.Equal(t, "check_disk", p.Steps[0].Tool, "%s: %s", text, p.Why())
		require.Equal(t, volume, shared().Read(text).Volume(), text)
	}
	for text, netdev := range map[string]string{"what is eth7 doing": "eth7", "is wlan0 connected?": "wlan0", "eth5 연결돼 있어?": "eth5", "enp3s0 连上了吗": "enp3s0"} {
		p := shared().Understand(text, Context{})
		require.Equal(t, []Step{Call("check_network", "scope", "ip")}, p.Steps, "%s: %s", text, p.Why())
		require.Equal(t, netdev, shared().Read(text).Interface(), text)
	}
	require.Equal(t, "frobnicated", shared().Understand("is frobnicated.service running", Context{}).Steps[0].Input["name"])
	require.Empty(t, shared().Understand("블라블라 서비스 켜져 있어?", Context{}).Steps)
}
