package daemon

import (
	"encoding/json"
	"fmt"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

func TestD7APersonIsToldWhatBecameOfTheAnswer(t *testing.T) {
	for want, err := range map[i18n.Text]*providers.Error{
		i18n.ErrNotBegun:       {Kind: providers.KindNetwork, Err: transport.ErrFirst},
		i18n.ErrStalled:        {Kind: providers.KindNetwork, Err: fmt.Errorf("read: %w", transport.ErrIdle)},
		i18n.ErrTooSlow:        {Kind: providers.KindNetwork, Err: transport.ErrOverall},
		i18n.ErrCutOff:         {Kind: providers.KindNetwork, Err: transport.ErrCutOff},
		i18n.ErrNoAnswerFormat: {Kind: providers.KindParse, Err: &json.SyntaxError{}, Message: "invalid character '<' looking for beginning of value"},
		i18n.ErrAnswerTooLong:  {Kind: providers.KindParse, Err: fmt.Errorf("read: %w", transport.ErrTooLong)},
		i18n.ErrNetwork:        {Kind: providers.KindNetwork, Err: &net.OpError{Op: "dial"}},
	} {
		err.Provider = "claude"
		for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
			e := open(t, doer).failure(err, lang)
			require.Equal(t, want.In(lang, "claude"), e.Message)
			require.NotContains(t, e.Message+e.Hint, "invalid character", "no Go error reaches a person")
		}
	}
}
