package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// completionsOf returns the completions for a word, without the directive.
func completionsOf(t *testing.T, args ...string) string {
	t.Helper()
	var b bytes.Buffer
	a := &app{lang: i18n.English, args: append([]string{"__complete"}, args...), out: &output{w: &b}}
	root := a.root()
	root.SetArgs(a.args)
	root.SetOut(&b)
	root.SetErr(&bytes.Buffer{})
	require.NoError(t, root.ExecuteContext(t.Context()))
	return b.String()
}

func TestADaemonThatDoesNotAnswerCompletesNothingInTime(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	sock := filepath.Join(dir, "s.sock")
	l, err := net.Listen("unix", sock)
	require.NoError(t, err)
	defer l.Close()
	require.NoError(t, os.Chmod(sock, 0o600))
	t.Setenv("BLUNUX_AI_SOCK", sock)
	began := time.Now()
	require.Equal(t, ":4\n", completionsOf(t, "approve", ""))
	require.Less(t, time.Since(began), completionTime+5*time.Second, "the machine may be busy, but this ends")
}

func TestValuesOfWhichThereAreFewAreCompleted(t *testing.T) {
	require.Equal(t, "day\nprovider\nmodel\nsession\nchannel\nautomation\n:4\n", completionsOf(t, "usage", "--by", ""))
	require.Equal(t, "ko\nen\nzh\nzh-Hant\n:4\n", completionsOf(t, "--lang", ""))
	require.Equal(t, ":4\n", completionsOf(t, "status", ""), "no file names")
	require.Equal(t, ":0\n", completionsOf(t, "ask", "--file", ""), "file names")
}

// TestDescriptionsAreCleanedAndCut: descriptions are text from the machine.
func TestDescriptionsAreCleanedAndCut(t *testing.T) {
	require.Equal(t, "K7QX\trm -rf ⟨\\x1b⟩[2J …", describeCompletion("K7QX", "rm -rf \x1b[2J\nsecond"))
	long := describeCompletion("n", "디스크를 정리하고 오래된 파일을 지운 다음 그 결과를 알려 주는 아주 긴 이름의 명령")
	require.LessOrEqual(t, len([]rune(long)), maxDescription)
	require.Contains(t, long, "…")
}

func TestTheNameOfAConversationIsInItsKey(t *testing.T) {
	for key, want := range map[string]string{
		"agent:main:session:cli/work": "work", "agent:main:session:cli/a/b": "a/b", "agent:main:session:whatsapp/82": "", "agent:main:session:cli/long…": "",
	} {
		name, ok := ownSession(key, "")
		require.Equal(t, want != "", ok, key)
		if ok {
			require.Equal(t, want, name)
		}
	}
}

func TestFilesShareTheRoomBesideAQuestion(t *testing.T) {
	big := input{ipc.Excerpt{Head: bytes.Repeat([]byte("x"), 1000), Tail: bytes.Repeat([]byte("y"), 1000), Omitted: 5}}
	text := joinAttachments([]attachment{{"/tmp/a b", big}, {"", input{ipc.Excerpt{Head: []byte("piped")}}}, {"c", big}}, 1500, i18n.English)
	require.Less(t, len(text), 1700, "the sentences about the cut are beside the budget")
	require.Contains(t, text, "=== /tmp/a b ===\nxxx")
	require.Contains(t, text, "\npiped\n=== c ===\n")
	require.Contains(t, text, "bytes omitted]")
	require.Empty(t, joinAttachments([]attachment{{"", input{}}}, 100, i18n.English))
	require.Equal(t, `'it'\''s here'`, quoteName("it's here"))
}
