package secret_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/secret"
)

func TestAPasswordToldInASentenceIsTakenOut(t *testing.T) {
	r := secret.NewRedactor([]string{"known-value-1"})
	for text, want := range map[string]string{
		"my password is hunter2":                             "my password is [redacted:password]",
		"Remember: the Wi-Fi password is \"Corr3ct-horse\".": "Remember: the Wi-Fi password is \"[redacted:password]\".",
		"the password for the router is admin!23, ok":        "the password for the router is [redacted:password], ok",
		"PIN is 4821":                                          "PIN is [redacted:password]",
		"비밀번호는 abcd1234야":                                      "비밀번호는 [redacted:password]야",
		"와이파이 비번 hunter22 기억해줘":                                "와이파이 비번 [redacted:password] 기억해줘",
		"현관 비밀번호는 4821이에요":                                     "현관 비밀번호는 [redacted:password]이에요",
		"我的密码是abc123":                                          "我的密码是[redacted:password]",
		"路由器密码：qwer!tyui":                                      "路由器密码：[redacted:password]",
		"my bank password is hunter2, keep it":                 "my bank password is [redacted:password], keep it",
		"note: the wifi code for guests is Sommer2024!":        "note: the wifi code for guests is [redacted:password]!",
		"my recovery phrase is apple river stone window cloud": "my recovery phrase is [redacted:password]",
		"hunter2 is my bank password":                          "[redacted:password] is my bank password",
		"use Tr0ub4dor as the wifi password":                   "use [redacted:password] as the wifi password",
		"hunter2가 내 은행 비밀번호야":                                  "[redacted:password]가 내 은행 비밀번호야",
		"my mail password is swordfish. And again swordfish":   "my mail password is [redacted:password]. And again [redacted:password]",
		"the key is known-value-1":                             "the key is [redacted:known-value]",
	} {
		got := r.RedactStrict(text)
		if text == "the key is known-value-1" {
			require.NotContains(t, got, "known-value-1")
			continue
		}
		require.Equal(t, want, got, text)
		require.Equal(t, got, r.RedactStrict(got), "done again it changes nothing")
	}
}

func TestWhatIsNoPasswordStays(t *testing.T) {
	r := secret.NewRedactor(nil)
	for _, text := range []string{
		"the password is in the drawer", "my password is expired.", "my password is too short", "my bank password is incorrect", "my passphrase is in the safe, not here",
		"is this my password?", "exit code is 127", "the error code is E1234", "use sudo as my user", "my phone is new", "my password is written on the fridge", "password policy is 90 days", "the password is 90 days old",
		"the password is 2026 days old", "비밀번호는 서랍에 있어", "비밀번호는 1Password에 있어", "와이파이 비번은 냉장고 옆에 붙어 있다",
		"비밀번호는 2026년 3월에 바꿨어", "路由器后台密码贴在冰箱侧面", "NAS address is 192.168.0.20", "the token is valid", "내 생일은 3월 14일이야",
		"the router is at 10.0.0.1", "프린터 이름은 HP-3F야", "密码本在书房",
	} {
		require.Equal(t, text, r.RedactStrict(text))
	}
}
