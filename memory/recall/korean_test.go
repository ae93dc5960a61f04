package recall_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/memory/recall"
)

func TestFormsOfAKoreanVerbHaveOneStem(t *testing.T) {
	for _, forms := range [][]string{
		{"고쳤지", "고쳤어", "고친", "고쳐서", "고치는", "고칠까", "고쳤던", "고칩니다", "고쳐줘"},
		{"먹었지", "먹어", "먹는", "먹고", "먹을까", "먹었더라"},
		{"배웠어", "배우는", "배운", "배워서"},
		{"썼지", "쓰는", "쓰고", "써서"},
		{"몰랐어", "모르는", "몰라서"},
		{"추웠어", "추운", "춥고", "추워서"},
		{"바꿨지", "바꾼", "바꾸고", "바꿔서"},
	} {
		for _, f := range forms {
			require.Equal(t, recall.Stem(forms[0]), recall.Stem(f), "%s and %s", forms[0], f)
		}
	}
}

func TestParticlesAreStripped(t *testing.T) {
	for word, want := range map[string]string{
		"프린터를": "프린터", "프린터가": "프린터", "노트북에서는": "노트북", "디스크로": "디스크", "서울까지": "서울", "집에": "집에", "고양이가": "고양이", "나스에": "나스", "은행은": "은행",
	} {
		require.Equal(t, want, recall.Noun(word), word)
	}
}

func TestNamesSoundTheSameInBothScripts(t *testing.T) {
	for korean, spellings := range map[string][]string{
		"민수": {"minsu", "minsoo"}, "지훈": {"jihoon", "jihun"}, "모니터": {"monitor"},
	} {
		for _, latin := range spellings {
			a, b := recall.Sounds(korean, latin)
			require.NotEmpty(t, a)
			require.Equal(t, a, b, "%s %s", korean, latin)
		}
	}
}

// TestRomanizedWordsFindHangul: Revised Romanization and the usual variants of it.
func TestRomanizedWordsFindHangul(t *testing.T) {
	notes := []string{
		"할아버지 제사는 음력 5월 3일", "냉장고 필터는 6개월마다 교체", "와이파이 비밀번호는 서랍에", "김치는 순자네가 맛있다", "우리 집 강아지 이름은 보리", "병원 예약은 목요일",
	}
	for words, want := range map[string]string{
		"jesa": "제사", "chesa": "제사", "naengjanggo": "냉장고", "bimilbeonho": "비밀번호", "bimilbunho": "비밀번호", "kimchi": "김치",
		"gimchi": "김치", "gangaji": "강아지", "kangaji": "강아지", "byeongwon": "병원", "byungwon": "병원",
	} {
		found := search(t, words, 3, notes...)
		if len(found) == 0 || !strings.Contains(found[0], want) {
			t.Errorf("%s finds %q, not %s first", words, found, want)
		}
	}
}
