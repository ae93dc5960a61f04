package dialog_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ui/dialog"
	"github.com/nidoit/blunux-ai/ui/dialog/form"
)

// The cursor of a form has a timer that ends half a second after the form.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("charm.land/bubbles/v2/cursor.(*Model).Blink.func1"),
		goleak.IgnoreAnyFunction("charm.land/bubbletea/v2.(*Program).execBatchMsg"),
	)
}

// screen is a terminal with a person.
type screen struct {
	t       *testing.T
	control *os.File
	tty     *os.File
	mu      sync.Mutex
	shown   bytes.Buffer
	more    chan struct{}
	ended   chan struct{}
}

func newScreen(t *testing.T) *screen {
	t.Helper()
	control, tty, err := pty.Open()
	require.NoError(t, err)
	require.NoError(t, pty.Setsize(tty, &pty.Winsize{Cols: 40, Rows: 24}))
	s := &screen{t: t, control: control, tty: tty, more: make(chan struct{}, 1), ended: make(chan struct{})}
	go s.watch()
	t.Cleanup(func() {
		// The form may still be querying the terminal's size after its answer. Therefore the
		// terminal is closed by the garbage collector.
		fmt.Fprint(tty, over)
		<-s.ended
		control.Close()
	})
	return s
}

// Texts that the program prints at the end of each page and at the end.
const (
	turned = "\x1b]page\x07"
	over   = "\x1b]end\x07"
)

func (s *screen) watch() {
	defer close(s.ended)
	buf := make([]byte, 4096)
	for {
		n, err := s.control.Read(buf)
		s.mu.Lock()
		s.shown.Write(buf[:n])
		last := bytes.HasSuffix(s.shown.Bytes(), []byte(over))
		s.mu.Unlock()
		select {
		case s.more <- struct{}{}:
		default:
		}
		if err != nil || last {
			return
		}
	}
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}

// await waits until a text was printed the given number of times.
func (s *screen) await(text string, times int) {
	s.t.Helper()
	for end := time.After(10 * time.Second); strings.Count(s.text(), text) < times; {
		select {
		case <-s.more:
		case <-end:
			s.t.Fatalf("%q was not shown:\n%s", text, s.text())
		}
	}
}

