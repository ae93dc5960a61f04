package plain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stage is a chat whose keyboard and daemon the test controls.
type stage struct {
	t          *testing.T
	sent       chan ipc.Message
	events     chan ipc.LinkEvent
	keys       chan string // typed lines; closing it is Ctrl-D
	prompts    chan string // prompts of read lines
	interrupts chan struct{}
	mu         sync.Mutex
	shown      strings.Builder
	over       chan Result
}

func (s *stage) Send(m ipc.Message) error { s.sent <- m; return nil }

func (s *stage) Events() <-chan ipc.LinkEvent { return s.events }

func (s *stage) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.Write(p)
}

func (s *stage) Size() (columns, rows int) { return 60, 0 }

func (s *stage) AskLine(ctx context.Context, text string) (string, error) {
	return s.NextLine(ctx, text)
}

func (s *stage) NextLine(ctx context.Context, text string) (string, error) {
	fmt.Fprint(s, text)
	s.prompts <- text
	select {
	case line, open := <-s.keys:
		if !open {
			return "", io.EOF
		}
		fmt.Fprintln(s, line) // a terminal echoes what is typed
		return line + "\n", nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// startStage starts a chat.
func startStage(t *testing.T, change func(o *Options)) *stage {
	s := &stage{
		t: t, sent: make(chan ipc.Message, 16), events: make(chan ipc.LinkEvent), keys: make(chan string),
		prompts: make(chan string, 16), interrupts: make(chan struct{}), over: make(chan Result, 1),
	}
	o := Options{
		Lang: i18n.Korean, Daemon: s, Session: "s1", Keyboard: s, Out: s, Columns: func() int { return 60 },
		Interrupts: s.interrupts, Cwd: "/home/blu",
	}
	if change != nil {
		change(&o)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	go func() {
		end, err := Run(ctx, o)
		if err != nil {
			t.Error(err)
		}
		s.over <- end
	}()
	return s
}

// awaitPrompt waits until a line is read.
func (s *stage) awaitPrompt(want string) {
	s.t.Helper()
	require.Equal(s.t, want, <-s.prompts)
}

func (s *stage) frame(m ipc.Message) { s.events <- ipc.LinkEvent{Frame: &m} }

func (s *stage) screen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}

// askQuestion types a question and returns its message.
func (s *stage) askQuestion(text string) ipc.Message {
	s.t.Helper()
	s.awaitPrompt("> ")
	s.keys <- text
	m := <-s.sent
	require.Equal(s.t, ipc.TypeMessage, m.Type)
	require.Equal(s.t, text, m.Body)
	return m
}

func (s *stage) leave() Result {
	s.t.Helper()
	close(s.keys)
	return <-s.over
}

func tool(m ipc.Message, t ipc.Tool) ipc.Message {
	return ipc.Message{Type: ipc.TypeTool, Re: m.ID}.WithData(t)
}

func TestAWholeTurnLineByLine(t *testing.T) {
	s := startStage(t, nil)
	m := s.askQuestion("디스크 꽉 찼어?")
	require.Equal(t, "s1", m.Session)
	var r ipc.Request
	require.NoError(t, m.Decode(&r))
	require.Equal(t, "/home/blu", r.Cwd)
	s.frame(tool(m, ipc.Tool{Call: "t1", Class: "SAFE", Command: "df -h", State: ipc.ToolRunning}))
	s.frame(tool(m, ipc.Tool{Call: "t1", Class: "SAFE", Command: "df -h", State: ipc.ToolDone, Millis: 104}))
	s.frame(tool(m, ipc.Tool{Call: "t2", Class: "SAFE", Command: "false", State: ipc.ToolDone, Exit: 1}))
	s.frame(tool(m, ipc.Tool{Call: "t3", Class: "BLOCKED", Command: "rm -rf /", State: ipc.ToolRefused, Reason: "blocked"}))
	for _, piece := range []string{"여유가 ", "있어", "요.\n두 번째 줄"} {
		s.frame(ipc.Message{Type: ipc.TypeDelta, Re: m.ID, Body: piece})
	}
	s.frame(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true, Body: "여유가 있어요.\n두 번째 줄"}.WithData(ipc.Outcome{Pending: []string{"K7QX"}}))
	s.awaitPrompt("> ")
	end := s.leave()
	require.Equal(t, Result{Session: "s1"}, end)
	require.Equal(t, `무엇을 도와드릴까요? 도움말은 /help, 나가려면 /quit.
> 디스크 꽉 찼어?
  · df -h  0.1s
  · false  0.0s  종료 코드 1
  · 실행 안 함: `+i18n.Refusal("blocked", i18n.Korean)+`  rm -rf /
  여유가 있어요.
  두 번째 줄
`+i18n.PendingApproval("K7QX").In(i18n.Korean)+`
> 
`, s.screen())
}

func TestAPictureIsShownBelowItsStep(t *testing.T) {
	s := startStage(t, func(o *Options) {
		o.Picture = func(path string) { fmt.Fprintf(o.Out, "  [%s]\n", path) }
	})
	m := s.askQuestion("뭐가 보여?")
	s.frame(tool(m, ipc.Tool{Call: "t1", Class: "SAFE", Command: "blunux-ai read-file -- /사진.png", State: ipc.ToolRunning}))
	s.frame(tool(m, ipc.Tool{Call: "t1", Class: "SAFE", Command: "blunux-ai read-file -- /사진.png", State: ipc.ToolDone, Picture: "/사진.png"}))
	s.frame(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true, Body: "고양이요."}.WithData(ipc.Outcome{}))
	s.awaitPrompt("> ")
	s.leave()
	require.Contains(t, s.screen(), "  · blunux-ai read-file -- /사진.png  0.0s\n  [/사진.png]\n  고양이요.\n")
}

