package chat

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

func TestEscapeClearsThenLeaves(t *testing.T) {
	c := newChat(i18n.English)
	c.write("half a thought")
	c.press("esc")
	require.False(t, c.leaving)
	require.Empty(t, c.typed())
	c.press("up")
	require.Equal(t, "half a thought", c.typed())
	c.press("esc", "esc")
	require.True(t, c.leaving)
}

func TestOneCtrlCCancelsAndTwoLeave(t *testing.T) {
	c := newChat(i18n.English)
	c.asked("go")
	turn := c.turn.id
	c.press("ctrl+c")
	require.Equal(t, Input, c.state)
	require.Equal(t, ipc.TypeCancel, c.last().Type)
	require.Equal(t, turn, c.last().Re)
	require.False(t, c.leaving)
	c.pass(quitTime)
	c.press("ctrl+c")
	require.False(t, c.leaving)
	c.press("a", "ctrl+c")
	require.False(t, c.leaving)
	c.press("ctrl+c")
	require.True(t, c.leaving)
}

func TestCtrlDLeavesOnlyWhereNothingIsWritten(t *testing.T) {
	c := newChat(i18n.English)
	c.write("ab")
	c.press("home", "ctrl+d")
	require.Equal(t, "b", c.typed())
	require.False(t, c.leaving)
	c.press("ctrl+u", "end", "backspace", "ctrl+d")
	require.True(t, c.leaving)
}

func TestWhatACancelledTurnStillSendsIsNotShown(t *testing.T) {
	c := newChat(i18n.English)
	c.asked("go")
	late := ipc.Message{Type: ipc.TypeResponse, Re: c.turn.id, Done: true, Body: "too late"}
	ask := ipc.Message{Type: ipc.TypeAsk, ID: "a9", Re: c.turn.id}.WithData(askOf("rm x"))
	c.press("esc")
	c.frame(ask)
	c.frame(late)
	require.Equal(t, Input, c.state)
	require.NotContains(t, c.screen(), "too late")
}

