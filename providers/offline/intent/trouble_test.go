package intent

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestH1TakingBackInOtherWordsIsUndo asks to restore an earlier state with separated words, and mentions the
// past without such a request.
func TestH1TakingBackInOtherWordsIsUndo(t *testing.T) {
	things := map[string][]string{"en": {"firefox", "the kernel", "everything", "it"}, "ko": {"어제", "이전", "원래", "업데이트 전"}, "zh": {"昨天", "之前", "旧版本"}}
	frames := map[string][]string{
		"en": {"put %s back to the version I had last week", "change %s back to how it was", "set %s back like before", "can you bring %s back to yesterday's version?", "I regret installing it, make %s as before"},
		"ko": {"%s 상태로 돌아가고 싶어", "%s 상태로 다시 돌려줘", "%s 버전으로 복구해줘"},
		"zh": {"恢复到%s", "系统回到%s的状态", "我后悔了，弄回%s"},
	}
	for lang, list := range frames {
		for _, frame := range list {
			for _, thing := range things[lang] {
				text := strings.ReplaceAll(frame, "%s", thing)
				p := shared().Understand(text, Context{})
				require.Equal(t, []string{"undo"}, p.Diagnoses, "%s: %s", text, p.Why())
				require.Empty(t, changingSteps(p), text)
			}
		}
	}
	for _, text := range []string{"why is it slower than before?", "bluetooth worked yesterday and not today", "어제는 됐는데 오늘은 인터넷이 안 돼", "以前很快现在很慢", "is my backup disk full?", "when was firefox installed?"} {
		require.NotContains(t, shared().Understand(text, Context{}).Diagnoses, "undo", text)
	}
}

// TestH1OrdersToStopAndProhibitionsChangeNothing orders to stop the current action, and prohibits.
func TestH1OrdersToStopAndProhibitionsChangeNothing(t *testing.T) {
	for _, text := range []string{"abort", "abort abort now", "stop what you are doing", "please stop whatever you're doing", "하던 거 그만해", "그만해줘", "停下来", "住手"} {
		p := shared().Understand(text, Context{})
		require.Equal(t, "halt", p.Topic, "%s: %s", text, p.Why())
	}
	for _, text := range []string{"도커 지우지 말아줘", "不要关掉蓝牙", "don't eject the usb stick", "do not open gimp", "gimp 켜지 마"} {
		p := shared().Understand(text, Context{})
		require.Empty(t, changingSteps(p), "%s: %s", text, p.Why())
		require.NotEqual(t, "unknown", p.Topic, text)
	}
}

// TestH3NamedDisksAndFoldersAreLookedAt asks about one disk and one file system.
func TestH3NamedDisksAndFoldersAreLookedAt(t *testing.T) {
	for _, text := range []string{"is sdb healthy?", "nvme1n1 건강해?", "sdb 健康吗", "does sda have bad sectors?"} {
		require.Equal(t, []string{"health"}, shared().Understand(text, Context{}).Diagnoses, text)
	}
	for text, volume := range map[string]string{
		"is /mnt/backup mounted?": "/mnt/backup", "/mnt/nas 마운트됐어?": "/mnt/nas", "/mnt/data 挂载了吗": "/mnt/data", "is there space on /opt?": "/opt", "/opt에 공간 있어?": "/opt", "/srv 还有空间吗": "/srv",
	} {
		p := shared().Understand(text, Context{})
		require.Equal(t, []Step{Call("check_disk")}, p.Steps, "%s: %s", text, p.Why())
		require.Equal(t, volume, BuiltIn().Read(text).Volume(), text)
	}
	for _, text := range []string{"how big is sdc?", "sda 는 몇 기가야", "nvme0n1 有多大"} {
		require.Equal(t, []string{"drive"}, shared().Understand(text, Context{}).Diagnoses, text)
	}
}

