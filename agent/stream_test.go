package agent

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/internal/secret"
)

func TestAnAnswerInPiecesIsRedactedAsAWhole(t *testing.T) {
	r := secret.NewRedactor([]string{"markerkey-0c6f4b1d9a7e25f38b40", "odd key!with,signs"})
	whole := "your key is markerkey-0c6f4b1d9a7e25f38b40, 그리고\npassword = hunter2x\nghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5 这是\n" +
		"{\"password\": \"abc,def!ghi1 jkl\"} odd key!with,signs\n-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\n-----END OPENSSH PRIVATE KEY-----\nend"
	rapid.Check(t, func(t *rapid.T) {
		var shown strings.Builder
		turn := &turn{Agent: &Agent{o: Options{Redactor: r}}, Request: Request{OnText: func(text string) { shown.WriteString(text) }}}
		show := turn.newStream()
		onText := show.handler()
		for rest := whole; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			onText(rest[:n])
			rest = rest[n:]
		}
		show.end()
		require.Equal(t, r.Redact(whole), shown.String())
	})
}
