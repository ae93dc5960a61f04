package setup_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/ui/setup"
)

func TestNumbersAreWrittenAsE164HasThem(t *testing.T) {
	for _, c := range []struct{ text, country, want string }{
		{"+82 10-1234-5678", "", "+821012345678"},
		{"010-1234-5678", "82", "+821012345678"},
		{"010 1234 5678", "82", "+821012345678"},
		{"+82 (0)10 1234 5678", "", "+821012345678"},
		{"+82 010-1234-5678", "82", "+821012345678"},
		{"0082 10 1234 5678", "", "+821012345678"},
		{"＋８２ １０ １２３４ ５６７８", "", "+821012345678"},
		{"821012345678@s.whatsapp.net", "", "+821012345678"},
		{"821012345678", "82", "+821012345678"},
		{"(555) 123-4567", "1", "+15551234567"},
		{"02-123-4567", "82", "+8221234567"},
		{"+1 (555) 123.4567", "82", "+15551234567"},
	} {
		got, err := setup.Number(c.text, c.country)
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, got, c.text)
	}
	for text, want := range map[string]error{
		"010-1234-5678": setup.ErrCountry, "12345": setup.ErrCountry, "": setup.ErrNumber, "+": setup.ErrNumber, "call me": setup.ErrNumber,
		"+82 10 1234 5678 9012 3": setup.ErrNumber, "10+1234": setup.ErrNumber, "+0123456789": setup.ErrNumber,
	} {
		_, err := setup.Number(text, "")
		require.ErrorIs(t, err, want, text)
	}
	require.Equal(t, "82", setup.CallingCode("", "ko_KR.UTF-8"))
	require.Empty(t, setup.CallingCode("C", "en"))
}

// Accepted numbers are normalized to E.164, and E.164 numbers are accepted unchanged for every
// country.
func TestANumberIsOneHoweverItIsWritten(t *testing.T) {
	form := regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(\+|00|0)?[0-9 ().-]{0,20}`).Draw(t, "text")
		got, err := setup.Number(text, rapid.SampledFrom([]string{"", "82", "1"}).Draw(t, "country"))
		if err != nil {
			return
		}
		require.Regexp(t, form, got)
		again, err := setup.Number(got, "")
		require.NoError(t, err)
		require.Equal(t, got, again)
	})
}

func TestSeveralNumbersAreReadOnce(t *testing.T) {
	all, _, err := setup.Numbers(" 010-1234-5678; +82 10 1234 5678,,+1 555 123 4567 ", "82")
	require.NoError(t, err)
	require.Equal(t, []string{"+821012345678", "+15551234567"}, all)
	_, at, err := setup.Numbers("+821012345678, me", "82")
	require.ErrorIs(t, err, setup.ErrNumber)
	require.Equal(t, "me", at)
	all, _, err = setup.Numbers("", "82")
	require.NoError(t, err)
	require.Equal(t, "[]", fmt.Sprint(all))
}