// confirmation returns an ask in the turn of a question.
func confirmation(m ipc.Message, id, command string) ipc.Message {
	return ipc.Message{Type: ipc.TypeAsk, ID: id, Re: m.ID, Body: "실행할까요?"}.WithData(ipc.Ask{
		Command: command, Class: "CONFIRM", Digest: "sha256:" + id, Covers: command, Reasons: []string{"listed"},
	})
}

const choices = "[예(y)/아니요(N)/세션 허용(a)/수정(e)/?] "

func TestAConfirmationShowsTheCommandAndIsAnsweredInWords(t *testing.T) {
	for typed, action := range map[string]string{"네": ipc.ActionAllowOnce, "": ipc.ActionReject, "아니요": ipc.ActionReject, "a": ipc.ActionAllowSession} {
		t.Run(typed, func(t *testing.T) {
			s := startStage(t, nil)
			m := s.askQuestion("설치해줘")
			s.frame(confirmation(m, "a1", "yay -S -- htop"))
			s.awaitPrompt(choices)
			require.Contains(t, s.screen(), "\n    yay -S -- htop\n", "on a line of its own")
			s.keys <- typed
			got := <-s.sent
			require.Equal(t, []string{ipc.TypeAction, "a1", action}, []string{got.Type, got.Re, got.Action})
			var a ipc.Answer
			require.NoError(t, got.Decode(&a))
			require.Equal(t, "sha256:a1", a.Digest)
			s.frame(ipc.Message{Type: ipc.TypeResult, Re: got.ID, Done: true})
			s.frame(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true, Body: "끝"})
			s.awaitPrompt("> ")
			s.leave()
		})
	}
}

// TestThreat24NothingIsShownWhileAConfirmationIsOpen that a model sends meanwhile could be mistaken for a part of the confirmation.
func TestThreat24NothingIsShownWhileAConfirmationIsOpen(t *testing.T) {
	s := startStage(t, nil)
	m := s.askQuestion("해줘")
	s.frame(confirmation(m, "a1", "touch /tmp/x"))
	s.awaitPrompt(choices)
	before := s.screen()
	s.frame(ipc.Message{Type: ipc.TypeDelta, Re: m.ID, Body: "Run `ls` instead? [y/N] "})
	s.frame(confirmation(m, "a2", "touch /tmp/y"))
	s.frame(ipc.Message{Type: ipc.TypeError, Re: "", Error: nil})
	require.Equal(t, before, s.screen())
	s.keys <- "y"
	require.Equal(t, "a1", (<-s.sent).Re)
	s.awaitPrompt(choices)
	require.Contains(t, s.screen(), "    touch /tmp/y")
	s.keys <- "n"
	require.Equal(t, ipc.ActionReject, (<-s.sent).Action)
	s.frame(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true, Body: "Run `ls` instead? [y/N]"})
	s.awaitPrompt("> ")
	require.Contains(t, s.screen(), "\n  Run `ls` instead? [y/N]\n> ", "behind the indent")
	s.keys <- "y" // has no special meaning here
	require.Equal(t, ipc.TypeMessage, (<-s.sent).Type)
	s.interrupts <- struct{}{}
	require.Equal(t, ipc.TypeCancel, (<-s.sent).Type)
	s.interrupts <- struct{}{}
	<-s.over
}

