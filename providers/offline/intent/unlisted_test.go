package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// planCase is a request with its only step; a zero step means none.
type planCase struct {
	text string
	want Step
}

func requirePlans(t *testing.T, cases []planCase) {
	t.Helper()
	for _, tt := range cases {
		p := shared().Understand(tt.text, Context{})
		if tt.want.Tool == "" {
			require.Empty(t, p.Steps, "%s: %s", tt.text, p.Why())
			continue
		}
		require.Equal(t, []Step{tt.want}, p.Steps, "%s: %s", tt.text, p.Why())
	}
}

func TestSearchWordsAreKeptAsTyped(t *testing.T) {
	query := func(q string) Step { return Call("search_packages", "query", q) }
	requirePlans(t, []planCase{
		{"search for demo", query("demo")},
		{"demo 검색해줘", query("demo")},
		{"find me a package named zzzznothing", query("zzzznothing")},
		{"find me a package named blender", query("blender")},
		{"search for hello", query("hello")},
		{"hello 검색해줘", query("hello")},
		{"search for process viewer", query("process viewer")},
		{"search for firefox", query("firefox")},
		{"firefox 검색해줘", query("firefox")},
	})
	for _, text := range []string{"search for errors", "errors 검색해줘", "search for memory"} {
		require.NotEqual(t, "search_packages", toolOf(shared().Understand(text, Context{})), text)
	}
}

func toolOf(p Plan) string {
	if len(p.Steps) == 0 {
		return ""
	}
	return p.Steps[0].Tool
}

func TestWordsOfAskingAreNeverCorrected(t *testing.T) {
	l := shared()
	for _, list := range []map[string]bool{wordsOf("search-stops"), wordsOf("function")} {
		for w := range list {
			u := newUtterance(w + " zzqx")
			l.correct(u, func(int, int) bool { return false })
			require.Equal(t, w, foldWord(u.words[0].text))
			require.False(t, u.words[0].corrected, w)
		}
	}
}

func TestUnlistedNamesAreLookedUpWhenAskedAbout(t *testing.T) {
	info := func(n string) Step { return Call("package_info", "name", n) }
	requirePlans(t, []planCase{
		{"is blunux-hello installed?", info("blunux-hello")},
		{"is foobar installed?", info("foobar")},
		{"blunux-hello 설치되어 있어?", info("blunux-hello")},
		{"foobar 깔려 있어?", info("foobar")},
		{"is the package blunux-hello installed?", info("blunux-hello")},
		{"do I have foobar installed?", info("foobar")},
		{"is firefox installed?", info("firefox")},
	})
	for _, text := range []string{"what's installed?", "is anything installed?", "is the wifi driver installed?", "are foozle and barzle installed?", "is the foozle installed?"} {
		require.NotEqual(t, "package_info", toolOf(shared().Understand(text, Context{})), text)
	}
}

func TestPrivateKeysAreNotShown(t *testing.T) {
	for _, text := range []string{"내 SSH 개인 키 보여줘", "show my private ssh key", "print my ssh private key", "개인키 내용 출력해줘", "显示我的私钥"} {
		p := shared().Understand(text, Context{})
		require.Equal(t, KindRefuse, p.Kind, text)
		require.Equal(t, "secret", p.Topic, text)
		require.Empty(t, p.Steps, text)
	}
	for _, text := range []string{"ssh private key permissions are too open, what is wrong?", "show id_rsa.pub", "disk full?", "show the keyboard layout"} {
		require.NotEqual(t, "secret", shared().Understand(text, Context{}).Topic, text)
	}
}

func TestFormattingNothingInParticularIsRefused(t *testing.T) {
	for _, text := range []string{"포맷해줘", "포맷 좀 해줘", "format", "format please", "格式化"} {
		require.Equal(t, KindRefuse, shared().Understand(text, Context{}).Kind, text)
	}
	for _, text := range []string{"포맷 방법", "how do I format?", "포맷하지 마", "와이파이 초기화해줘"} {
		require.NotEqual(t, KindRefuse, shared().Understand(text, Context{}).Kind, text)
	}
}

func TestSentencesThatBeginWithAProgramAreNotCommands(t *testing.T) {
	for _, text := range []string{
		"find files larger than 1GB in /usr", "find large files in /usr", "find big files /usr", "free some space in /tmp", "watch the /var/log folder",
		"file in /tmp is locked", "make a backup of /etc please", "kill the process using /dev/snd", "docker show firefox", "docker status please", "docker system kitchen",
	} {
		require.NotEqual(t, "run_command", toolOf(shared().Understand(text, Context{})), text)
	}
	require.Equal(t, []Step{Call("find_large", "path", "/usr")}, shared().Understand("find files larger than 1GB in /usr", Context{}).Steps)
	for _, command := range []string{
		"cat /etc/hostname", "ls -la ~", "find / -name foo", "find . -size +1G", "ps aux | grep foo", `grep "the error" /var/log/pacman.log`, `git commit -m "fix for me"`,
		"ip a", "ip route", "docker ps", "docker system df", "docker network ls", "uname -a", "systemctl status sshd", "mkdir build && ls",
	} {
		require.Equal(t, []Step{Call("run_command", "command", command)}, shared().Understand(command, Context{}).Steps, command)
	}
}

func TestWhoIsLoggedInRunsWho(t *testing.T) {
	who := Call("run_command", "command", "who")
	requirePlans(t, []planCase{
		{"who is logged in", who},
		{"who's logged in right now?", who},
		{"show logged in users", who},
		{"which users are logged in?", who},
		{"지금 누가 로그인해 있어?", who},
		{"로그인한 사용자 보여줘", who},
		{"谁登录了", who},
	})
	require.NotEqual(t, "run_command", toolOf(shared().Understand("who logged in yesterday", Context{})))
	require.NotEqual(t, "run_command", toolOf(shared().Understand("who is logged in and remove firefox", Context{})))
}