func TestLinesAreBrokenInThreeWays(t *testing.T) {
	c := newChat(i18n.English)
	c.write("a")
	c.press("alt+enter")
	c.write("b")
	c.press("ctrl+j")
	c.write(`c\`)
	c.press("enter")
	c.write("d")
	require.Equal(t, "a\nb\nc\nd", c.typed())
	c.press("enter")
	require.Equal(t, "a\nb\nc\nd", c.last().Body)
}

func TestADoubleSlashSendsASlash(t *testing.T) {
	c := newChat(i18n.English)
	c.asked("//etc is what?")
	require.Equal(t, "/etc is what?", c.last().Body)
}

func TestAnUnknownCommandIsSaidAndRecalled(t *testing.T) {
	c := newChat(i18n.English)
	c.asked("/etc")
	require.Contains(t, c.screen(), "Unknown command /etc.")
	require.Empty(t, c.typed(), "what is typed next is another line")
	require.Empty(t, c.sent)
	c.press("up")
	require.Equal(t, "/etc", c.typed())
}

func TestTabCompletesCommands(t *testing.T) {
	c := newChat(i18n.English)
	c.write("/m")
	c.press("tab")
	require.Equal(t, "/m", c.typed()[:2])
	require.Contains(t, c.screen(), "/model  /memory")
	c.write("em")
	c.prompt.clear()
	c.write("/res")
	c.press("tab")
	require.Equal(t, "/reset ", c.typed())
}

func TestHistoryIsWalkedAndSearched(t *testing.T) {
	c := newChat(i18n.English)
	c.do(historyMsg{lines: []string{"first df", "second", "third df"}})
	c.write("draft")
	c.press("up", "up")
	require.Equal(t, "second", c.typed())
	c.press("down", "down")
	require.Equal(t, "draft", c.typed())
	c.press("ctrl+r")
	c.write("df")
	require.Contains(t, c.screen(), "third df")
	c.press("ctrl+r")
	require.Contains(t, c.screen(), "first df")
	c.press("enter")
	require.Equal(t, "first df", c.typed())
	c.press("ctrl+r", "x", "esc")
	require.Equal(t, "first df", c.typed())
}

func TestTypedLinesSurviveInTheirFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	h := HistoryFile(path)
	lines, err := h.Load()
	require.NoError(t, err)
	require.Empty(t, lines)
	for _, l := range []string{"한 줄", "two\nlines", `"quoted"`} {
		require.NoError(t, h.Append(l))
	}
	fi, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), fi.Mode().Perm())
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("{torn\n")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	lines, err = HistoryFile(path).Load()
	require.NoError(t, err)
	require.Equal(t, []string{"한 줄", "two\nlines", `"quoted"`}, lines)
	for range 2*maxRecalled + 1 {
		require.NoError(t, h.Append("x"))
	}
	lines, err = h.Load()
	require.NoError(t, err)
	require.Len(t, lines, maxRecalled)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, maxRecalled, strings.Count(string(data), "\n"), "the file is not shortened")
	require.Nil(t, HistoryFile(""))
}

func TestALongPasteStandsBesideTheQuestion(t *testing.T) {
	c := newChat(i18n.English)
	text := strings.Repeat("한 줄 <&>\n", 1<<20/13)
	began := time.Now()
	c.do(pasted(text))
	require.Less(t, time.Since(began), 2*time.Second)
	require.Empty(t, c.typed())
	require.Contains(t, c.screen(), "[pasted text 1: 80,659 lines, 945.2 KB]")
	c.do(pasted(text))
	c.press("ctrl+x")
	require.Len(t, c.prompt.clips, 1)
	c.asked("what is it?")
	line, err := ipc.Append(nil, c.last())
	require.NoError(t, err)
	require.LessOrEqual(t, len(line), ipc.MaxLine)
	var r ipc.Request
	require.NoError(t, c.last().Decode(&r))
	require.Contains(t, r.Stdin, "bytes omitted]")
	require.Equal(t, "what is it?", c.last().Body)
	require.Equal(t, "/home/blu", r.Cwd)
	require.Contains(t, c.screen(), "[pasted text 1:")
}

func TestEveryPasteFitsItsLine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newChat(i18n.Korean)
		for range rapid.IntRange(1, 5).Draw(t, "pastes") {
			c.prompt.paste(strings.Repeat(rapid.StringN(1, 8, -1).Draw(t, "unit"), rapid.IntRange(1, 20_000).Draw(t, "times")))
		}
		c.asked("요약")
		if c.state != Thinking {
			return // a slash command
		}
		if _, err := ipc.Append(nil, c.last()); err != nil {
			t.Fatal(err)
		}
	})
}

func TestAShortPasteIsWrittenIn(t *testing.T) {
	c := newChat(i18n.English)
	c.do(pasted("one\r\ntwo\x1b[31m\u202e"))
	require.Equal(t, "one\ntwo[31m", c.typed())
}

// errUnsent is the link's error if nothing could be sent.
var errUnsent = fmt.Errorf("%w: no socket", ipc.ErrUnreachable)

func TestALostDaemonIsToldAndWhatWasAskedIsKeptThere(t *testing.T) {
	c := newChat(i18n.English)
	c.asked("go")
	c.event(ipc.LinkEvent{Disconnected: fmt.Errorf("%w: EOF", ipc.ErrLost)})
	require.Equal(t, Input, c.state)
	require.Empty(t, c.typed(), "the daemon has it")
	require.Contains(t, c.log.last(byError), "Lost the connection to the background service.")
	require.Contains(t, c.screen(), "Your question is saved.")
	c.asked("next")
	require.Equal(t, "next", c.last().Body, "what is sent starts the daemon")
	require.Equal(t, Thinking, c.state)
	c.event(ipc.LinkEvent{Connected: &ipc.Hello{}})
	require.Contains(t, c.screen(), "Reconnected.")
	require.Equal(t, Thinking, c.state)
}

func TestWhatWasNeverSentIsInTheInputAgain(t *testing.T) {
	c := newChat(i18n.English)
	c.event(ipc.LinkEvent{Disconnected: fmt.Errorf("%w: EOF", ipc.ErrLost)})
	long := strings.Repeat("a line\n", 100)
	c.do(pasted(long))
	c.asked("next")
	c.event(ipc.LinkEvent{Disconnected: errUnsent})
	require.Equal(t, Input, c.state)
	require.Equal(t, "next", c.typed())
	require.Len(t, c.prompt.clips, 1, "with what was pasted beside it")
	said := c.log.last(byError)
	require.Contains(t, said, "Cannot reach the background service.")
	require.Contains(t, said, "no socket")
	require.Contains(t, said, "blunux-ai daemon", "the command that helps")
	require.NotContains(t, c.screen(), "Your question is saved.")
	c.press("enter")
	require.Equal(t, "next", c.last().Body)
	c.event(ipc.LinkEvent{Connected: &ipc.Hello{}})
	require.Equal(t, Thinking, c.state)
}

func TestALinkThatRestedComesBackWithoutAWord(t *testing.T) {
	c := newChat(i18n.English)
	require.Len(t, c.topics, 1)
	before := c.log.messages
	c.event(ipc.LinkEvent{Connected: &ipc.Hello{}})
	require.Equal(t, before, c.log.messages)
	require.Len(t, c.topics, 2, "subscriptions go with their connection")
}

func TestACancelledTurnsQuestionIsInTheInputAgain(t *testing.T) {
	for name, cancel := range map[string]func(c *chat){
		"esc":    func(c *chat) { c.press("esc") },
		"ctrl+c": func(c *chat) { c.press("ctrl+c") },
		"refused": func(c *chat) {
			c.put("a1", askOf("rm x"))
			c.pass(time.Second)
			c.press("esc")
		},
		"elsewhere": func(c *chat) { c.fail(ipc.CodeCancelled, "cancelled", "") },
	} {
		t.Run(name, func(t *testing.T) {
			c := newChat(i18n.English)
			c.asked("a long thought")
			cancel(c)
			require.Equal(t, Input, c.state)
			require.Equal(t, "a long thought", c.typed())
			c.write(" and more")
			c.press("enter")
			require.Equal(t, "a long thought and more", c.last().Body)
			setText(&c.prompt.area, "written since")
			c.cancelTurn()
			require.Equal(t, "written since", c.typed())
		})
	}
}

func TestWhatCouldNotBeSentStandsInTheInputAgain(t *testing.T) {
	c := newChat(i18n.English)
	c.asked("precious words")
	c.do([]sendFailure{{c.turn.id, errors.New("full")}})
	require.Equal(t, Input, c.state)
	require.Equal(t, "precious words", c.typed())
}

func TestAConversationIsResumedWithItsLastMessages(t *testing.T) {
	c := newChat(i18n.English, func(o *Options) { o.Session, o.Resume = "alpha", true })
	var q ipc.Query
	require.NoError(t, c.last().Decode(&q))
	require.Equal(t, ipc.Query{What: "session", Session: "alpha", Limit: maxResumed, Page: 1}, q)
	c.result(`{"key":"cli/alpha","entries":[{"type":"user","content":"hi"},{"type":"thought","content":"**hello**","cut":true},
		{"type":"tool","content":"I look.\nrun_command {\"command\":\"df -h\"}"},{"type":"result","content":"/dev/sda1\n","metadata":{"tool":"run_command","class":"SAFE","exit":0}},
		{"type":"tool","content":"run_command {\"command\":\"touch x\\nfalse\"}"},{"type":"result","content":"no room\n","metadata":{"class":"CONFIRM","exit":1}},
		{"type":"tool","content":"check_disk {}"},{"type":"result","content":"\n"},
		{"type":"error","content":"oh"}]}`)
	for _, row := range []string{"> hi", "| **hello**", "| I look.", "$ df -h · SAFE · exit 0", "$ touch x⟨\\n⟩false · CONFIRM · exit 1", ": no room", "$ check_disk\n\n! oh"} {
		require.Contains(t, c.screen(), row)
	}
	require.NotContains(t, c.screen(), "sda1", "what only read is told by the answer")
	require.NotContains(t, c.screen(), `{"`)
	c.asked("go on")
	require.Equal(t, "alpha", c.last().Session)
}

func TestASessionIsPickedByTyping(t *testing.T) {
	c := newChat(i18n.English, func(o *Options) { o.Pick = true })
	c.result(`[{"key":"agent:default:session:cli/alpha","modified":"2026-02-01T10:00:00Z"},{"key":"agent:default:session:whatsapp/bet","modified":"2026-02-01T10:00:00Z"},{"key":"agent:default:session:cli/beta","modified":"2026-02-01T10:00:00Z"}]`)
	c.write("bet")
	c.press("enter")
	var q ipc.Query
	require.NoError(t, c.last().Decode(&q))
	require.Equal(t, "beta", q.Session)
}

func TestOnlyCopyTouchesTheClipboard(t *testing.T) {
	c := newChat(i18n.English)
	c.asked("go")
	c.end("the **answer**", ipc.Outcome{})
	cmd := c.copyLast("")
	require.NotNil(t, cmd)
	require.Equal(t, "the **answer**", func() string { s, _ := stringOf(cmd()); return s }())
	c.log.reset()
	require.Nil(t, c.copyLast(""))
}

func TestModelsAndNotesAreTold(t *testing.T) {
	c := newChat(i18n.English)
	c.asked("/model")
	c.result(`[{"provider":"claude","label":"Claude","models":["opus"],"why":"login","answers":"opus"},{"provider":"openai","label":"OpenAI","models":["gpt"]}]`)
	require.Contains(t, c.screen(), "Current model: claude opus")
	c.asked("/memory vim")
	c.result(`{"hits":[{"key":"editor","content":"uses vim","source":"MEMORY.md"}]}`)
	require.Contains(t, c.screen(), "uses vim")
	c.asked("/reset")
	require.Equal(t, ipc.ActionReset, c.last().Action)
	c.result(`{}`)
	require.NotContains(t, c.screen(), "uses vim")
}

func TestTheTranscriptStaysWhereItWasScrolledTo(t *testing.T) {
	c := newLongChat(200)
	c.draw()
	c.press("pgup", "pgup")
	before := c.draw().rows[1:10]
	c.log.add(bySystem, "something new")
	require.Equal(t, before, c.draw().rows[1:10])
	require.NotContains(t, c.screen(), "something new")
	c.press("ctrl+end")
	require.Contains(t, c.screen(), "something new")
	c.press("ctrl+home")
	require.Contains(t, c.screen(), "질문 0")
}

func TestScrollingFindsEveryRowOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newLongChat(rapid.IntRange(1, 30).Draw(t, "messages"))
		c.resize(rapid.IntRange(40, 90).Draw(t, "width"), rapid.IntRange(10, 30).Draw(t, "height"))
		c.draw()
		var all []string
		for i := range c.log.blocks {
			all = append(all, c.log.layout(i)...)
		}
		for range rapid.IntRange(0, 12).Draw(t, "moves") {
			c.log.scroll(rapid.IntRange(-40, 40).Draw(t, "by"))
			rows := c.log.view(c.width, c.log.height)
			if len(all) >= c.log.height {
				require.Contains(t, "\n"+strings.Join(all, "\n")+"\n", "\n"+strings.Join(rows, "\n")+"\n")
			}
		}
	})
}

