package intent

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheArchWikiIsAskedForWhatThePersonNames(t *testing.T) {
	for text, want := range map[string]string{
		"look up pacman in the Arch wiki":                     "pacman",
		"please search for power management on the arch wiki": "power management",
		"Search the Arch Wiki for \"Intel graphics\".":        "Intel graphics",
		"What does the Arch wiki say about LUKS?":             "LUKS",
		"find bluetooth headset in archwiki":                  "bluetooth headset",
		"아치 위키에서 블루투스 찾아줘":                                    "블루투스",
		"아치위키에서 pacman 검색해줘":                                  "pacman",
		"아치 리눅스 위키에서 전원 관리를 좀 찾아봐":                            "전원 관리",
		"아치 위키에서 NVIDIA에 대해 알아봐줘":                             "NVIDIA",
		"fcitx5를 아치 위키에서 찾아줘":                                 "fcitx5",
		"在 Arch wiki 里查 pacman":                               "pacman",
		"去Arch Linux维基上搜索蓝牙耳机":                                "蓝牙耳机",
	} {
		p := shared().Understand(text, Context{})
		require.Len(t, p.Steps, 1, text)
		require.Equal(t, "fetch_page", p.Steps[0].Tool, text)
		u, err := url.Parse(p.Steps[0].Input["url"].(string))
		require.NoError(t, err)
		require.Equal(t, "wiki.archlinux.org", u.Host)
		require.Equal(t, want, u.Query().Get("search"), text)
	}
}

func TestTheNewsOfArchAreAskedFor(t *testing.T) {
	for _, text := range []string{
		"any Arch news?", "is there Arch Linux news", "show me the news from Arch", "아치 뉴스 있어?", "아치 리눅스 새 소식 알려줘", "Arch 有什么新闻？", "Arch Linux最新消息",
		"any news before I update?", "is there news since the last upgrade?", "업데이트 전에 볼 소식 있어?", "업데이트하기 전에 읽어야 할 공지 있어?", "更新之前有什么消息吗？", "更新前的新聞",
	} {
		require.Equal(t, []Step{Call("fetch_page", "url", ArchNews)}, shared().Understand(text, Context{}).Steps, text)
	}
	for _, text := range []string{"오늘 뉴스 알려줘", "latest news about the election", "don't look up pacman in the arch wiki", "매일 아치 뉴스 알려줘", "is the arch iso new", "what's new in this update", "update before the news starts", "업데이트 소식 말고 날씨"} {
		for _, s := range shared().Understand(text, Context{}).Steps {
			require.NotEqual(t, "fetch_page", s.Tool, text)
		}
	}
}

func TestTheNameOfARecipeIsAskedForAndTaken(t *testing.T) {
	question := "is this AUR package safe?"
	require.Equal(t, KindAsk, shared().Understand(question, Context{}).Kind)
	p := shared().Understand("yay-bin", Context{Answered: true, Previous: question})
	require.Equal(t, []Step{Call("run_command", "command", "blunux-ai aur check -- yay-bin")}, p.Steps, p.Why())
}

func TestAnUpgradeIsOnlyPreviewed(t *testing.T) {
	for _, text := range []string{
		"what would an update do?", "is it safe to update now?", "업데이트해도 안전해?", "更新会改什么？",
		"game stutters since yesterday's update", "what changed in the last update?", "is it safe to update firefox?",
	} {
		for _, s := range shared().Understand(text, Context{}).Steps {
			require.NotEqual(t, "update_system", s.Tool, text)
		}
	}
	require.Equal(t, "update_system", shared().Understand("update everything", Context{}).Steps[0].Tool)
}

func TestARecurringTroubleIsNoSchedule(t *testing.T) {
	for _, text := range []string{"my wifi keeps dropping every few mins", "the internet keeps cutting out every 10 minutes"} {
		for _, s := range shared().Understand(text, Context{}).Steps {
			require.NotEqual(t, "schedule", s.Tool, text)
		}
	}
}

func TestTheOwnerOfAFileIsAskedFor(t *testing.T) {
	for text, want := range map[string]string{
		"which package owns /usr/bin/ls":            "/usr/bin/ls",
		"what package installed the command ip?":    "ip",
		"Which package is /etc/fstab from?":         "/etc/fstab",
		"which package does vim belong to":          "vim",
		"what package installed /usr/lib/libz.so.1": "/usr/lib/libz.so.1",
		"ls 명령은 어느 패키지야?":                           "ls",
		"ls 명령어는 무슨 패키지에 들어 있어?":                    "ls",
		"/usr/bin/ls는 어떤 패키지 거야?":                   "/usr/bin/ls",
		"/etc/fstab 파일은 어떤 패키지에서 왔어?":               "/etc/fstab",
		"어떤 패키지가 /usr/bin/ls를 설치했어?":                "/usr/bin/ls",
		"/usr/bin/ls属于哪个软件包？":                       "/usr/bin/ls",
		"ls命令是哪个包的":                                 "ls",
		"哪个包安装了 ip 命令？":                             "ip",
	} {
		require.Equal(t, []Step{Call("run_command", "command", "pacman -Qo -- "+want)}, shared().Understand(text, Context{}).Steps, text)
	}
	for _, text := range []string{"vlc는 어떤 패키지야?", "which package is vlc", "what package should I install", "which packages are orphans", "which package contains the command dig", "which package is the largest"} {
		for _, s := range shared().Understand(text, Context{}).Steps {
			require.NotContains(t, fmt.Sprint(s.Input["command"]), "-Qo", text)
		}
	}
}
