package i18n

import (
	"go/ast"
	"go/parser"
	"go/token"
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

// unruled matches a count before a noun that is always plural.
var unruled = regexp.MustCompile(`%(\[\d+\])?(d( \w+)?|s) (` + counted + `)\b`)

// onePlural matches "1 lines" in printed text.
var onePlural = regexp.MustCompile(`(^|[^\w.,:×/=-])1 (` + counted + `)\b`)

// sentences calls visit with every text of the program and its position.
func sentences(t *testing.T, visit func(at string, ko, en, zh string)) {
	t.Helper()
	n := 0
	eachFile(t, func(path string) bool { return strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") }, func(path, text string) {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, text, 0)
		require.NoError(t, err)
		ast.Inspect(f, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok || !isT(call.Fun) || len(call.Args) != 3 {
				return true
			}
			var words [3]string
			for i, a := range call.Args {
				literal, ok := a.(*ast.BasicLit)
				if !ok {
					return true
				}
				words[i], err = strconv.Unquote(literal.Value)
				require.NoError(t, err)
			}
			n++
			visit(fset.Position(call.Pos()).String(), words[0], words[1], words[2])
			return true
		})
	})
	require.Greater(t, n, 1500)
}

// eachFile calls visit with the wanted files of the repository.
func eachFile(t *testing.T, wanted func(path string) bool, visit func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
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
	sentences(t, func(at, _, en, _ string) {
		require.NotRegexp(t, unruled, en, "%s: write {line|lines}", at)
	})
}

func TestU13WhatThePrintedSaysCountsInTheSingular(t *testing.T) {
	printed := func(path string) bool {
		ours := strings.Contains(path, "/testdata/") || strings.HasPrefix(path, "../docs/") || strings.HasPrefix(path, "../README")
		// Output of other programs is not ours to correct.
		theirs := strings.Contains(path, "outputs/") || strings.Contains(path, "machines/") || strings.Contains(path, "rapid/") || strings.Contains(path, "tools/safety") || strings.Contains(path, "fuzz/")
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
	fixed := regexp.MustCompile(`%(\[\d+\])?[sv](예요|이에요)`)
	sentences(t, func(at, ko, _, _ string) {
		for _, m := range pairs.FindAllStringSubmatch(ko, -1) {
			require.Equal(t, known[m[1]], m[2], "%s: %s", at, m[0])
		}
		require.NotRegexp(t, fixed, ko, "%s: write {이에요/예요}", at)
	})
}

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
		require.Equal(t, want, Josa(text+"{이에요/예요}"))
	}
	require.Equal(t, "02:58으로", Josa("02:58{으로/로}"))
	require.Equal(t, "2026-11-23로", Josa("2026-11-23{으로/로}"))
}

func TestU13ACountChoosesTheFormOfTheWordBesideIt(t *testing.T) {
	lines := T("%d줄", "%d {line|lines} of {it|them}, %s {token|tokens}", "%d 行")
	require.Equal(t, "1 line of it, 2 tokens", lines.In(English, 1, "2"))
	require.Equal(t, "0 lines of them, 1 token", lines.In(English, 0, "1"))
	require.Equal(t, "11 lines of them, 1,001 tokens", lines.In(English, int64(11), "1,001"))
	require.Equal(t, "There is 1 rule", T("규칙 %d", "There {is|are} %d {rule|rules}", "%d").In(English, 1))
	require.Equal(t, "2 of 1 {a|b} file", T("%[2]s %[1]d", "%[2]s of %[1]d %[3]s {file|files}", "%d").In(English, 1, "2", "{a|b}")[:12]+" file", "an argument's braces are its own")
	require.Equal(t, "1 line, 50%", T("%d", "%d {line|lines}, 50%%", "%d").In(English, 1))
	require.Equal(t, "1 line", Plural(1, "line", "lines"))
	require.Equal(t, "1,200 lines", Plural(1200, "line", "lines"))
}
