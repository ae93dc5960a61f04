package secret

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestConfidencesAreFoundNearTheirWords: matching only near the words finds the same as matching the whole
// text.
func TestConfidencesAreFoundNearTheirWords(t *testing.T) {
	pieces := []string{
		"my", "Password", "pass", "passphrase", "is", "was", "for", "the", "wifi", "pin", "PIN", "use", "as", "hunter2!", "abcd1234", "비밀번호는", "비밀 번호", "암호", "내", "가", "密码是", "口令", "令牌", "seed phrase", "one two three four", "token:", "API 키",
		"key", "=", "\n", "\t", "  ", ".", "\"q1w2e3", "Q1w2가", "x", "longer words here", "paſſword", "to\u212Aen", "abcdef", "never",
	}
	all := append([]statement{plainPassword()}, statements()...)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 120).Draw(t, "pieces"), rapid.SampledFrom([]string{" ", "", "\n"}).Draw(t, "between"))
		for _, c := range all {
			want, got := c.form.FindAllStringSubmatchIndex(text, -1), c.findAll(text)
			if len(want) != len(got) {
				t.Fatalf("%q: %d and %d of %s", text, len(want), len(got), c.form)
			}
			for i := range want {
				if want[i][2] != got[i][2] || want[i][3] != got[i][3] {
					t.Fatalf("%q: %v and %v of %s", text, want[i], got[i], c.form)
				}
			}
		}
	})
}

func BenchmarkConfided(b *testing.B) {
	r := NewRedactor(nil)
	for name, text := range map[string]string{
		"message": strings.Repeat("my notes of today say nothing. ", 100) + "my password is hunter2!",
		"paste":   strings.Repeat("0123456789 한 줄의 기록이에요 ", 30_000),
		"keys":    strings.Repeat("tool call with key=value and path /usr/bin/foo\n", 20_000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.RedactStrict(text)
			}
		})
	}
}