// TestH7WishesThatNothingWatchesAreNotAnotherRule requests notifications that no condition covers. None may
// become an automation or another step.
func TestH7WishesThatNothingWatchesAreNotAnotherRule(t *testing.T) {
	for _, text := range []string{
		"notify me when someone logs in", "let me know as soon as my friend is online", "alert me if the room temperature rises", "tell me when the server gets a new message",
		"누가 로그인하면 알려줘", "블루투스 연결되면 알려줘", "有人登录时告诉我", "手机连接网络时提醒我",
	} {
		p := shared().Understand(text, Context{})
		require.Equal(t, "unwatched", p.Topic, "%s: %s", text, p.Why())
		require.Empty(t, p.Steps, text)
	}
	for text, check := range map[string]string{"notify me once nginx goes down": "failed_units", "서비스가 죽으면 알려줘": "failed_units", "tell me when there are errors in the log": "journal_errors", "로그에 오류가 생기면 알려줘": "journal_errors", "tell me when the internet goes down": "network", "更新来了就告诉我": "updates"} {
		p := shared().Understand(text, Context{})
		require.NotEmpty(t, p.Steps, "%s: %s", text, p.Why())
		require.Equal(t, check, p.Steps[0].Input["check"], text)
	}
	for _, text := range []string{"tell me when firefox was installed", "let me know if the disk is full", "언제 설치했는지 알려줘"} {
		require.NotEqual(t, "unwatched", shared().Understand(text, Context{}).Topic, text)
	}
}

// TestH6TroubleWithPackagesAndRightsIsLookedAt describes and quotes errors of pacman and sudo: a read-only step
// runs, and no change is made or offered.
func TestH6TroubleWithPackagesAndRightsIsLookedAt(t *testing.T) {
	for kind, texts := range map[string][]string{
		TroubleLock:      {"unable to lock database", "error: failed to lock database during the update", "패키지 데이터베이스가 잠겨 있대", "数据库被锁定了", "pacman is locked"},
		TroubleSignature: {"keyring is broken", "error: linux: signature from \"x\" is unknown trust", "invalid or corrupted package (PGP signature)", "pacman 키링 오류가 나요", "서명이 알 수 없는 신뢰래", "签名无效 无法更新", "error: database 'core' is not valid (invalid or corrupted database (PGP signature))"},
		TroubleDatabase:  {"pacman says no repositories are configured", "failed to synchronize all databases", "the package database is corrupted", "업데이트가 404 에러 나요", "패키지 데이터베이스가 깨졌어", "软件包数据库坏了"},
		TroubleSudo:      {"sudo does not work anymore", "my user is not in the sudoers file", "I forgot my sudo password", "sudo가 안 돼요", "sudo 비밀번호를 잊어버렸어", "sudo 提示我不在 sudoers 文件里"},
	} {
		for _, text := range texts {
			p := shared().Understand(text, Context{})
			require.Equal(t, []string{kind}, p.Diagnoses, "%s: %s", text, p.Why())
			require.Equal(t, []Step{troubleSteps[kind]}, p.Steps, text)
			require.True(t, p.Steps[0].IsReadOnly(), text)
		}
	}
	for _, text := range []string{"install gnome-keyring", "is seahorse a keyring?", "sudo pacman -Syu", "what does a signature mean in email", "update everything", "is my postgres database running?", "what is sudo?"} {
		require.Empty(t, BuiltIn().Read(text).Trouble(), text)
	}
}

// TestH9SticksAreTakenOutAfterALook asks to remove sticks, never to wipe them.
func TestH9SticksAreTakenOutAfterALook(t *testing.T) {
	for _, text := range []string{"safely remove my usb stick", "eject the usb drive", "can I unplug the external drive?", "usb 스틱 빼도 돼?", "외장하드 안전하게 제거해줘", "弹出u盘", "u盘可以拔掉吗"} {
		p := shared().Understand(text, Context{})
		require.Equal(t, []string{"eject"}, p.Diagnoses, "%s: %s", text, p.Why())
		require.Empty(t, changingSteps(p), text)
	}
	require.Equal(t, "disk", shared().Understand("format my usb stick", Context{}).Topic)
}

// TestH2ARestartThatCouldBeLeftOutIsLookedAt asks whether a restart is due.
func TestH2ARestartThatCouldBeLeftOutIsLookedAt(t *testing.T) {
	for _, text := range []string{"커널 올렸는데 재부팅 안 해도 되지?", "is it ok not to reboot?", "can I skip the reboot?", "不重启可以吗？"} {
		p := shared().Understand(text, Context{})
		require.Equal(t, []Step{Call("check_updates")}, p.Steps, "%s: %s", text, p.Why())
	}
}

