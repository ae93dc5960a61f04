package agent

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/secret"
)

func TestAnAnswerInPiecesIsRedactedAsAWhole(t *testing.T) {
	r := secret.NewRedactor([]string{"markerkey-0c6f4b1d9a7e25f38b40"})
	whole := "your key is markerkey-0c6f4b1d9a7e25f38b40, 그리고\npassword = hunter2x\nghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5 这是\nend"
	rapid.Check(t, func(t *rapid.T) {
		var shown strings.Builder
		s := &stream{redactor: r, to: func(text string) { shown.WriteString(text) }}
		for rest := whole; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			s.write(rest[:n])
			rest = rest[n:]
		}
		s.close()
		require.Equal(t, r.Redact(whole), shown.String())
	})
}

func TestWordsAreShownAsTheyCome(t *testing.T) {
	var shown []string
	s := &stream{redactor: secret.NewRedactor(nil), to: func(text string) { shown = append(shown, text) }}
	for _, piece := range []string{"There ", "is room", ". ", "디스크", "는 여유"} {
		s.write(piece)
	}
	require.Equal(t, []string{"There ", "is ", "room. ", "디스크", "는 여유"}, shown)
}
