package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestH10ABareForgetMeansWhatWasJustRemembered(t *testing.T) {
	kept := Context{Answered: true, IsRecent: true, Tool: "remember", Input: map[string]any{"text": "my cat is Tom"}}
	for _, request := range []string{"forget it", "Forget that.", "please forget what I just said", "잊어줘", "그거 잊어줘", "방금 거 잊어 주세요", "忘了它", "忘掉吧", "把它忘了"} {
		p := BuiltIn().Understand(request, kept)
		require.Equal(t, KindCall, p.Kind, request)
		require.Equal(t, "recall", p.Steps[0].Tool, request)
		require.Contains(t, p.Steps[0].Input["query"], "cat is Tom", request)
		earlier := kept
		earlier.IsRecent = false
		require.Empty(t, earlier.lastRemembered(request), "%s: it was remembered before another question", request)
	}
	for _, request := range []string{"I forget it every time", "잊어버렸어 비밀번호", "don't forget it", "我忘了密码"} {
		require.Empty(t, kept.lastRemembered(request), request)
	}
}