// forget starts a new page. It discards the earlier output, including output that was not read yet.
func (s *screen) forget() {
	s.t.Helper()
	fmt.Fprint(s.tty, turned)
	s.await(turned, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown.Reset()
}

func (s *screen) enter(text string) {
	s.t.Helper()
	_, err := s.control.WriteString(text)
	require.NoError(s.t, err)
}

const aKey = "sk-test-0123456789abcdef"

func narrow() int { return 40 }

func TestLinesAreReadInThePersonsLanguage(t *testing.T) {
	s := newScreen(t)
	ask := dialog.NewLines(i18n.Korean, s.tty, s.tty, narrow)
	defer ask.Close()
	ctx := context.Background()
	s.enter("5\nㅎ\n２\n")
	got, err := ask.Choose(ctx, dialog.Question{Title: "누가?", Options: []dialog.Option{{Label: "하나", Value: "a"}, {Label: "둘", Value: "b"}}, Value: "a"})
	require.NoError(t, err)
	require.Equal(t, "b", got)
	for answer, want := range map[string]bool{"응": true, "ㅛ": true, "아니요": false, "ㅜ": false, "": true} {
		s.enter(answer + "\n")
		ok, err := ask.Confirm(ctx, dialog.Question{Title: "저장할까요?", Value: "yes"})
		require.NoError(t, err)
		require.Equal(t, want, ok, answer)
	}
	s.enter("글쎄\n네\n")
	ok, err := ask.Confirm(ctx, dialog.Question{Title: "저장할까요?"})
	require.NoError(t, err)
	require.True(t, ok)
	s.await("[예(Y)/아니요(n)] › ", 5)
	s.await("[예(y)/아니요(N)] › ", 2)
	s.await("1부터 2까지의 번호를", 2)
}

func TestASecretIsNotShownAndTheEndOfInputIsNoConsent(t *testing.T) {
	s := newScreen(t)
	ask := dialog.NewLines(i18n.English, s.tty, s.tty, narrow)
	defer ask.Close()
	got := make(chan string, 1)
	go func() {
		key, err := ask.Type(context.Background(), dialog.Question{Title: "The key", Secret: true})
		if err == nil {
			got <- key
		}
		close(got)
	}()
	s.await("› ", 1)
	s.enter(aKey + "\n")
	require.Equal(t, aKey, <-got)
	require.NotContains(t, s.text(), aKey)

	s.enter("\x04") // Ctrl-D
	_, err := ask.Confirm(context.Background(), dialog.Question{Title: "Save?", Value: "yes"})
	require.ErrorIs(t, err, dialog.ErrAborted)
	_, err = ask.Choose(context.Background(), dialog.Question{Title: "Which?", Options: []dialog.Option{{Label: "a", Value: "a"}}})
	require.ErrorIs(t, err, dialog.ErrAborted)
}

func TestAFormIsAnsweredByKeysAndLeftByEsc(t *testing.T) {
	s := newScreen(t)
	ask := &form.Screen{Lang: i18n.Korean, In: s.tty, Out: s.tty, Width: narrow}
	type result struct {
		value string
		err   error
	}
	run := func(f func() (string, error)) chan result {
		done := make(chan result, 1)
		go func() { v, err := f(); done <- result{v, err} }()
		return done
	}
	q := dialog.Question{Title: "어떤 모델이 답할까요?", Value: "b", Options: []dialog.Option{{Label: "하나", Value: "a"}, {Label: "둘", Value: "b"}, {Label: "셋", Value: "c"}}}
	done := run(func() (string, error) { return ask.Choose(context.Background(), q) })
	s.await("셋", 1)
	s.enter("\x1b[B")
	s.enter("\r")
	require.Equal(t, result{"c", nil}, <-done)
	s.await("어떤 모델이 답할까요? › 셋", 1)

	s.forget()
	done = run(func() (string, error) {
		return ask.Type(context.Background(), dialog.Question{Title: "키", Secret: true})
	})
	s.await("Esc 그만두기", 1)
	s.enter(aKey + "\r")
	require.Equal(t, result{aKey, nil}, <-done)
	require.NotContains(t, ansi.Strip(s.text()), aKey)

	for _, key := range []string{"\x1b", "\x03"} {
		s.forget()
		done = run(func() (string, error) { return ask.Choose(context.Background(), q) })
		s.await("셋", 1)
		s.enter(key)
		require.ErrorIs(t, (<-done).err, dialog.ErrAborted)
	}
}

func TestU7EscGoesBackWhereAQuestionAllowsItAndLeavesElsewhere(t *testing.T) {
	for _, c := range []struct {
		typed string
		back  bool
		want  string
		left  bool
	}{{"\x1b", true, dialog.Back, false}, {"\x1b", false, "", true}, {"\x03", true, "", true}, {"<\r", true, dialog.Back, false}} {
		s := newScreen(t)
		f := &form.Screen{Lang: i18n.English, In: s.tty, Out: s.tty, Width: func() int { return 40 }, Plain: true}
		type result struct {
			text string
			err  error
		}
		got := make(chan result, 1)
		go func() {
			text, err := f.Type(t.Context(), dialog.Question{Title: "The key", Secret: true, Back: c.back, Check: func(string) error { return nil }})
			got <- result{text, err}
		}()
		s.await("The key", 1)
		s.enter(c.typed)
		r := <-got
		if c.left {
			require.ErrorIs(t, r.err, dialog.ErrAborted, "%q", c.typed)
			continue
		}
		require.NoError(t, r.err)
		require.Equal(t, c.want, r.text)
	}
}

func TestU7LineByLineASignGoesBack(t *testing.T) {
	for _, typed := range []string{"<\n", "\x1b\n"} {
		s := newScreen(t)
		l := dialog.NewLines(i18n.Korean, s.tty, s.tty, func() int { return 40 })
		t.Cleanup(l.Close)
		s.enter(typed)
		text, err := l.Type(t.Context(), dialog.Question{Title: "키", Back: true, Check: func(string) error { return fmt.Errorf("no") }})
		require.NoError(t, err)
		require.Equal(t, dialog.Back, text)
	}
}
