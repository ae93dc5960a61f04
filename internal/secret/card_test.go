package secret

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCardNumbersInSentences(t *testing.T) {
	r := NewRedactor(nil)
	for text, want := range map[string]string{
		"my card is 4111 1111 1111 1111 ok": "4111 1111 1111 1111",
		"카드번호 4111-1111-1111-1111이야":        "4111-1111-1111-1111",
		"卡号4111111111111111":                "4111111111111111",
		"내 주민번호는 900101-1234567":            "900101-1234567",
	} {
		require.NotContains(t, r.RedactStrict(text), want, text)
		require.Contains(t, r.StatedSecrets(text), want, text)
	}
	for _, text := range []string{"4111 1111 1111 1112", "call 010-1234-5678", "2026-11-27 10:30", "1234567890123", "serial 5f3759df12345678", "0900101-12345678"} {
		require.Equal(t, text, r.RedactStrict(text))
		require.Empty(t, r.StatedSecrets(text), text)
	}
}
