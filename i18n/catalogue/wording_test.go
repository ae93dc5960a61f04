package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// counted matches the nouns that our texts count, in the plural.
const counted = `lines|bytes|tokens|requests|records|problems|days|hours|minutes|seconds|files|notes|commands|rounds|turns|notifications|automations|servers|characters|dollars|` +
	`columns|rows|rules|names|words|cores|processes|kinds|times|services|packages|jobs|inodes|entries|fields|arguments|messages|conversations|tasks|approvals|updates|errors|paths|calls|signs|results|rights`

// onePlural matches "1 lines" in printed text.
var onePlural = regexp.MustCompile(`(^|[^\w.,:×/=-])1 (` + counted + `)\b`)

// sentences calls visit with every row.
func sentences(t *testing.T, visit func(key, ko, en, zh string)) {
	t.Helper()
	rows, err := read(os.DirFS("."))
	require.NoError(t, err)
	require.Greater(t, len(rows), 2000)
	for _, r := range rows {
		visit(r.key, r.text[0], r.text[1], r.text[2])
	}
}

// eachFile calls visit with the wanted files of the repository.
func eachFile(t *testing.T, wanted func(path string) bool, visit func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == ".git" || e.Name() == "bin" || e.Name() == "dist"):
			return filepath.SkipDir
		case !e.Type().IsRegular() || !wanted(path):
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil {
			visit(path, string(text))
		}
		return err
	})
	require.NoError(t, err)
}

func TestU13NoSentenceSaysOneLines(t *testing.T) {
	rows, err := read(os.DirFS("."))
	require.NoError(t, err)
	for _, r := range rows {
		for i, a := range r.args {
			if strings.HasPrefix(a.kind, "int") || strings.Contains(a.name, "count") {
				unruled := regexp.MustCompile(`\{` + strconv.Itoa(i) + `\}( \w+)? (` + counted + `)\b`)
				require.NotRegexp(t, unruled, r.text[1], "%s: write {%s|line|lines}", r.key, a.name)
			}
		}
	}
}

func TestU13WhatThePrintedSaysCountsInTheSingular(t *testing.T) {
	printed := func(path string) bool {
		ours := strings.Contains(path, "/testdata/") || strings.HasPrefix(path, "../../docs/") || strings.HasPrefix(path, "../../README")
		// Output of other programs is not ours to correct.
		theirs := strings.Contains(path, "outputs/") || strings.Contains(path, "machines/") || strings.Contains(path, "causes/") || strings.Contains(path, "rapid/") || strings.Contains(path, "tools/safety") || strings.Contains(path, "fuzz/")
		return ours && !theirs && regexp.MustCompile(`\.(golden|txt|txtar|md)$`).MatchString(path)
	}
	eachFile(t, printed, func(path, text string) {
		for i, line := range strings.Split(text, "\n") {
			if strings.Contains(line, "packets transmitted") || strings.Contains(line, "Supervising") {
				continue
			}
			require.NotRegexp(t, onePlural, line, "%s:%d", path, i+1)
		}
	})
}

func TestU13NoWordOfAnotherLanguageOrOfTheProgrammersIsLeft(t *testing.T) {
	foreign := map[string]string{
		"블루녹스":  "블루눅스",
		"유효 시간": "만료",
		"고루틴":   "no such word",
		"令牌":    "词元 or 密钥",
		"协程":    "no such word",
	}
	sentences(t, func(at, ko, en, zh string) {
		for word, better := range foreign {
			require.NotContains(t, ko+en+zh, word, "%s: say %s", at, better)
		}
		require.NotRegexp(t, `(?i)goroutine`, en, at)
	})
	shown := func(path string) bool {
		return regexp.MustCompile(`\.(golden|txt|md|json|desktop|xml)$`).MatchString(path) && !strings.Contains(path, "outputs/") && !strings.Contains(path, "CHANGELOG")
	}
	eachFile(t, shown, func(path, text string) {
		if strings.Contains(path, "HACKING") || strings.Contains(path, "/docs/dev") {
			return
		}
		for word, better := range foreign {
			require.False(t, strings.Contains(text, word), "%s: %s: say %s", path, word, better)
		}
	})
}

// pairs matches particle pairs: the form after a consonant, then the one after a vowel.
var pairs = regexp.MustCompile(`\{(\p{Hangul}+)/(\p{Hangul}+)\}`)

func TestU13ParticlesAreWrittenInTheOrderTheyAreResolved(t *testing.T) {
	known := map[string]string{"은": "는", "이": "가", "을": "를", "과": "와", "으로": "로", "이에요": "예요", "이라는": "라는", "이라고": "라고", "이나": "나", "이면": "면"}
	// The particle after a time, a version or a name depends on its sound.
	fixed := regexp.MustCompile(`\{\d+q?\}(예요|이에요)`)
	sentences(t, func(at, ko, _, _ string) {
		for _, m := range pairs.FindAllStringSubmatch(ko, -1) {
			require.Equal(t, known[m[1]], m[2], "%s: %s", at, m[0])
		}
		require.NotRegexp(t, fixed, ko, "%s: write {이에요/예요}", at)
	})
}

// sameForm are characters that stay as they are in traditional texts, at least in the words we use.
const sameForm = "向家只表松台面才布出了核剩致搜扇亮克局私症泄板"

func TestEveryChineseCharacterHasItsTraditionalForm(t *testing.T) {
	table, err := os.ReadFile("traditional.tsv")
	require.NoError(t, err)
	known, err := os.ReadFile("../../internal/names/traditional.tsv") // what people may write
	require.NoError(t, err)
	simplified := map[rune]bool{}
	for line := range strings.Lines(string(known)) {
		from, to, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if a, b := []rune(from), []rune(to); len(a) == len(b) && len(a) > 8 && !strings.HasPrefix(line, "#") {
			for i := range a {
				simplified[b[i]] = simplified[b[i]] || a[i] != b[i]
			}
		}
	}
	sentences(t, func(key, _, _, zh string) {
		for _, r := range zh {
			if simplified[r] && !strings.ContainsRune(sameForm, r) && !strings.ContainsRune(string(table), r) {
				t.Errorf("%s: %c has no form in traditional.tsv", key, r)
			}
		}
	})
}
