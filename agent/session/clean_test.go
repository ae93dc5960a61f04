package session

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/providers"
)

func TestAStatedPasswordIsRemovedLaterWhateverOtherConversationsState(t *testing.T) {
	s := &Store{redactor: secret.NewRedactor(nil)}
	state := func(key string) {
		s.cleanEntries(key, []Entry{{Type: TypeUser, Content: "my password is Zebra77horse" + key}})
	}
	for n := range maxStated + 5 {
		state(fmt.Sprint(n))
	}
	last := fmt.Sprint(maxStated + 4)
	for _, key := range []string{last, "5"} {
		cleaned := s.cleanEntries(key, []Entry{{Type: TypeUser, Content: "it was Zebra77horse" + key}})
		require.False(t, strings.Contains(cleaned[0].Content, "Zebra77horse"+key), cleaned[0].Content)
	}
	require.LessOrEqual(t, len(s.stated), maxStated)
	require.Len(t, s.statedOrder, len(s.stated))
}

// TestTheOutputOfChecksIsCleanedToo: like that of the commands.
func TestTheOutputOfChecksIsCleanedToo(t *testing.T) {
	secretOut := providers.Step{Command: "show x", Stdout: "TOKEN=hush", Stderr: "hush"}
	out := &providers.Output{Steps: []providers.Step{secretOut}, Checks: []providers.Step{secretOut}}
	clean := func(s string) string { return strings.ReplaceAll(s, "hush", "…") }
	got := cleanBlock(providers.Block{Output: out}, clean, clean).Output
	want := []providers.Step{{Command: "show x", Stdout: "TOKEN=…", Stderr: "…"}}
	require.Equal(t, want, got.Steps)
	require.Equal(t, want, got.Checks)
	require.Equal(t, "hush", out.Checks[0].Stderr, "the original is unchanged")
}
