package providertest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// Model is the interface of every provider.
type Model interface {
	Complete(ctx context.Context, req providers.Request, onText func(string)) (providers.Completion, error)
	Name() string
	ModelID() string
}

// Key is the API key that subjects with a wire must use. The suite puts it into error answers and checks that
// it does not appear in errors.
const Key = "sk-test-4f9a0c77d1e2marker"

// Settings are the properties of the model that a test case needs.
type Settings struct {
	Limits transport.Limits
	Images bool // the model takes images
}

// Fixture is a model and the server behind it. Server is nil for models without a wire.
type Fixture struct {
	Model  Model
	Server *Server
}

// Subject is one provider under test. Wire says that its fixtures have a server. New must start a model whose
// n-th answer is the n-th reply.
type Subject struct {
	Wire bool
	New  func(t *testing.T, replies []Reply, s Settings) Fixture
}

// Run runs the conformance suite: errors, streaming and cancellation, and for models with a wire also encoding
// and limits.
func Run(t *testing.T, s Subject) {
	t.Run("answers", func(t *testing.T) { runAnswers(t, s) })
	t.Run("errors", func(t *testing.T) { runErrors(t, s) })
	t.Run("cancel", func(t *testing.T) { runCancel(t, s) })
	if s.Wire {
		t.Run("requests", func(t *testing.T) { runRequests(t, s) })
		t.Run("limits", func(t *testing.T) { runLimits(t, s) })
		t.Run("connection", func(t *testing.T) { runConnection(t, s) })
		t.Run("bad answers", func(t *testing.T) { runBad(t, s) })
	}
}

// newRequest returns the request of most cases.
func newRequest(text string) providers.Request {
	return providers.Request{
		System: "You run this computer.", Lang: "ko", MaxTokens: 512,
		Messages: []providers.Message{providers.UserText(text)},
		Tools: []providers.ToolDefinition{{
			Name: "check_disk", Description: "Shows <free> space & use.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`),
		}},
	}
}

// complete asks once and returns the completion and the streamed pieces.
func complete(m Model, req providers.Request) (providers.Completion, []string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var pieces []string
	done, err := m.Complete(ctx, req, func(s string) { pieces = append(pieces, s) })
	return done, pieces, err
}

