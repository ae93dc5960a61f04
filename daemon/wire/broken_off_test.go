package wire

import (
	"encoding/json"
	"fmt"
	"net"
	"testing"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/stretchr/testify/require"
)

func TestD7APersonIsToldWhatBecameOfTheAnswer(t *testing.T) {
	for _, tt := range []struct {
		want func(provider string) i18n.Text
		err  *providers.Error
	}{
		{i18n.ErrNotBegun, &providers.Error{Kind: providers.KindNetwork, Err: transport.ErrFirst}},
		{i18n.ErrStalled, &providers.Error{Kind: providers.KindNetwork, Err: fmt.Errorf("read: %w", transport.ErrIdle)}},
		{i18n.ErrTooSlow, &providers.Error{Kind: providers.KindNetwork, Err: transport.ErrOverall}},
		{i18n.ErrCutOff, &providers.Error{Kind: providers.KindNetwork, Err: transport.ErrCutOff}},
		{i18n.ErrNoAnswerFormat, &providers.Error{Kind: providers.KindParse, Err: &json.SyntaxError{}, Message: "invalid character '<' looking for beginning of value"}},
		{i18n.ErrAnswerTooLong, &providers.Error{Kind: providers.KindParse, Err: fmt.Errorf("read: %w", transport.ErrTooLong)}},
		{i18n.ErrNetwork, &providers.Error{Kind: providers.KindNetwork, Err: &net.OpError{Op: "dial"}}},
	} {
		tt.err.Provider = "claude"
		for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
			e := open(t, doer).settings.Failure(tt.err, lang)
			require.Equal(t, tt.want("claude").In(lang), e.Message)
			require.NotContains(t, e.Message+e.Hint, "invalid character", "no Go error reaches a person")
		}
	}
}
