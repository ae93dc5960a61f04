package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/internal/picture"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
)

// shows makes the tools return a picture of size bytes that begins with their number.
func (b *toolbox) shows(size int) {
	b.run = func(_ context.Context, j tools.JudgedPlan) tools.Outcome {
		out := ranFine(j)
		data := append([]byte(j.Call.ID), make([]byte, size)...)
		out.Picture = &providers.Picture{MediaType: "image/png", Data: data[:size], Path: "/shot.png"}
		return out
	}
}

// shownPictures returns the beginnings of the pictures of results in a request.
func shownPictures(r providers.Request) (shown []string) {
	for _, m := range r.Messages {
		for _, b := range m.Content {
			if b.Picture != nil {
				shown = append(shown, string(b.Picture.Data[:2]))
			}
		}
	}
	return shown
}

func TestThePictureOfAResultIsShownInItsTurnAndNeverStored(t *testing.T) {
	b := newBench(asks(use("t1", "read", `{"a":1}`)), asks(use("t2", "change", `{}`)), answers("a cat"), answers("yes"))
	b.tools.shows(100)
	_, err := b.ask(t, "what is on it?")
	require.NoError(t, err)
	require.Equal(t, []string{"t1"}, shownPictures(b.model.requests[1]))
	require.Equal(t, []string{"t1", "t2"}, shownPictures(b.model.requests[2]))
	stored, err := json.Marshal(b.history.entries)
	require.NoError(t, err)
	require.NotContains(t, string(stored), "image/png")
	_, err = b.ask(t, "really?")
	require.NoError(t, err)
	require.Empty(t, shownPictures(b.model.last()), "neither in memory")
}

func TestOnlyTheLatestPicturesFitARequest(t *testing.T) {
	b := newBench(
		asks(use("t1", "read", `{"a":1}`), use("t2", "read", `{"a":2}`)), asks(use("t3", "read", `{"a":3}`)), answers("done"),
	)
	b.tools.shows(picture.MaxSize)
	_, err := b.ask(t, "compare them")
	require.NoError(t, err)
	require.Equal(t, []string{"t1", "t2"}, shownPictures(b.model.requests[1]))
	require.Equal(t, []string{"t2", "t3"}, shownPictures(b.model.last()))
	first := b.model.last().Messages[2].Content[0]
	require.Contains(t, first.Content, "The picture is no longer shown")
}

func TestARejectedPictureDoesNotEndTheTurn(t *testing.T) {
	refuses := fails(&providers.Error{Kind: providers.KindAPI, Status: 400, Message: "Could not process image"})
	b := newBench(asks(use("t1", "read", `{}`)), refuses, answers("I could not see it."))
	b.tools.shows(100)
	own := agent.Attachment{Name: "a.png"}.WithContent([]byte("x"), "image/png", false)
	reply, err := b.Turn(t.Context(), agent.Request{Session: "s", Text: "look", Attachments: []agent.Attachment{own}})
	require.NoError(t, err)
	require.Equal(t, "I could not see it.", reply.Text)
	said := fmt.Sprint(b.model.last().Messages)
	require.Equal(t, 2, bytes.Count([]byte(said), []byte("the provider rejected the request with it")))
	require.Empty(t, shownPictures(b.model.last()))

	b = newBench(asks(use("t1", "read", `{}`)), refuses)
	_, err = b.ask(t, "look")
	require.Error(t, err, "nothing was left out")
	require.Len(t, b.model.requests, 2)
}

func TestThePictureOfALateCallOpensTheTurn(t *testing.T) {
	b := newBench(answers("a cat"))
	call := tools.Call{ID: "t1", Name: "read", Input: json.RawMessage(`{}`)}
	out := tools.Outcome{Text: "[picture]", Picture: &providers.Picture{MediaType: "image/png", Data: []byte("t1")}}
	_, err := b.Turn(t.Context(), agent.Request{Session: "s", Text: "look", Late: &agent.LateCall{Call: call, Outcome: out}})
	require.NoError(t, err)
	opening := b.model.last().Messages[0].Content
	require.Equal(t, providers.BlockImage, opening[1].Type)
	require.Equal(t, []byte("t1"), opening[1].Data)
}
