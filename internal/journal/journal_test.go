package journal

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type row struct {
	N    int    `json:"n"`
	Text string `json:"text,omitempty"`
}

func rows(t require.TestingT, path string) (ns []int, damaged []Damage) {
	j := New(path)
	damaged, err := j.Read(func(line []byte) error {
		var r row
		err := json.Unmarshal(line, &r)
		if err == nil {
			ns = append(ns, r.N)
		}
		return err
	})
	require.NoError(t, err)
	return ns, damaged
}

func add(t require.TestingT, j *Journal, n int) { require.NoError(t, j.AppendSync(row{N: n})) }

func TestAFileThatIsNotThereHasNoRecordsAndIsNotMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "j.jsonl")
	ns, damaged := rows(t, path)
	require.Empty(t, ns)
	require.Empty(t, damaged)
	require.NoDirExists(t, filepath.Dir(path))
	add(t, New(path), 1)
	fi, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), fi.Mode().Perm())
}

func TestTheEndOfAFileIsPutRight(t *testing.T) {
	for name, c := range map[string]struct {
		end  string
		want []int
	}{
		"a piece of a record is cut off":                    {`{"n":3,"te`, []int{1, 2, 9}},
		"a whole record only lacks its line feed":           {`{"n":3}`, []int{1, 2, 3, 9}},
		"a piece longer than what is looked at in one read": {`{"n":3,"text":"` + strings.Repeat("x", 20<<10), []int{1, 2, 9}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j")
			require.NoError(t, os.WriteFile(path, []byte("{\"n\":1}\n{\"n\":2}\n"+c.end), 0o600))
			add(t, New(path), 9)
			ns, damaged := rows(t, path)
			require.Equal(t, c.want, ns)
			require.Empty(t, damaged)
		})
	}
}

func TestALineThatCannotBeReadIsToldAndKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	require.NoError(t, os.WriteFile(path, []byte("{\"n\":1}\nrubbish\n{\"n\":2}\n"), 0o600))
	ns, damaged := rows(t, path)
	require.Equal(t, []int{1, 2}, ns)
	require.Equal(t, []Damage{{File: path, Line: 2}}, damaged)
	j := New(path)
	require.NoError(t, j.Rewrite([]any{row{N: 1}, row{N: 2}}))
	add(t, j, 3)
	ns, damaged = rows(t, path)
	require.Equal(t, []int{1, 2, 3}, ns)
	require.Empty(t, damaged)
	text, err := os.ReadFile(path + ".damaged")
	require.NoError(t, err)
	require.Equal(t, "rubbish\n", string(text))
}

func TestALinkOrPipeInThePlaceOfTheFileIsRefused(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	require.NoError(t, os.WriteFile(target, nil, 0o600))
	require.NoError(t, os.Symlink(target, filepath.Join(dir, "link")))
	require.Error(t, New(filepath.Join(dir, "link")).AppendSync(row{N: 1}))
	_, err := New(filepath.Join(dir, "link")).Read(func([]byte) error { return nil })
	require.Error(t, err)
	text, err := os.ReadFile(target)
	require.NoError(t, err)
	require.Empty(t, text)
}

// A partial record is removed, so that it does not precede later records. A file size limit simulates the full disk.
func TestADiskThatWasFullIsUsedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := New(path)
	add(t, j, 1)
	piece := []byte(`{"n":2,"te`)
	n, err := j.file.Write(piece)
	require.NoError(t, err)
	j.undoWrite(n)
	add(t, j, 3)
	ns, damaged := rows(t, path)
	require.Equal(t, []int{1, 3}, ns)
	require.Empty(t, damaged)
}

func TestManyWaitForOneSync(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := New(path)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() { _ = j.AppendSync(row{N: i}) })
	}
	wg.Wait()
	ns, damaged := rows(t, path)
	require.Len(t, ns, 50)
	require.Empty(t, damaged)
}

func TestAnythingTornAtAnyByteLosesOnlyTheLastRecord(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		path := filepath.Join(dir, fmt.Sprint(n))
		j := New(path)
		var want []int
		for i := range rapid.IntRange(1, 8).Draw(t, "records") {
			add(t, j, i)
			want = append(want, i)
			if rapid.IntRange(0, 5).Draw(t, "rewrite") == 0 {
				want = want[len(want)/2:]
				var keep []any
				for _, k := range want {
					keep = append(keep, row{N: k})
				}
				require.NoError(t, j.Rewrite(keep))
			}
		}
		j.Close()
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		last := strings.LastIndexByte(strings.TrimSuffix(string(data), "\n"), '\n') + 1
		cut := rapid.IntRange(last, len(data)).Draw(t, "cut")
		require.NoError(t, os.Truncate(path, int64(cut)))
		if cut < len(data)-1 {
			want = want[:len(want)-1]
		}
		j = New(path)
		add(t, j, 99)
		ns, damaged := rows(t, path)
		require.Equal(t, append(want, 99), ns)
		require.Empty(t, damaged)
	})
}