func runAnswers(t *testing.T, s Subject) {
	one := func(t *testing.T, r Reply) (providers.Completion, []string) {
		t.Helper()
		done, pieces, err := complete(s.New(t, []Reply{r}, Settings{}).Model, newRequest("디스크 상태 알려줘"))
		require.NoError(t, err)
		return done, pieces
	}
	t.Run("text is streamed in order and returned whole", func(t *testing.T) {
		done, pieces := one(t, Reply{Text: []string{"디스크는 ", "62% ", "찼어요. 😀\n"}, Usage: providers.Usage{InputTokens: 120, OutputTokens: 17, CachedTokens: 100}})
		require.Equal(t, "디스크는 62% 찼어요. 😀\n", done.Text())
		require.Equal(t, done.Text(), strings.Join(pieces, ""))
		require.Greater(t, len(pieces), 1)
		require.Equal(t, providers.StopEndTurn, done.Stop)
		require.Equal(t, providers.Usage{InputTokens: 120, OutputTokens: 17, CachedTokens: done.Usage.CachedTokens}, done.Usage)
		require.Contains(t, []int{0, 100}, done.Usage.CachedTokens, "part of the input, or not told")
		require.Equal(t, s.Wire, done.Usage.CachedTokens == 100)
		require.Empty(t, done.ToolUses())
	})
	t.Run("no callback is no problem", func(t *testing.T) {
		f := s.New(t, []Reply{{Text: []string{"네"}}}, Settings{})
		done, err := f.Model.Complete(context.Background(), newRequest("응?"), nil)
		require.NoError(t, err)
		require.Equal(t, "네", done.Text())
	})
	t.Run("a tool call stops the turn", func(t *testing.T) {
		done, _ := one(t, Reply{Tools: []Call{{"t1", "check_disk", `{"path":"/집"}`}}})
		require.Equal(t, providers.StopToolUse, done.Stop)
		require.Len(t, done.ToolUses(), 1)
		use := done.ToolUses()[0]
		require.Equal(t, "check_disk", use.Name)
		require.NotEmpty(t, use.ID)
		require.JSONEq(t, `{"path":"/집"}`, string(use.Input))
	})
	t.Run("parallel tool calls keep their order behind the text", func(t *testing.T) {
		done, _ := one(t, Reply{Text: []string{"둘 다 볼게요."}, Tools: []Call{
			{"t1", "check_disk", `{"path":"/"}`}, {"t2", "check_memory", `{}`}, {"t3", "check_disk", `{"path":"/home"}`},
		}})
		require.Equal(t, providers.BlockText, done.Content[0].Type)
		var names []string
		ids := map[string]bool{}
		for _, use := range done.ToolUses() {
			names = append(names, use.Name+string(use.Input))
			ids[use.ID] = true
		}
		require.Equal(t, []string{`check_disk{"path":"/"}`, `check_memory{}`, `check_disk{"path":"/home"}`}, names)
		require.Len(t, ids, 3)
	})
	for _, stop := range []providers.StopReason{providers.StopMaxTokens, providers.StopRefusal} {
		t.Run("stop reason "+string(stop), func(t *testing.T) {
			done, _ := one(t, Reply{Text: []string{"여기까지"}, Stop: stop})
			require.Equal(t, stop, done.Stop)
		})
	}
	t.Run("many may ask at once", func(t *testing.T) {
		replies := make([]Reply, 8)
		for i := range replies {
			replies[i] = Reply{Text: []string{"같은 ", "대답"}}
		}
		f := s.New(t, replies, Settings{})
		var wg sync.WaitGroup
		for range replies {
			wg.Go(func() {
				done, pieces, err := complete(f.Model, newRequest("안녕"))
				if err != nil || done.Text() != "같은 대답" || strings.Join(pieces, "") != "같은 대답" {
					t.Errorf("got %q, %q, %v", done.Text(), pieces, err)
				}
			})
		}
		wg.Wait()
	})
}

func runErrors(t *testing.T, s Subject) {
	type refusal struct {
		reply Reply
		kind  providers.Kind
		wait  time.Duration
	}
	cases := map[string]refusal{
		"bad request":       {Reply{Status: 400, Message: "that was no request"}, providers.KindAPI, 0},
		"too slow":          {Reply{Status: 408, Message: "timed out"}, providers.KindAPI, 0},
		"wrong key":         {Reply{Status: 401, Message: "invalid key"}, providers.KindAuth, 0},
		"key without right": {Reply{Status: 403, Message: "not allowed"}, providers.KindAuth, 0},
		"too many requests": {Reply{Status: 429, Message: "slow down", RetryAfter: "30"}, providers.KindRateLimit, 30 * time.Second},
		"server error":      {Reply{Status: 500, Message: "oops"}, providers.KindAPI, 0},
		"overloaded":        {Reply{Status: 529, Message: "overloaded"}, providers.KindAPI, 0},
	}
	if s.Wire { // told from the provider's words
		cases["no such model"] = refusal{Reply{Status: 404, Message: "The model `m-9` does not exist or you do not have access to it."}, providers.KindModel, 0}
		cases["too long"] = refusal{Reply{Status: 400, Message: "prompt is too long: 210000 tokens > 200000 maximum"}, providers.KindContext, 0}
		cases["too large"] = refusal{Reply{Status: 413, Message: "Request exceeds the maximum size"}, providers.KindContext, 0}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := s.New(t, []Reply{c.reply}, Settings{})
			_, pieces, err := complete(f.Model, newRequest("안녕"))
			e := requireKind(t, err, c.kind)
			require.Equal(t, c.reply.Status, e.Status)
			require.Equal(t, c.wait, e.RetryAfter)
			require.Equal(t, c.reply.Message, e.Message)
			require.Equal(t, f.Model.Name(), e.Provider)
			require.Empty(t, pieces)
			if f.Server != nil {
				require.Len(t, f.Server.Requests(), 1, "nothing is retried here")
			}
		})
	}
	t.Run("an empty answer", func(t *testing.T) {
		_, _, err := complete(s.New(t, []Reply{{}}, Settings{}).Model, newRequest("안녕"))
		requireKind(t, err, providers.KindEmpty)
	})
}

