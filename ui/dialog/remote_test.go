package dialog_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ui/dialog"
	"github.com/nidoit/blunux-ai/ui/dialog/form"
)

type asked struct {
	value string
	err   error
}

// inBackground asks while the test types.
func inBackground(ask func() (string, error)) <-chan asked {
	done := make(chan asked, 1)
	go func() {
		value, err := ask()
		done <- asked{value, err}
	}()
	return done
}

// newRemote returns an asker whose questions a form on s shows. end closes its side of the pipes, as the end of the
// program does, and waits for the other side.
func newRemote(t *testing.T, s dialog.Screen) (r *dialog.Remote, end func()) {
	t.Helper()
	fromForm, toAsker := io.Pipe()
	fromAsker, toForm := io.Pipe()
	served := make(chan struct{})
	go func() {
		defer close(served)
		dialog.Serve(context.Background(), fromAsker, toAsker, s)
		toAsker.Close()
		fromAsker.Close()
	}()
	r = dialog.NewRemote(fromForm, toForm, [2]string{"Yes", "No"}, func(string) {})
	end = func() {
		toForm.Close()
		<-served
		r.Close()
	}
	t.Cleanup(end)
	return r, end
}

func TestAnotherProgramShowsTheQuestions(t *testing.T) {
	s := newScreen(t)
	r, _ := newRemote(t, &form.Screen{Lang: i18n.English, In: s.tty, Out: s.tty, Width: narrow})
	ctx := t.Context()
	q := dialog.Question{Title: "Which?", Options: []dialog.Option{{Label: "first", Value: "a"}, {Label: "second", Value: "b"}}, Value: "a"}
	done := inBackground(func() (string, error) { return r.Choose(ctx, q) })
	s.await("second", 1)
	s.enter("\x1b[B\r")
	require.Equal(t, asked{"b", nil}, <-done)

	s.forget()
	done = inBackground(func() (string, error) {
		ok, err := r.Confirm(ctx, dialog.Question{Title: "Save?", Value: dialog.Yes})
		require.True(t, ok)
		return "", err
	})
	s.await("Save?", 1)
	s.enter("\r")
	require.NoError(t, (<-done).err)

	s.forget()
	done = inBackground(func() (string, error) {
		return r.Type(ctx, dialog.Question{Title: "The key", Secret: true, Check: func(text string) error {
			if text != aKey {
				return errors.New("not this one")
			}
			return nil
		}})
	})
	s.await("The key", 1)
	s.enter("x\r")
	s.await("not this one", 1)
	s.enter("\x7f" + aKey + "\r")
	require.Equal(t, asked{aKey, nil}, <-done)
	require.NotContains(t, ansi.Strip(s.text()), aKey)
}

func TestAQuestionOfAnotherProgramIsLeft(t *testing.T) {
	s := newScreen(t)
	r, end := newRemote(t, &form.Screen{Lang: i18n.English, In: s.tty, Out: s.tty, Width: narrow})
	q := dialog.Question{Title: "The key", Back: true}
	for typed, want := range map[string]asked{"\x1b": {dialog.Back, nil}, "<\r": {dialog.Back, nil}} {
		s.forget()
		done := inBackground(func() (string, error) { return r.Type(t.Context(), q) })
		s.await("The key", 1)
		s.enter(typed)
		require.Equal(t, want, <-done, "%q", typed)
	}
	q.Back = false
	for _, key := range []string{"\x1b", "\x03"} {
		s.forget()
		done := inBackground(func() (string, error) { return r.Type(t.Context(), q) })
		s.await("The key", 1)
		s.enter(key)
		require.ErrorIs(t, (<-done).err, dialog.ErrAborted, "%q", key)
	}

	s.forget()
	ctx, cancel := context.WithCancel(t.Context())
	done := inBackground(func() (string, error) { return r.Type(ctx, q) })
	s.await("The key", 1)
	cancel()
	require.ErrorIs(t, (<-done).err, dialog.ErrAborted)
	s.await(ansi.EraseScreenBelow, 1) // before Type returned
	_, err := r.Type(ctx, q)
	require.ErrorIs(t, err, dialog.ErrAborted)

	end()
	_, err = r.Choose(t.Context(), q)
	require.ErrorContains(t, err, "cannot show the question")
}