// TestH1ANounOfAnUpdateIsNoOrder mentions a past update.
func TestH1ANounOfAnUpdateIsNoOrder(t *testing.T) {
	for _, text := range []string{"could you return the system to the state before monday's upgrade", "restore it to yesterday's version", "last week's update broke my sound", "이 프로그램 설치한 거 물리고 싶어"} {
		p := shared().Understand(text, Context{})
		require.Empty(t, changingSteps(p), "%s: %s", text, p.Why())
	}
}

// TestH9ARestartOfSomethingUnknownIsNotThisComputers names unlisted things.
func TestH9ARestartOfSomethingUnknownIsNotThisComputers(t *testing.T) {
	for _, text := range []string{"chromecast 재부팅", "reboot the chromecast", "크롬캐스트 재부팅해줘", "power off my sonos", "重启 chromecast"} {
		p := shared().Understand(text, Context{})
		require.NotEqual(t, "power", p.Topic, "%s: %s", text, p.Why())
		require.Empty(t, wishText(p), text)
		require.Nil(t, p.Offer, text)
	}
	for _, text := range []string{"reboot", "restart the computer", "컴퓨터 재부팅해줘", "재부팅해줘", "重启电脑"} {
		require.Equal(t, "session reboot", wishText(shared().Understand(text, Context{})), text)
	}
}

// TestSomethingThatRestartsAgainAndAgain asks about a service without a name, one by its name, and the computer.
func TestSomethingThatRestartsAgainAndAgain(t *testing.T) {
	failed := []Step{Call("check_service", "failed", true)}
	for _, text := range []string{
		"why does it keep restarting?", "a service keeps crashing", "it restarts over and over", "start request repeated too quickly", "왜 자꾸 재시작돼?",
		"서비스가 왜 계속 재시작되지", "계속 다시 시작돼", "服务为什么一直重启", "为什么总是重启？",
	} {
		p := shared().Understand(text, Context{})
		require.Equal(t, failed, p.Steps, "%s: %s", text, p.Why())
		require.Equal(t, []string{"failures"}, p.Diagnoses, text)
	}
	for _, text := range []string{"why does myapp keep restarting?", "myapp 서비스가 계속 재시작돼", "myapp为什么一直重启"} {
		p := shared().Understand(text, Context{})
		require.Equal(t, "service", p.Diagnoses[0], "%s: %s", text, p.Why())
	}
	for _, text := range []string{"my computer keeps restarting", "컴퓨터가 자꾸 재시작돼", "restart it", "电脑一直重启"} {
		require.NotEqual(t, failed, shared().Understand(text, Context{}).Steps, text)
	}
}

func TestWhatCanBeUndone(t *testing.T) {
	for _, text := range []string{"what can be undone?", "what can I undo?", "how do I undo that?", "뭘 되돌릴 수 있어?", "되돌릴 수 있는 거 보여줘", "어떻게 되돌려?", "可以撤销什么？", "哪些更改可以撤销", "怎么撤销"} {
		require.True(t, shared().Read(text).AsksWhatToUndo(), text)
		require.Equal(t, []string{"undo"}, shared().Understand(text, Context{}).Diagnoses, text)
	}
	for _, text := range []string{"undo the installation", "아까 설치한 거 되돌려줘", "방금 그거 취소해줘", "撤销刚才的安装", "can you undo that?", "되돌려 줄 수 있어?"} {
		require.False(t, shared().Read(text).AsksWhatToUndo(), text)
		require.Equal(t, []string{"undo"}, shared().Understand(text, Context{}).Diagnoses, text)
	}
}

// TestSeveralChangesAreOnePlan makes several orders one call, and leaves a look before a change alone.
func TestSeveralChangesAreOnePlan(t *testing.T) {
	p := shared().Understand("remove vlc and install mpv", Context{})
	require.Equal(t, []Step{Call("plan", "goal", "remove vlc and install mpv", "steps", []any{
		map[string]any{"verb": "remove", "args": map[string]any{"name": "vlc"}}, map[string]any{"verb": "install", "args": map[string]any{"name": "mpv"}},
	})}, p.Steps)
	require.Equal(t, "install_package", shared().Understand("install mpv", Context{}).Steps[0].Tool)
	require.False(t, p.Steps[0].IsReadOnly())
}
