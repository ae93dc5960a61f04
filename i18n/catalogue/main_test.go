package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestTheAccessorsAreCurrent(t *testing.T) {
	rows, err := read(os.DirFS("."))
	require.NoError(t, err)
	want, err := generate(rows, os.DirFS("."))
	require.NoError(t, err)
	got, err := os.ReadFile("../messages.go")
	require.NoError(t, err)
	require.True(t, string(want) == string(got), "messages.go is not up to date; run: make catalogue")
}

func TestARowBecomesATypedAccessor(t *testing.T) {
	rows, err := read(fstest.MapFS{"disk.toml": {Data: []byte(`
[disk.full]
args = ["mount", "files int", "note? message", "path quoted"]
ko = "{mount}{이/가} 찼어요: 파일 {files}개 {note} {path}"
en = "{mount} is full: {files} {files|file|files} {path}"
zh = "{mount} 已满：{files} 个文件 {note} {path}"

[disk.fine]
ko = "{{}는 괜찮아요"
en = "{{} is fine"
zh = "{{} 正常"

[reasons]
codes = true

[reasons.delete-root]
ko = "지워요"
en = "deletes"
zh = "删除"
`)}})
	require.NoError(t, err)
	source, err := generate(rows, os.DirFS("."))
	require.NoError(t, err)
	for _, want := range []string{
		"var Reasons = Codes(sync.OnceValue(func() map[string]Text {",
		`"delete-root": {row: "지워요\x00deletes\x00删除"},`,
		`DiskFine = Text{row: "{{}는 괜찮아요\x00{{} is fine\x00{{} 正常"}`,
		`rowDiskFull = "{0}{이/가} 찼어요: 파일 {1}개 {2} {3q}\x00{0} is full: {1} {1|file|files} {3q}\x00{0} 已满：{1} 个文件 {2} {3q}"`,
		`func DiskFull(mount string, files int, note Text, path string) Text {`,
		`return Text{rowDiskFull, &[]any{mount, files, note, path}}`,
	} {
		require.Contains(t, string(source), want)
	}
}

func TestAFaultyRowIsRefusedByItsKey(t *testing.T) {
	for fault, row := range map[string]string{
		"the text in zh is missing":       `ko = "가"` + "\n" + `en = "a"`,
		"{b} is no argument":              `ko = "가"` + "\n" + `en = "a {b}"` + "\n" + `zh = "一"`,
		"{b} is missing":                  `args = ["b"]` + "\n" + `ko = "{b}"` + "\n" + `en = "{b}"` + "\n" + `zh = "一"`,
		"no kind \"size\"":                `args = ["b size"]` + "\n" + `ko = "{b}"` + "\n" + `en = "{b}"` + "\n" + `zh = "{b}"`,
		"in English only":                 `args = ["b int"]` + "\n" + `ko = "{b} {b|줄|줄들}"` + "\n" + `en = "{b}"` + "\n" + `zh = "{b}"`,
		"{을/를} is no argument":            `ko = "가"` + "\n" + `en = "a{을/를}"` + "\n" + `zh = "一"`,
		"write %s as a named placeholder": `args = ["b"]` + "\n" + `ko = "{b}%s"` + "\n" + `en = "{b}"` + "\n" + `zh = "{b}"`,
		"there are two rows of this name": `ko = "가"` + "\n" + `en = "a"` + "\n" + `zh = "一"` + "\n[a_b]\n" + `ko = "가"` + "\n" + `en = "a"` + "\n" + `zh = "一"`,
	} {
		_, err := read(fstest.MapFS{"x.toml": {Data: []byte("[a.b]\n" + row + "\n")}})
		require.ErrorContains(t, err, fault, row)
	}
}

func TestEveryRowIsUsed(t *testing.T) {
	rows, err := read(os.DirFS("."))
	require.NoError(t, err)
	used := map[string]bool{}
	var all strings.Builder
	name := regexp.MustCompile(`\b(?:row)?[A-Z]\w+`)
	require.NoError(t, filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || e.Name() == ".git"):
			return filepath.SkipDir
		case !slices.Contains([]string{".go", ".js", ".html"}, filepath.Ext(path)) || e.Name() == "messages.go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		all.Write(source)
		for _, found := range name.FindAllString(string(source), -1) {
			used[strings.TrimPrefix(found, "row")] = true
		}
		return err
	}))
	for _, r := range rows {
		table := strings.TrimSuffix(r.key, "."+r.code)
		switch {
		case r.code == "" && used[identifier(r.key)]:
		case table == "help": // docs compares these with the programs
		case table == "value_names" || table == "value_forms": // by the types of the library of flags
		case r.code == "" || !strings.Contains(all.String(), `"`+r.code+`"`):
			t.Errorf("%s: no program uses this row", r.key)
		}
	}
}
