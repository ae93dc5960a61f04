package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/memory"
)

func TestACachedRedactionIsThatOfTheRedactor(t *testing.T) {
	redactors := []*secret.Redactor{secret.NewRedactor(nil), secret.NewRedactor([]string{"correct-horse"}), secret.NewRedactor([]string{"battery-staple"})}
	var c redactionCache
	texts := rapid.SampledFrom([]string{"plain", "correct-horse", "correct-hors", "battery-staple", "my password is hunter2!", "my password is hunter2 !", ""})
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(redactors).Draw(t, "redactor")
		text := strings.Join(rapid.SliceOfN(texts, 0, 3).Draw(t, "texts"), "\n")
		require.Equal(t, r.RedactStrict(text), c.redactStrict(r, text))
		require.LessOrEqual(t, len(c.recent), maxRedacted)
	})
}

func TestAChangedTextOrRedactorIsRedactedAnew(t *testing.T) {
	var c redactionCache
	before, after := secret.NewRedactor(nil), secret.NewRedactor([]string{"correct-horse"})
	require.Equal(t, "the key is correct-horse", c.redactStrict(before, "the key is correct-horse"))
	require.NotContains(t, c.redactStrict(after, "the key is correct-horse"), "correct-horse", "its keys changed")
	require.Equal(t, "the key is correct-hors", c.redactStrict(after, "the key is correct-hors"))
	require.NotContains(t, c.redactStrict(after, "the key is correct-horse"), "correct-horse", "one byte changed")
	require.NotContains(t, fmt.Sprint(c.recent[0]), "correct-horse", "the cache holds no secrets")
}

func TestASectionThatChangedIsRedactedInItsNextTurn(t *testing.T) {
	a := New(Options{Redactor: secret.NewRedactor([]string{"correct-horse"})})
	for _, text := range []string{"- door: correct-hors", "- door: correct-horse", "- door: correct-hors"} {
		clean := a.redactSections([]memory.Section{{Title: "Long-term Memory", Text: text}})
		require.Equal(t, a.o.Redactor.RedactStrict(text), clean[0].Text)
		require.NotContains(t, clean[0].Text, "correct-horse")
	}
}

func TestALargeTextIsNotCached(t *testing.T) {
	var c redactionCache
	r := secret.NewRedactor(nil)
	c.redactStrict(r, strings.Repeat("x", maxRedactedText+1))
	require.Empty(t, c.recent)
}

// promptSections are notes of a usual size, the last of them today's.
func promptSections() []memory.Section {
	return []memory.Section{
		{Title: "System Information", Text: strings.Repeat("- CPU: AMD Ryzen 7 7840U, 16 threads · password manager: KeePassXC\n", 15)},
		{Title: "User Preferences", Text: strings.Repeat("- answers short, in Korean · 비밀번호는 묻지 않기\n", 10)},
		{Title: "Long-term Memory", Text: strings.Repeat("- the backup runs at 03:00 and its key is in the safe\n", 20)},
		{Title: "Today's Session", Text: strings.Repeat("- 09:00 · disk full? · df -h · Your disk is 48 % full.\n", 20)},
	}
}

func TestUnchangedSectionsAreNotRedactedAgain(t *testing.T) {
	a, sections := New(Options{}), promptSections()
	a.redactSections(sections)
	require.LessOrEqual(t, testing.AllocsPerRun(50, func() { a.redactSections(sections) }), 5.0)
}

// BenchmarkRedactSections redacts the sections of a prompt of which today's changes in each turn, and with a new agent
// for each turn.
func BenchmarkRedactSections(b *testing.B) {
	for _, name := range []string{"one-agent", "an-agent-for-each-turn"} {
		b.Run(name, func(b *testing.B) {
			a, sections := New(Options{}), promptSections()
			today, turn := sections[3].Text, 0
			b.ReportAllocs()
			for b.Loop() {
				if name != "one-agent" {
					a.redactions = redactionCache{}
				}
				turn++
				sections[3].Text = fmt.Sprint(today, "- 09:01 · question ", turn)
				a.redactSections(sections)
			}
		})
	}
}
