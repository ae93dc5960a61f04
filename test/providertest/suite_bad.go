package providertest

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// runBad tests malformed answers. The result is an error whose kind says what helps, or a well-formed
// completion.
func runBad(t *testing.T, s Subject) {
	for name, c := range map[string]struct {
		reply Reply
		kind  providers.Kind
	}{
		"no such model":        {Reply{Status: 404, Message: "model: claude-9 not found"}, providers.KindModel},
		"the server timed out": {Reply{Status: 408, Message: "timeout"}, providers.KindAPI},
		"too much":             {Reply{Status: 413, Message: "request too large"}, providers.KindContext},
		"no time to wait":      {Reply{Status: 429, Message: "slow down"}, providers.KindRateLimit},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := complete(s.New(t, []Reply{c.reply}, Settings{}).Model, newRequest("?"))
			require.Equal(t, c.reply.Status, requireKind(t, err, c.kind).Status)
		})
	}
	t.Run("cut off in the middle of a call", func(t *testing.T) {
		f := s.New(t, []Reply{{Text: []string{"볼게요."}, Tools: []Call{{"t1", "check_disk", `{"path":"/ho`}}, Cut: true}}, Settings{})
		done, _, err := complete(f.Model, newRequest("?"))
		requireKind(t, err, providers.KindNetwork)
		require.Empty(t, done.ToolUses(), "half a call is none")
	})
	t.Run("at the limit in the middle of a call", func(t *testing.T) {
		done := requireWellFormed(t, s, Reply{Tools: []Call{{"t1", "check_disk", `{"path":"/ho`}}, Stop: providers.StopMaxTokens})
		require.Equal(t, providers.StopMaxTokens, done.Stop)
	})
	t.Run("calls with one id, or none", func(t *testing.T) {
		done := requireWellFormed(t, s, Reply{Tools: []Call{{"t1", "check_disk", `{"path":"/"}`}, {"t1", "check_disk", `{"path":"/home"}`}, {"", "check_disk", `{}`}}})
		require.Len(t, done.ToolUses(), 3)
	})
	t.Run("arguments of five megabytes", func(t *testing.T) {
		path := strings.Repeat("/a", 5<<19)
		done := requireWellFormed(t, s, Reply{Tools: []Call{{"t1", "check_disk", `{"path":"` + path + `"}`}}})
		require.Len(t, done.ToolUses()[0].Input, len(path)+len(`{"path":""}`))
	})
	t.Run("a byte at a time, for ever", func(t *testing.T) {
		f := s.New(t, []Reply{{Text: []string{strings.Repeat("천천히 ", 200)}, Chop: 1, Slow: 5 * time.Millisecond}},
			Settings{Limits: transport.Limits{Idle: time.Minute, Overall: 100 * time.Millisecond}})
		began := time.Now()
		_, _, err := complete(f.Model, newRequest("?"))
		require.Contains(t, requireKind(t, err, providers.KindNetwork).Message, "no complete answer after 100ms")
		require.Less(t, time.Since(began), 20*time.Second)
	})
	t.Run("a refusal without a word", func(t *testing.T) {
		done, _, err := complete(s.New(t, []Reply{{Stop: providers.StopRefusal}}, Settings{}).Model, newRequest("?"))
		if err != nil {
			requireKind(t, err, providers.KindEmpty)
			return
		}
		require.Equal(t, providers.StopRefusal, done.Stop)
	})
}

// requireWellFormed sends a request whose answer must be well-formed.
func requireWellFormed(t *testing.T, s Subject, r Reply) providers.Completion {
	t.Helper()
	done, pieces, err := complete(s.New(t, []Reply{r}, Settings{}).Model, newRequest("?"))
	require.NoError(t, err)
	requireForm(t, done, pieces)
	return done
}