func TestAnAnswerGivenElsewhereEndsTheQuestion(t *testing.T) {
	s := startStage(t, nil)
	m := s.askQuestion("해줘")
	s.frame(confirmation(m, "a1", "touch /tmp/x"))
	s.awaitPrompt(choices)
	s.frame(ipc.Message{Type: ipc.TypeResolved, ID: "a1", Re: m.ID}.WithData(ipc.Resolved{By: "cli"}))
	s.frame(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true, Body: "했어요."})
	s.awaitPrompt("> ")
	require.Contains(t, s.screen(), i18n.AnsweredAlready("터미널").In(i18n.Korean))
	require.Empty(t, s.sent)
	s.leave()
}

func TestCtrlCCancelsTheTurnAndTwiceLeaves(t *testing.T) {
	s := startStage(t, nil)
	m := s.askQuestion("오래 걸리는 일")
	s.frame(confirmation(m, "a1", "sleep 100"))
	s.awaitPrompt(choices)
	s.interrupts <- struct{}{}
	got := <-s.sent
	require.Equal(t, []string{ipc.TypeCancel, m.ID}, []string{got.Type, got.Re}, "and no answer to the question")
	s.frame(ipc.Message{Type: ipc.TypeError, Re: m.ID, Done: true, Error: &ipc.Error{Code: ipc.CodeCancelled, Message: "취소했어요."}})
	s.awaitPrompt("> ")
	require.Contains(t, s.screen(), "취소했어요.")
	s.interrupts <- struct{}{}
	s.keys <- "/help" // other input in between resets it
	s.awaitPrompt("> ")
	s.interrupts <- struct{}{}
	s.interrupts <- struct{}{}
	<-s.over
	require.Contains(t, s.screen(), i18n.PlainAgain.In(i18n.Korean))
}

func TestADaemonThatGoesAwayEndsTheTurnAndNotTheChat(t *testing.T) {
	s := startStage(t, nil)
	s.askQuestion("하나")
	s.events <- ipc.LinkEvent{Disconnected: fmt.Errorf("%w: reset", ipc.ErrLost)}
	m := s.askQuestion("둘")
	require.Contains(t, s.screen(), i18n.ConnectionLost.In(i18n.Korean))
	s.events <- ipc.LinkEvent{Connected: &ipc.Hello{Notices: 2}}
	s.frame(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true, Body: "답"})
	s.askQuestion("셋")
	require.Contains(t, s.screen(), i18n.UnreadNotices(2).In(i18n.Korean))
	s.events <- ipc.LinkEvent{Disconnected: &ipc.UnreachableError{Path: "/s", Tried: []string{"connect: nobody listens"}}}
	s.awaitPrompt("> ")
	require.Contains(t, s.screen(), "nobody listens")
	require.Equal(t, 2, s.leave().Failed)
}

