package wire

import (
	"testing"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/stretchr/testify/require"
)

// It does not depend on the language of the question.
func TestU13TheProgramsWordsAreInTheChosenLanguage(t *testing.T) {
	for _, lang := range []i18n.Lang{i18n.Korean, i18n.Chinese, i18n.English} {
		for _, body := range []string{"do touch x", "이것 좀 실행해 줘"} {
			h := open(t, reader)
			p := h.hello(ipc.CapAsk)
			p.say(ipc.Message{Type: ipc.TypeMessage, ID: "q", Session: "s", Body: body}.WithData(ipc.Request{Lang: string(lang)}))
			asked := p.last(ipc.TypeAsk)
			require.Contains(t, asked.Body, i18n.AskQuestion.In(lang), body)
			p.say(ipc.Message{Type: ipc.TypeCancel, Re: "q"})
			e := p.last(ipc.TypeError).Error
			require.Equal(t, i18n.ErrCancelled.In(lang), e.Message, body)

			p = h.hello()
			p.say(ipc.Message{Type: ipc.TypeMessage, ID: "q", Session: "t", Body: "do touch x"}.WithData(ipc.Request{Lang: string(lang)}))
			answer := p.last(ipc.TypeResponse).Body
			codes, err := h.approvals.List()
			require.NoError(t, err)
			require.Len(t, codes, 1)
			require.Contains(t, answer, i18n.WaitsForApproval("touch x", codes[0].Code).In(lang), body)
		}
	}
}
