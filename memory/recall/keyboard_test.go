package recall_test

import (
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/memory/recall"
)

func TestWordsOfTheOtherKeyboardAreRead(t *testing.T) {
	for keys, want := range map[string]string{
		"wptk": "제사", "rhkfl": "과리", "dkssudgktpdy": "안녕하세요", "qlalfqjsgh": "비밀번호", "rkqt": "", "tkfka": "사람", "the": "", "xyz": "", "r": "",
		"ekfrrhrl": "닭고기", "Tkdms": "싸은", "rkqtdl": "값이",
	} {
		require.Equal(t, want, recall.TypedInKorean(keys), keys)
	}
	for hangul, want := range map[string]string{"ㅔㅛ쇄ㅜ": "python", "제사": "", "ㄱㅈ": "", "ㅜㅁㄴ": "nas", "ㅋㅋ": ""} {
		require.Equal(t, want, recall.TypedInLatin(hangul), hangul)
	}
	for w, want := range map[string]string{"공주": "ㄱㅈ", "냉장고": "ㄴㅈㄱ", "꽃": "", "ab": "", "까치": "ㄲㅊ"} {
		require.Equal(t, want, recall.InitialsOf(w), w)
	}
}

// TestEachHangulWordIsReadBackFromItsKeys: any two or more syllables.
func TestEachHangulWordIsReadBackFromItsKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := string(rapid.SliceOfN(rapid.RuneFrom(nil, &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0xac00, Hi: 0xd7a3, Stride: 1}}}), 2, 6).Draw(t, "word"))
		keys := recall.Keys(w)
		require.Equal(t, w, recall.TypedInKorean(keys), keys)
	})
}