func requireKind(t *testing.T, err error, kind providers.Kind) *providers.Error {
	t.Helper()
	var e *providers.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, kind, e.Kind, "%v", err)
	require.NotContains(t, err.Error(), Key)
	return e
}

func runCancel(t *testing.T, s Subject) {
	t.Run("cancelling in the middle of an answer", func(t *testing.T) {
		f := s.New(t, []Reply{{Text: []string{"잠깐만요"}, Hold: true}}, Settings{})
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		_, err := f.Model.Complete(ctx, newRequest("느린 질문"), func(string) { cancel() })
		require.ErrorIs(t, err, context.Canceled)
		require.Empty(t, providers.KindOf(err), "nobody's fault: no kind")
		requireDisconnect(t, f)
	})
	t.Run("cancelled before it began", func(t *testing.T) {
		f := s.New(t, []Reply{{Text: []string{"네"}}}, Settings{})
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := f.Model.Complete(ctx, newRequest("안녕"), nil)
		require.ErrorIs(t, err, context.Canceled)
	})
	t.Run("the caller's deadline", func(t *testing.T) {
		f := s.New(t, []Reply{{Text: []string{"잠깐만요"}, Hold: true}}, Settings{})
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		_, err := f.Model.Complete(ctx, newRequest("느린 질문"), nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		requireKind(t, err, providers.KindNetwork)
		requireDisconnect(t, f)
	})
}

// requireDisconnect waits until the server notices that the client disconnected.
func requireDisconnect(t *testing.T, f Fixture) {
	t.Helper()
	if f.Server == nil {
		return
	}
	select {
	case <-f.Server.Disconnects():
	case <-time.After(10 * time.Second):
		t.Fatal("the request is still open at the server")
	}
}

// CheckInvariants checks the conditions that hold for any answer, for engines that cannot follow a script. It sends
// each request and checks the completion's form, that the streamed pieces are its text, and that cancellation
// works.
func CheckInvariants(t *testing.T, m Model, requests ...providers.Request) {
	t.Helper()
	require.NotEmpty(t, m.Name())
	for i, req := range requests {
		before := mustJSON([]any{req.System, req.Messages, req.Tools})
		done, pieces, err := complete(m, req)
		require.Equal(t, before, mustJSON([]any{req.System, req.Messages, req.Tools}), "request %d was changed", i)
		if err != nil {
			require.NotEmpty(t, providers.KindOf(err), "request %d: %v", i, err)
			continue
		}
		requireForm(t, done, pieces)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := m.Complete(ctx, req, nil); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("request %d, cancelled before it began: %v", i, err)
		}
	}
}

func requireForm(t *testing.T, done providers.Completion, pieces []string) {
	t.Helper()
	var text strings.Builder
	ids := map[string]bool{}
	for _, b := range done.Content {
		switch b.Type {
		case providers.BlockText:
			require.NotEmpty(t, b.Text)
			text.WriteString(b.Text)
		case providers.BlockToolUse:
			var object map[string]any
			require.NoError(t, json.Unmarshal(b.Input, &object), "input of %s", b.Name)
			require.NotEmpty(t, b.Name)
			require.NotEmpty(t, b.ID)
			require.False(t, ids[b.ID], "id %s twice", b.ID)
			ids[b.ID] = true
		case providers.BlockOpaque:
			require.NotEmpty(t, b.Provider)
			require.True(t, json.Valid(b.Raw))
		default:
			t.Errorf("a completion must not hold a block of type %q", b.Type)
		}
	}
	require.Equal(t, text.String(), strings.Join(pieces, ""), "streamed pieces")
	require.NotEmpty(t, done.Stop)
	if done.Stop == providers.StopEndTurn || done.Stop == providers.StopToolUse {
		require.Equal(t, len(ids) > 0, done.Stop == providers.StopToolUse, "stop reason %s", done.Stop)
		require.NotEmpty(t, done.Content)
	}
}
