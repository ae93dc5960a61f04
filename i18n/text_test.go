package i18n

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestU13TimesAndDatesTakeTheParticleTheyAreReadWith(t *testing.T) {
	for text, want := range map[string]string{
		"02:58":            "02:58이에요", // 오십팔 분
		"02:00":            "02:00예요",  // 두 시
		"14:30":            "14:30이에요",
		"14:30:05":         "14:30:05예요", // 오 초
		"2026-11-23 14:05": "2026-11-23 14:05이에요",
		"2026-11-23":       "2026-11-23이에요", // 이십삼 일
		"2026-11-02":       "2026-11-02이에요",
		"1.2.2":            "1.2.2예요",
		"6.12.3":           "6.12.3이에요",
		"(02:58)":          "(02:58)이에요",
		"3":                "3이에요",
		"9":                "9예요",
		"10":               "10이에요",
	} {
		require.Equal(t, want, josa(text+"{이에요/예요}"))
	}
	require.Equal(t, "02:58으로", josa("02:58{으로/로}"))
	require.Equal(t, "2026-11-23로", josa("2026-11-23{으로/로}"))
}

func TestU13ACountChoosesTheFormOfTheWordBesideIt(t *testing.T) {
	in := func(lang Lang, pattern string, args ...any) string {
		return Text{pattern + "\x00" + pattern + "\x00" + pattern, &args}.In(lang)
	}
	const lines = "{0} {0|line|lines} of {0|it|them}, {1} {1|token|tokens}"
	require.Equal(t, "1 line of it, 2 tokens", in(English, lines, 1, "2"))
	require.Equal(t, "0 lines of them, 1 token", in(English, lines, 0, "1"))
	require.Equal(t, "11 lines of them, 1,001 tokens", in(English, lines, int64(11), "1,001"))
	require.Equal(t, "There is 1 rule", in(English, "There {0|is|are} {0} {0|rule|rules}", 1))
	require.Equal(t, "{a|b} {을/를}을 {", in(Korean, "{0} {1}{을/를} {{", "{a|b}", "{을/를}"), "an argument's braces are its own")
	require.Equal(t, `"a\nb" ?`, in(English, "{0q} {1}", "a\nb"))
}

func TestASentenceIsReadInTheLanguageOfTheWhole(t *testing.T) {
	s := SettingOf("limits.rounds", SettingType(SettingTypes.Text("string"), Verbatim("100% odd")))
	require.Equal(t, "limits.rounds: expected 100% odd, found string", s.In(English))
	require.Equal(t, "limits.rounds: 100% odd가 와야 하는데 문자열이 왔어요", s.In(Korean))
	require.Equal(t, "limits.rounds：应为100% odd，实际为字符串", s.In(Chinese))
	require.False(t, s.IsZero())
	require.True(t, Text{}.IsZero())
}

func TestAFailureIsToldInTheLanguageAndKeepsWhatBroughtItAbout(t *testing.T) {
	err := PlaceBad("/x", fs.ErrPermission).WithCause(fs.ErrPermission)
	require.EqualError(t, err, "cannot use /x: permission denied")
	require.ErrorIs(t, err, fs.ErrPermission)
	whole := fmt.Errorf("cannot begin: %w", err)
	require.Equal(t, "cannot begin: cannot use /x: permission denied", ErrorText(whole, English))
	require.Equal(t, "/x를 쓸 수 없어요: 권한이 없어요", ErrorText(whole, Korean))
	require.Equal(t, "nobody knows", ErrorText(errors.New("nobody knows"), Korean))
}

func TestChineseIsConvertedToTraditionalCharacters(t *testing.T) {
	for simplified, want := range map[string]string{
		"系统日志": "系統日誌", "软件包": "軟件包", "复制": "複製", "恢复": "恢復", "批准后执行": "批准後執行", "每周": "每週", "重复 5 分钟": "重複 5 分鐘",
		"df -h": "df -h", "": "",
	} {
		require.Equal(t, want, traditional(simplified))
	}
	// Only our words are converted, not the values in them.
	require.Equal(t, "在 \"软件\" 中：1", Text{"{0}\x00{0}\x00在 {0q} 中：{1}", &[]any{"软件", 1}}.In(Traditional))
	for text, want := range map[string]bool{"磁碟滿了嗎": true, "磁盘满了吗": false, "中文": false, "電腦和电脑": false, "df": false} {
		require.Equal(t, want, isTraditional(text), text)
	}
}

func TestThreat23ApprovalPhrasesAreKnownInEachLanguage(t *testing.T) {
	for _, lang := range Languages {
		require.Contains(t, ApprovalPhrases(), AskQuestion.In(lang), lang)
	}
	require.Contains(t, ApprovalPhrases(), traditional(AskQuestion.In(Chinese)))
}