func TestMessagesAreCutWithoutLoss(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var tr transcript
		tr.follow = true
		unit := rapid.SampledFrom([]string{"가나다 ", "line\n", "para\n\n", "```go\ncode\n```\n\n", "```\nopen\n", "~~~\n", "x"})
		var whole strings.Builder
		for range rapid.IntRange(1, 8).Draw(t, "pieces") {
			piece := strings.Repeat(unit.Draw(t, "unit"), rapid.IntRange(1, 6000).Draw(t, "times"))
			whole.WriteString(piece)
			tr.stream(piece)
		}
		require.Equal(t, whole.String(), tr.last(byAssistant))
		require.Equal(t, 1, tr.messages)
		for _, b := range tr.blocks {
			require.LessOrEqual(t, len(b.text), mostBlock)
			require.True(t, strings.ToValidUTF8(b.text, "") == b.text)
		}
	})
}

func TestOutputIsKeptWithinBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var out tail
		var all strings.Builder
		for range rapid.IntRange(1, 30).Draw(t, "pieces") {
			piece := strings.Repeat(rapid.StringMatching(`[a-z가]{0,9}\n?`).Draw(t, "unit"), rapid.IntRange(1, 9000).Draw(t, "times"))
			all.WriteString(piece)
			out.write(piece)
			require.LessOrEqual(t, len(out.lines), tailLines)
			kept := strings.Join(out.lines, "\n")
			require.LessOrEqual(t, len(kept), tailBytes+1)
			require.True(t, strings.HasSuffix(strings.TrimSuffix(all.String(), "\n"), kept))
			require.Equal(t, !out.cut, kept == strings.TrimSuffix(all.String(), "\n"))
		}
	})
}
