package wire

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/stretchr/testify/require"
)

// keptApproval stores an approval and returns its file.
func (h *house) keptApproval() (code, file string) {
	h.t.Helper()
	p := h.hello()
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "m1", Session: "s", Body: "do touch " + h.home + "/made"})
	var out ipc.Outcome
	require.NoError(h.t, p.last(ipc.TypeResponse).Decode(&out))
	p.Close()
	return out.Pending[0], filepath.Join(h.home, "approvals", out.Pending[0]+".json")
}

// In every way in which a file can be damaged.
func TestD3ADamagedApprovalIsToldOnceAndKept(t *testing.T) {
	for name, damage := range map[string]func(text string) string{
		"emptied":        func(string) string { return "" },
		"cut":            func(text string) string { return text[:len(text)/2] },
		"nulls":          func(text string) string { return strings.Repeat("\x00", len(text)) },
		"no approval":    func(string) string { return "{}" },
		"another's code": func(text string) string { return strings.ReplaceAll(text, `"code":"`, `"code":"Z`) },
		"more behind it": func(text string) string { return text + "{" },
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, doer)
			code, file := h.keptApproval()
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, []byte(damage(string(text))), 0o600))

			p := h.hello()
			for range 2 {
				var s ipc.Status
				require.NoError(t, p.query(ipc.Query{What: "status"}).Decode(&s))
				require.Contains(t, strings.Join(s.Problems, "\n"), "Approval "+code+" is damaged")
			}
			p.say(ipc.Message{Type: ipc.TypeAction, ID: "y", Action: ipc.ActionAllowOnce}.WithData(ipc.Answer{Code: code}))
			e := p.last(ipc.TypeError)
			require.Contains(t, e.Error.Message, "Approval "+code+" is damaged")
			require.NoFileExists(t, file)
			aside, _ := filepath.Glob(filepath.Join(h.home, "approvals", code+".damaged-*"))
			require.Len(t, aside, 1)
			notices := h.post.Outbox.Waiting("cli")
			require.Len(t, notices, 1)
			require.Contains(t, notices[0].Body, code)
			require.NoFileExists(t, filepath.Join(h.home, "made"))
		})
	}
}

// For every kind of file: no plan or task in it runs, and each language has the message.
func TestD5AFileOfANewerProgramIsRefusedAndLeftAsItIs(t *testing.T) {
	home := t.TempDir()
	newer := map[string]string{
		"tasks/tasks.jsonl":          `{"v":2,"id":"t1","state":"PENDING","channel":"cli","name":"default","session":"agent:main:session:cli/default","text":"do touch ` + home + `/made","log_from":0}` + "\n",
		"approvals/answers.jsonl":    `{"v":2,"settled":{"id":"a1"}}` + "\n",
		"outbox/notifications.jsonl": `{"v":2,"text":{"id":"n1","channel":"cli","to":"default","body":"later"}}` + "\n",
		"pairing.json":               `{"v":2,"paired":[{"channel":"telegram","sender":"42"}]}`,
		"telegram/state.json":        `{"v":2,"phase":"online"}`,
	}
	for name, text := range newer {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(home, name), []byte(text), 0o600))
	}
	h := open(t, doer, func(o *Options) { o.Home = home })
	p := h.hello()
	for lang, words := range map[string]string{"en": "newer blunux-ai", "ko": "더 새로운 버전의 blunux-ai", "zh": "更新版本的 blunux-ai"} {
		p.say(ipc.Message{Type: ipc.TypeMessage, ID: "m" + lang, Body: "hello"}.WithData(ipc.Request{Lang: lang}))
		require.Contains(t, p.last(ipc.TypeError).Error.Message, words)
	}
	_, err := h.remote.Pairings.Policy("telegram")
	require.Contains(t, settings.ProblemText(err, i18n.English), "pairing.json was written by a newer blunux-ai")
	require.Error(t, state.Write(filepath.Join(home, "telegram"), state.State{}))
	var s ipc.Status
	require.NoError(t, p.query(ipc.Query{What: "status"}).Decode(&s))
	for _, name := range []string{"tasks.jsonl", "answers.jsonl", "notifications.jsonl"} {
		require.Contains(t, strings.Join(s.Problems, "\n"), name+" was written by a newer blunux-ai")
	}
	require.NoFileExists(t, home+"/made")
	h.Shutdown()
	for name, text := range newer {
		kept, err := os.ReadFile(filepath.Join(home, name))
		require.NoError(t, err)
		require.Equal(t, text, string(kept), name)
	}
}

// Its record is kept, independent of the earlier state.
func TestD5ATaskInAnUnknownStateIsNotRun(t *testing.T) {
	home := t.TempDir()
	line := `{"id":"t1","state":%q,"channel":"cli","name":"default","session":"agent:main:session:cli/default","text":"do touch ` + home + `/made","log_from":0}` + "\n"
	text := fmt.Sprintf(line, "PENDING") + fmt.Sprintf(line, "DELEGATED") + strings.ReplaceAll(fmt.Sprintf(line, ""), "t1", "t2")
	file := filepath.Join(home, "tasks/tasks.jsonl")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	h := open(t, doer, func(o *Options) { o.Home = home })
	p := h.hello()
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "m", Body: "hello"})
	require.Equal(t, "you said hello", p.last(ipc.TypeResponse).Body)
	for _, r := range h.tasks.List() {
		require.NotEqual(t, task.Pending, r.State)
	}
	require.NoFileExists(t, home+"/made")
	var s ipc.Status
	require.NoError(t, p.query(ipc.Query{What: "status"}).Decode(&s))
	require.Contains(t, strings.Join(s.Problems, "\n"), "Cannot read line 2 of "+file)
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(kept), text)
}
