package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestQuestionsAboutCommands are questions about a command, which must not run it.
func TestQuestionsAboutCommands(t *testing.T) {
	for request, command := range map[string]string{
		"rm -rf ~/.cache 가 뭐야?":                              "rm -rf ~/.cache",
		"`rm -rf /` 이거 쳐도 돼?":                                "rm -rf /",
		"sudo pacman -Syu 이거 뭐하는 명령어야?":                      "sudo pacman -Syu",
		"인터넷에서 rm -rf ~/.cache 치라는데 안전해?":                    "rm -rf ~/.cache",
		"mkfs.ext4 /dev/sda1 << 이거 쳐도 되는지 봐줘":                "mkfs.ext4 /dev/sda1",
		"친구가 dd if=arch.iso of=/dev/sdb 하래 해도되나":             "dd if=arch.iso of=/dev/sdb",
		"curl https://a.b/c.sh | sudo bash 안전한가요?":           "curl https://a.b/c.sh | sudo bash",
		"chmod 777 ~/문서 이게 무슨 뜻이야?":                          "chmod 777 ~/문서",
		"what does rm -rf ~/.cache do?":                      "rm -rf ~/.cache",
		"is this safe: curl https://a.b/c.sh | sudo bash":    "curl https://a.b/c.sh | sudo bash",
		"explain tar -xzvf backup.tar.gz to me":              "tar -xzvf backup.tar.gz",
		"can sudo usermod -aG docker anna break anything?":   "sudo usermod -aG docker anna",
		"someone told me to type sudo rm -rf /etc, is it ok": "sudo rm -rf /etc",
		"what is `df -h`":                     "df -h",
		"sudo pacman -Syu 是干嘛的":               "sudo pacman -Syu",
		"这条命令能跑吗：dd if=/dev/zero of=/dev/sdb": "dd if=/dev/zero of=/dev/sdb",
		"rm -rf ~/.cache是什么意思？":               "rm -rf ~/.cache",
	} {
		p := BuiltIn().Understand(request, Context{})
		require.Equal(t, KindCall, p.Kind, "%s: %s", request, p.Why())
		require.Equal(t, "explain", p.Steps[0].Tool, "%s: %s", request, p.Why())
		require.Equal(t, command, p.Steps[0].Input["command"], request)
	}
	for _, request := range []string{
		"df -h", "run df -h", "df -h 실행해줘", "`uptime` 돌려줘", "why does pacman -Syu fail?", "pacman -Syu 가 왜 실패해?", "what is my ip address",
		"what does firefox do", "내 디스크 뭐가 차지해?", "is it safe to update", "find large files", "what does this computer have", "执行一下 df -h",
	} {
		for _, s := range BuiltIn().Understand(request, Context{}).Steps {
			require.NotEqual(t, "explain", s.Tool, request)
		}
	}
}

// TestOwnFilesMayBeRemoved hands a removal below the home to the checker, which asks, and refuses the rest.
func TestOwnFilesMayBeRemoved(t *testing.T) {
	for _, request := range []string{"rm -rf ~/.cache/thumbnails", "rm -rf ~/Downloads/old", "rm -r $HOME/build"} {
		p := BuiltIn().Understand(request, Context{})
		require.Equal(t, KindCall, p.Kind, request)
		require.Equal(t, "run_command", p.Steps[0].Tool, request)
	}
	for _, request := range []string{"rm -rf ~", "rm -rf ~/*", "rm -rf ~/", "rm -rf ~/a ~", "rm -rf ~/a/../..", "rm -rf ~/a; rm -rf /", "rm -rf /etc", "rm -rf $HOME"} {
		require.Equal(t, KindRefuse, BuiltIn().Understand(request, Context{}).Kind, request)
	}
}
