package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
)

// Each mistake in the person's file is reported in two languages with its position.
func TestAMistakeIsToldInThePersonsLanguageWithItsPlace(t *testing.T) {
	for _, test := range []struct{ text, place, korean, chinese string }{
		{"[ai_agent]\nfrobnicate = 1\n", ":2:1: ", "모르는 설정이에요: ai_agent.frobnicate", "未知的键：ai_agent.frobnicate"},
		{"[ai_agent]\nautonomy = \"all\"\n", ":2:12: ", `ai_agent.autonomy = "all": read_only, supervised, full 중 하나여야 해요`, `ai_agent.autonomy = "all"：应为以下之一：read_only, supervised, full`},
		{"[limits]\nrounds = -1\n", ":2:10: ", "limits.rounds = -1: 0(기본값)부터 2147483647까지여야 해요", "limits.rounds = -1：应在 0（默认）到 2147483647 之间"},
		{"[limits]\nrounds = \"many\"\n", ":2:10: ", "limits.rounds: 정수가 와야 하는데 문자열이 왔어요", "limits.rounds：应为整数，实际为字符串"},
		{"[telegram]\nallowed_chats = [\"나\"]\n", ":2:18: ", `telegram.allowed_chats: "나"는 대화 ID가 아니에요. 숫자로 적어 주세요`, `telegram.allowed_chats："나" 不是对话 ID：应为数字`},
		{"[mcp.x]\nenv = {}\n", ":1:2: ", `mcp.x: command = ["프로그램", …]이나 url = "https://…"가 있어야 해요`, `mcp.x：需要 command = ["程序", …] 或 url = "https://…"`},
		{"[security]\nworkspace = \"x\"\n", ":2:13: ", `security.workspace: "x"는 절대 경로이거나 ~/로 시작해야 해요`, `security.workspace："x" 应为绝对路径，或以 ~/ 开头`},
	} {
		t.Run(test.text, func(t *testing.T) {
			paths := Paths{Home: t.TempDir()}
			require.NoError(t, os.WriteFile(paths.Config(), []byte(test.text), 0o600))
			src := NewSource(paths, func(string) string { return "" })
			src.Distribution, src.System = "", ""
			_, err := Load(src)
			var e *Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, paths.Config()+test.place+test.korean, e.In(i18n.Korean))
			require.Equal(t, paths.Config()+test.place+test.chinese, e.In(i18n.Chinese))
			require.Equal(t, e.Error(), e.In(i18n.English), "logs and English are the same")
		})
	}
}

func TestWhatIsWrongWithAFileIsToldInThePersonsLanguage(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "claude")
	require.NoError(t, os.WriteFile(file, []byte("sk-1"), 0o600))
	require.NoError(t, os.Chmod(file, 0o644))
	_, err := Credentials{Dir: dir, Getenv: func(string) string { return "" }}.Key("claude")
	var bad *CredentialError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, "다른 사용자가 읽을 수 있어요 (모드 0644)", bad.ProblemIn(i18n.Korean))
	require.Equal(t, file+": 다른 사용자가 읽을 수 있어요 (모드 0644). 실행하세요: chmod 600 "+file, bad.In(i18n.Korean))
	require.Equal(t, bad.Error(), bad.In(i18n.English))

	paths := Paths{Home: dir}
	require.NoError(t, os.WriteFile(paths.Config(), nil, 0o600))
	require.NoError(t, os.Chmod(paths.Config(), 0o666))
	_, err = Load(NewSource(paths, func(string) string { return "" }))
	require.Equal(t, paths.Config()+": 其他用户可以写入（权限 0666）；请运行：chmod go-w "+paths.Config(), i18n.ErrorText(err, i18n.Chinese))
}

// An error without a translation is reported unchanged.
func TestAnErrorWithoutASentenceIsToldAsItIs(t *testing.T) {
	e := &Error{File: "f", Line: 1, Col: 2, Problem: "odd"}
	require.Equal(t, "f:1:2: odd", e.In(i18n.Korean))
	require.Equal(t, "odd", (&CredentialError{Problem: "odd"}).ProblemIn(i18n.Korean))
}
