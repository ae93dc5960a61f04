package i18n

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestParticlesFollowTheSound(t *testing.T) {
	for in, want := range map[string]string{
		"크롬{을/를} 설치":        "크롬을 설치",
		"도커{을/를} 설치":        "도커를 설치",
		"vim{이/가} 없어요":      "vim이 없어요",
		"chrome{을/를} 설치":    "chrome을 설치",
		"docker{을/를} 시작":    "docker를 시작",
		"firefox{은/는} 없어요":  "firefox는 없어요",
		"htop{을/를} 지울까요":    "htop을 지울까요",
		"3{이/가} 남았어요":       "3이 남았어요",
		"2{이/가} 남았어요":       "2가 남았어요",
		"서울{으로/로} 가요":       "서울로 가요",
		"집{으로/로} 가요":        "집으로 가요",
		"\"크롬\"{을/를} 열어요":   "\"크롬\"을 열어요",
		"(nginx){과/와} sshd": "(nginx)와 sshd",
		"{을/를}":             "를",
		"{a} 그대로":           "{a} 그대로",
	} {
		require.Equal(t, want, josa(in))
	}
}

// josa resolves the particle pairs of a text.
func josa(text string) string {
	at := regexp.MustCompile(`\{(\p{Hangul}+)/(\p{Hangul}+)\}`).FindStringSubmatchIndex(text)
	if at == nil {
		return text
	}
	return text[:at[0]] + chooseParticle(text[:at[0]], text[at[2]:at[3]], text[at[4]:at[5]]) + josa(text[at[1]:])
}

func TestAnyTextTakesAParticle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.RuneFrom([]rune("aeglmn09 (){}가각갈\"를"))).Draw(t, "text")
		got := josa(s + "{을/를}")
		require.True(t, strings.HasSuffix(got, "을") || strings.HasSuffix(got, "를"), got)
	})
}

func TestTheLanguageIsTheFirstThatIsKnown(t *testing.T) {
	require.Equal(t, Korean, Choose("", "auto", "ko_KR.UTF-8", "en_US"))
	require.Equal(t, Chinese, Choose("zh_CN.UTF-8"))
	for _, tag := range []string{"zh-Hant", "zh-Hant-HK", "zh_TW.UTF-8", "zh_HK", "繁體中文"} {
		require.Equal(t, Traditional, Choose(tag), tag)
		require.Equal(t, Chinese, Choose(tag).Base())
	}
	require.Equal(t, English, Choose("C", "POSIX", "de_DE.UTF-8"))
	require.Equal(t, English, Choose())
	require.Equal(t, "ko", FromLocales([]string{"en_US", "ko_KR"}), "Korean wins in a locale list")
	require.Equal(t, "en", FromLocales([]string{"de_DE", "en_US"}))
	require.Equal(t, "", FromLocales(nil))
}

func TestTheLanguageOfAQuestionIsSeen(t *testing.T) {
	for text, want := range map[string]Lang{
		"disk full?": English, "디스크 full?": Korean, "磁盘还剩多少空间?": Chinese, "磁碟還剩多少空間？": Traditional, "中文": Chinese, "htop 설치": Korean,
	} {
		got, ok := Detect(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"df -h", "?", "👍", "ディスク容量は"} {
		_, ok := Detect(text)
		require.False(t, ok, text)
	}
}

func TestYesAndNoAreUnderstoodInEveryLanguage(t *testing.T) {
	for text, want := range map[string]Answer{
		"y": Yes, "YES": Yes, " 네 ": Yes, "예": Yes, "ㅇㅇ": Yes, "응!": Yes, "好的": Yes,
		"n": No, "No.": No, "아니요": No, "ㄴㄴ": No, "취소": No, "不要": No,
		"ㅛ": Yes, "ｙ": Yes, "ㅜ": No, "a": Session, "e": Edit, "?": Explain,
		"": Unclear, "yes please do that": Unclear, "네 그런데 먼저": Unclear, "yess": Unclear, "네?": Unclear,
	} {
		require.Equal(t, want, ParseAnswer(text), "%q", text)
	}
}

func TestNothingLongIsEverAYes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringN(13, -1, -1).Draw(t, "text")
		if len(strings.Fields(s)) > 0 && len(strings.TrimSpace(s)) > 12 {
			a := ParseAnswer(s)
			require.True(t, a != Yes && a != Session || len(strings.TrimRight(strings.TrimSpace(s), ".!~^ ")) <= 12)
		}
	})
}

func TestAnUnknownLanguageReadsEnglish(t *testing.T) {
	require.Equal(t, "Cancelled.", ErrCancelled.In("xx"))
}

func TestJosaFollowsTheReadingOfCommandsAndSizes(t *testing.T) {
	for in, want := range map[string]string{
		"커널{을/를}": "커널을", "메모리{이/가}": "메모리가", "서울{으로/로}": "서울로", "부산{으로/로}": "부산으로", "7{으로/로}": "7로", "3{은/는}": "3은", "2{을/를}": "2를",
		"docker{이/가}": "docker가", "firefox{을/를}": "firefox를", "vim{은/는}": "vim은", "google-chrome{을/를}": "google-chrome을", "git{이/가}": "git이", "vlc{을/를}": "vlc를",
		"steam{은/는}": "steam은", "htop{을/를}": "htop을", "`df -h`{이/가}": "`df -h`가", "25.0 GiB{을/를}": "25.0 GiB를", "15G{이/가}": "15G가", "node (PID 3){이/가}": "node (PID 3)가", "GIMP{을/를}": "GIMP를", "{없음}": "{없음}", "NetworkManager{은/는}": "NetworkManager는",
	} {
		require.Equal(t, want, josa(in), in)
	}
}

func TestARuleIsToldInThePersonsWords(t *testing.T) {
	const said = "automation-comes: 디스크 [0 9 * * *] 매일 오전 9시 · on · check disk 90 · do on the day · tell desktop, cli"
	require.Equal(t, "변경 후: 디스크 [0 9 * * *] 매일 오전 9시 · 켜짐 · 점검: disk 90 · 작업: on the day · 알림: desktop, cli", Warning(said, Korean))
	require.Equal(t, "after this change: 디스크 [0 9 * * *] 매일 오전 9시 · on · checks disk 90 · task: on the day · notifies desktop, cli", Warning(said, English))
}