func TestSlashCommands(t *testing.T) {
	answers := map[string]struct {
		what, body string
		data       any
		want       string
	}{
		"/model":     {"models", "", []ipc.ProviderModels{{Provider: "deepseek", Answers: "chat\x1b[2J", Why: "config"}}, "  사용 중: deepseek chat[2J"},
		"/memory":    {"memory", "", map[string]any{"files": []map[string]any{{"name": "USER.md", "path": "/h/USER.md", "size": 12}}}, "  USER.md  12 B  /h/USER.md"},
		"/memory 책":  {"memory-search", "", map[string]any{"hits": []map[string]any{{"content": "책을\n좋아해요", "source": "USER.md"}}}, "USER.md  책을 좋아해요"},
		"/approvals": {"approvals", "", []ipc.Ask{{Code: "K7QX", Command: "rm\u202e x"}}, "K7QX"},
		"/sessions": {
			"sessions", "",
			[]map[string]any{{"key": "agent:main:session:cli/a"}, {"key": "agent:main:session:tui/b", "title": "디스크"}},
			"  b  디스크",
		},
	}
	for line, a := range answers {
		t.Run(line, func(t *testing.T) {
			s := startStage(t, nil)
			s.awaitPrompt("> ")
			s.keys <- line
			m := <-s.sent
			var q ipc.Query
			require.NoError(t, m.Decode(&q))
			require.Equal(t, a.what, q.What)
			s.frame(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData(a.data))
			s.awaitPrompt("> ")
			require.Contains(t, s.screen(), a.want)
			s.leave()
		})
	}
	t.Run("others", func(t *testing.T) {
		s := startStage(t, nil)
		for _, line := range []string{"", "   ", "/nope", "/help"} {
			s.awaitPrompt("> ")
			s.keys <- line
		}
		require.Empty(t, s.sent)
		m := s.askQuestion("/etc/fstab 이 뭐야?")
		s.frame(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true, Body: "파일"})
		s.awaitPrompt("> ")
		s.keys <- "/reset"
		require.Equal(t, ipc.ActionReset, (<-s.sent).Action)
		s.interrupts <- struct{}{}
		<-s.sent
		s.interrupts <- struct{}{}
		<-s.over
		require.Contains(t, s.screen(), i18n.PlainNoCommand("/nope").In(i18n.Korean))
		require.Contains(t, s.screen(), "/approvals")
	})
	t.Run("quit", func(t *testing.T) {
		s := startStage(t, nil)
		s.awaitPrompt("> ")
		s.keys <- "/quit"
		<-s.over
	})
}

func TestAConversationIsChosenByItsNumberAndItsEndShown(t *testing.T) {
	s := startStage(t, func(o *Options) { o.Pick = true })
	m := <-s.sent
	s.frame(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData([]map[string]any{
		{"key": "agent:main:session:tui/old", "title": "\x1b]0;pwned\x07디스크"},
	}))
	s.awaitPrompt("> ")
	s.keys <- "/sessions 1"
	m = <-s.sent
	s.frame(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData(map[string]any{"entries": []map[string]any{
		{"type": "user", "content": "꽉 찼어?"}, {"type": "tool", "content": ""}, {"type": "thought", "content": "아니요.\n여유가 있어요."},
	}}))
	m = s.askQuestion("고마워")
	require.Equal(t, "old", m.Session, "a name, not a key")
	require.Contains(t, s.screen(), "나:\n  꽉 찼어?\n비서:\n  아니요.\n  여유가 있어요.\n")
	require.NotContains(t, s.screen(), "\x1b")
	s.frame(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true, Body: "네"})
	s.awaitPrompt("> ")
	s.leave()
}

func TestPipedLinesAreQuestionsAndNothingIsConfirmed(t *testing.T) {
	s := startStage(t, func(o *Options) {
		o.Keyboard, o.Columns = nil, nil
		o.In = strings.NewReader("하나\n\n/help\n" + strings.Repeat("x", maxLine+1) + "\n둘\xff")
	})
	for _, want := range []string{"하나", "/help", "둘\uFFFD"} {
		m := <-s.sent
		require.Equal(t, want, m.Body)
		s.frame(confirmation(m, "a1", "true"))
		s.frame(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true, Body: "답 " + want})
	}
	require.Equal(t, 1, (<-s.over).Failed, "the line that was too long")
	require.Empty(t, s.sent, "nothing was answered")
	require.True(t, strings.HasPrefix(s.screen(), "답 하나\n답 /help\n"), s.screen())
}

func TestTheChatEndsWithItsDaemonsEvents(t *testing.T) {
	s := startStage(t, nil)
	s.awaitPrompt("> ")
	close(s.events)
	<-s.over
}

