package intent

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDataFilesAreWellFormed reports format errors in the data files.
func TestDataFilesAreWellFormed(t *testing.T) {
	concepts := map[string]bool{}
	rows("concepts.tsv", func(f []string) {
		require.Len(t, f, 2, "%v", f)
		concepts[f[0]] = true
		for _, w := range fieldWords(f[1]) {
			require.Equal(t, strings.TrimSpace(w), w, "blank around a word of %s", f[0])
			require.NotEmpty(t, w, "empty word in %s", f[0])
			require.Equal(t, strings.ToLower(w), w, "%s: words are lower case", f[0])
		}
	})
	verbs := map[string]bool{}
	rows("verbs.tsv", func(f []string) {
		require.Len(t, f, 3, "%v", f)
		require.Contains(t, formNames, f[1])
		verbs[f[0]] = true
	})
	rows("endings.tsv", func(f []string) {
		require.Len(t, f, 2)
		require.Contains(t, formNames, strings.TrimPrefix(f[0], "after-"))
	})
	features := set("@name", "@app", "@daemon", "@cli", "@service", "@path", "@since", "@unit", "@topic", "@short", "@terse", "@question", "@do", "@forget", "@unlisted")
	for _, c := range shared().chains {
		for _, n := range c.needs {
			for _, a := range n {
				verb, _, _ := strings.Cut(strings.TrimPrefix(a.id, "@"), ":")
				require.True(t, concepts[a.id] || features[a.id] || strings.HasPrefix(a.id, "@") && verbs[verb], "diagnoses.tsv: unknown condition %q of %s", a.id, c.name)
			}
		}
	}
	for _, c := range shared().classes {
		if c.tool != "" {
			require.Contains(t, inventory, c.tool)
			require.NotContains(t, changing, c.tool, "classes choose read-only tools only")
		}
	}
}

// TestTestsAreNotLearnedFrom checks that no test request is a training phrase.
func TestTestsAreNotLearnedFrom(t *testing.T) {
	known := map[string]bool{}
	for _, r := range phrases(t) {
		known[squeeze(r.utterance)] = true
	}
	files, err := filepath.Glob("testdata/*.tsv")
	require.NoError(t, err)
	for _, file := range files {
		for _, r := range readCorpus(t, filepath.Base(file)) {
			require.False(t, known[squeeze(r.utterance)], "%s: %s", file, r.utterance)
		}
	}
}

func TestSlipsOfTheFingerAreRepaired(t *testing.T) {
	for in, want := range map[string]string{"잇나요": "있나요", "남앗어": "남았어", "꺼조": "꺼줘", "켜죠": "켜줘", "깔아조": "깔아줘", "됬어": "됐어", "했조": "했조", "맛나": "맛나"} {
		require.Equal(t, want, string(fixSlips([]rune(in))), in)
	}
}

func TestRecurrence(t *testing.T) {
	for text, want := range map[string]string{
		"every day at 6:30pm check disk": "30 18 * * *", "twice a day check memory": "0 9,21 * * *", "every 2 hours check battery": "0 */2 * * *", "매주 수요일 오후 3시 반에 로그 확인": "30 15 * * 3",
		"주말 아침 10시마다 업데이트 확인": "0 10 * * 0,6", "매월 15일 오전 7시에 디스크 확인": "0 7 15 * *", "30분마다 메모리": "*/30 * * * *", "매일 정오에 메모리 확인": "0 12 * * *", "every weekday at noon check logs": "0 12 * * 1-5",
		"每周五下午6点检查磁盘": "0 18 * * 5", "every tuesday and thursday at 8am list failed services": "0 8 * * 2,4", "on the 1st of every month check orphans": "0 9 1 * *", "매일 밤 12시에 로그 확인": "0 0 * * *", "every minute check cpu": "* * * * *", "매일 새벽 5시에 업데이트 확인": "0 5 * * *",
	} {
		rec, ok := findRecurrence(text)
		require.True(t, ok, text)
		require.Equal(t, want, rec.cron, text)
		require.NotEmpty(t, rec.task, text)
		require.NotEqual(t, text, rec.task, text)
	}
	for _, text := range []string{"check disk at 9am", "월요일에 뭐 했어", "everything is slow", "on monday check disk"} {
		_, ok := findRecurrence(text)
		require.False(t, ok, text)
	}
}

func TestSince(t *testing.T) {
	for text, want := range map[string]string{
		"logs since 9:30": "09:30", "errors since 2026-11-20": "2026-11-20", "last 3 days": "3 days ago", "half an hour ago": "30 minutes ago", "한 시간 전부터": "1 hour ago", "이틀 전부터": "2 days ago", "10분 전": "10 minutes ago", "최근 2시간": "2 hours ago",
		"since last boot": "boot", "어제": "yesterday", "过去3小时": "3 hours ago", "logs from the past hour": "1 hour ago", "disk": "", "errors from the past 2 hours only": "2 hours ago", "since 5pm": "17:00",
	} {
		require.Equal(t, want, findSince(newUtterance(text)), text)
	}
}
