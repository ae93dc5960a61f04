package bridge

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// A complete answer is posted without a placeholder and without an edit. One that takes longer is
// shown while it is written.
func TestU16AnAnswerThatIsWholeAtOnceIsTheOnlyMessage(t *testing.T) {
	for pause, posts := range map[time.Duration][]string{
		0:                      {"the whole answer"},
		200 * time.Millisecond: {"the whole answer"},
		time.Second:            {waitSign, "the whole", "the whole answer"},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newFakeMessenger(editTraits())
			var shown []string
			p.setFailure(func(piece Piece) error {
				shown = append(shown, piece.Text)
				return nil
			})
			dialer := ipc.Dialer{Locator: ipc.Locator{Getenv: func(string) string { return "" }}, NoStart: true}
			b := New(Options{Messenger: p, Dialer: dialer, Dir: filepath.Join(t.TempDir(), "telegram"), Lang: i18n.English, Log: zerolog.Nop()})
			b.dispatcher.ctx, b.dispatcher.onDelivered = t.Context(), func(ipc.Notice) {}
			time.Sleep(5 * time.Second) // time before the model answers
			b.dispatcher.startTurn("q", "7", "t1")
			for _, words := range []string{"the ", "whole", " answer"} {
				b.dispatcher.handleFrame("q", ipc.Message{Type: ipc.TypeDelta, Body: words})
				time.Sleep(pause)
			}
			b.dispatcher.stopLive("t1", false)
			b.dispatcher.enqueueNotice(ipc.Notice{ID: "task:t1", Task: "t1", To: "7", Body: "the whole answer"})
			synctest.Wait()
			require.Equal(t, posts[len(posts)-1:], p.texts("7"), "%s", pause)
			require.Len(t, p.shown, 1)
			if pause == time.Second {
				require.Equal(t, waitSign, shown[0])
				require.Positive(t, p.shown[0].edits)
				return
			}
			require.Equal(t, posts, shown)
			require.Zero(t, p.shown[0].edits)
		})
	}
}