func TestAnAnswerTheDaemonDoesNotTakeIsNoYes(t *testing.T) {
	s := startStage(t, nil)
	m := s.askQuestion("해줘")
	s.frame(confirmation(m, "a1", "touch /tmp/x"))
	s.awaitPrompt(choices)
	s.keys <- "y"
	got := <-s.sent
	s.frame(ipc.Message{Type: ipc.TypeError, Re: got.ID, Done: true, Error: &ipc.Error{Code: ipc.CodeDenied, Message: "for another command"}})
	require.Equal(t, ipc.Message{Type: ipc.TypeAction, Re: "a1", Action: ipc.ActionReject}, <-s.sent)
	s.events <- ipc.LinkEvent{Disconnected: ipc.ErrLost}
	s.awaitPrompt("> ")
	require.Contains(t, s.screen(), "  for another command\n")
	s.leave()
}

var errBroken = errors.New("broken")

func TestInputThatCannotBeReadIsAnError(t *testing.T) {
	s := &stage{t: t, events: make(chan ipc.LinkEvent), sent: make(chan ipc.Message, 1)}
	_, err := Run(t.Context(), Options{Daemon: s, Out: s, In: io.MultiReader(strings.NewReader(""), broken{})})
	require.ErrorIs(t, err, errBroken)
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errBroken }

func TestAHintAndTheBudgetAreTold(t *testing.T) {
	s := startStage(t, func(o *Options) { o.Hint = i18n.SetupHint.In(i18n.Korean) })
	m := s.askQuestion("비싸?")
	require.Contains(t, s.screen(), i18n.SetupHint.In(i18n.Korean))
	s.frame(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true, Body: "조금요"}.WithData(ipc.Outcome{
		Budget: &ipc.DayBudget{Limit: "daily_tokens", DailyTokens: 1000, Tokens: 900, Share: 0.9},
	}))
	s.awaitPrompt("> ")
	require.Contains(t, s.screen(), "오늘 예산 토큰 1,000개 중 900 사용 (90%)")
	s.interrupts <- struct{}{}
	s.interrupts <- struct{}{}
	<-s.over
}

func TestEachStepOfAPlanHasARow(t *testing.T) {
	s := startStage(t, func(o *Options) { o.Lang = i18n.English })
	m := s.askQuestion("clean up")
	step := func(n int, command, state string) {
		s.frame(tool(m, ipc.Tool{Call: "t1", Name: "plan", Class: "CONFIRM", State: ipc.ToolRunning, Step: &ipc.PlanStep{
			Number: n, Of: 4, Command: command, State: state,
		}}))
	}
	s.frame(tool(m, ipc.Tool{Call: "t1", Name: "plan", Class: "CONFIRM", Command: "uname\ndf", State: ipc.ToolRunning}))
	step(1, "uname", ipc.StepRunning)
	step(2, "df", ipc.StepRunning)
	step(1, "uname", ipc.StepDone)
	step(2, "df", ipc.StepDone)
	step(3, "echo '[4/4] true  ✓'\nrm x", ipc.StepRunning)
	step(3, "echo '[4/4] true  ✓'\nrm x", ipc.StepFailed)
	step(4, "true", ipc.StepSkipped)
	s.frame(tool(m, ipc.Tool{Call: "t1", Name: "plan", Class: "CONFIRM", Command: "uname\ndf", State: ipc.ToolDone, Exit: 1}))
	s.frame(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true, Body: "stopped"})
	s.awaitPrompt("> ")
	s.leave()
	require.Contains(t, s.screen(), `
  [1/4] uname
  [2/4] df
  [1/4] uname  ✓
  [2/4] df  ✓
  [3/4] echo '[4/4] true␣␣✓'⟨\n⟩rm x  ✗
  [4/4] true  -
  stopped
`)
}

func TestAChangeIsTakenBackWithACommand(t *testing.T) {
	s := startStage(t, nil)
	for line, want := range map[string]string{"/undo": ipc.UndoLast, "/undo u4k7p": "U4K7P"} {
		s.awaitPrompt("> ")
		s.keys <- line
		m := <-s.sent
		var r ipc.Request
		require.NoError(t, m.Decode(&r))
		require.Equal(t, []string{ipc.TypeMessage, "s1", want, "ko"}, []string{m.Type, m.Session, r.Undo, r.Lang})
		s.frame(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true, Body: "끝"})
	}
	s.awaitPrompt("> ")
	s.leave()
}
