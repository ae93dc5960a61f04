package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestD5EveryRecordHasAVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := New(path)
	add(t, j, 1)
	require.NoError(t, j.Rewrite([]any{row{N: 1}, row{N: 2}}))
	add(t, j, 3)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "{\"v\":1}\n{\"v\":1,\"n\":1}\n{\"v\":1,\"n\":2}\n{\"v\":1,\"n\":3}\n", string(text))
}

func TestD5RecordsWithoutAVersionAreOfTheFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	require.NoError(t, os.WriteFile(path, []byte("{\"n\":1,\"text\":\"says \\\"v\\\":7\"}\n{\"n\":2}\n"), 0o600))
	add(t, New(path), 3)
	ns, damaged := rows(t, path)
	require.Equal(t, []int{1, 2, 3}, ns)
	require.Empty(t, damaged)
}

// For any position of the newer record and any first call.
func TestD5AFileOfANewerProgramIsLeftAsItIs(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		path := filepath.Join(dir, "j"+string(rune('a'+n%26))+strings.Repeat("x", n/26))
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{`{"n":1}`, `{"v":1,"n":2}`, "rubbish", ""}), 0, 5).Draw(t, "lines")
		newer := rapid.SampledFrom([]string{`{"v":2}`, `{"n":3,"v":2}`, `{"v":"2","n":3}`, `{"v":99,"x":[]}`, `{"v":1.5}`, `{ "n" : 3, "v" : 2 }`}).Draw(t, "newer")
		at := rapid.IntRange(0, len(lines)).Draw(t, "at")
		text := strings.Join(append(append(append([]string{}, lines[:at]...), newer), lines[at:]...), "\n") +
			rapid.SampledFrom([]string{"", "\n", "\n{\"n\":"}).Draw(t, "end")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		j := New(path)
		var ve *VersionError
		for range rapid.IntRange(1, 4).Draw(t, "tries") {
			switch rapid.IntRange(0, 2).Draw(t, "try") {
			case 0:
				_, err := j.Read(func([]byte) error { t.Fatal("a record was used"); return nil })
				require.ErrorAs(t, err, &ve)
			case 1:
				require.ErrorAs(t, j.AppendSync(row{N: 9}), &ve)
			default:
				require.ErrorAs(t, j.Rewrite([]any{row{N: 9}}), &ve)
			}
		}
		kept, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, string(kept))
		require.NoFileExists(t, path+".damaged")
	})
}

func TestD6AFileInWhichNothingCanBeReadIsMovedAsideAndTold(t *testing.T) {
	for name, text := range map[string]string{
		"emptied": "", "nulls": strings.Repeat("\x00", 4096), "nulls and a line feed": strings.Repeat("\x00", 40) + "\n",
		"rubbish": "rubbish\nmore\n", "a piece": `{"n":1,"te`, "line feeds": "\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j")
			require.NoError(t, os.WriteFile(path+".damaged", []byte("older\n"), 0o600))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			ns, damaged := rows(t, path)
			require.Empty(t, ns)
			require.Equal(t, []Damage{{File: path, MovedTo: path + ".damaged.1"}}, damaged)
			kept, err := os.ReadFile(path + ".damaged.1")
			require.NoError(t, err)
			require.Equal(t, text, string(kept))
			add(t, New(path), 1)
			ns, damaged = rows(t, path)
			require.Equal(t, []int{1}, ns)
			require.Empty(t, damaged)
		})
	}
}

func TestD6ATornEndIsKeptAside(t *testing.T) {
	for name, c := range map[string]struct {
		end  string
		told bool
	}{
		"a piece of a record":             {`{"n":3,"te`, false},
		"blocks that were never written":  {strings.Repeat("\x00", 100), true},
		"a piece of a record, and blocks": {`{"n":3,` + strings.Repeat("\x00", 100), true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j")
			require.NoError(t, os.WriteFile(path, []byte("{\"n\":1}\n{\"n\":2}\n"+c.end), 0o600))
			ns, damaged := rows(t, path)
			require.Equal(t, []int{1, 2}, ns)
			if c.told {
				require.Equal(t, []Damage{{File: path, Line: 3}}, damaged)
			} else {
				require.Empty(t, damaged)
			}
			add(t, New(path), 9)
			ns, _ = rows(t, path)
			require.Equal(t, []int{1, 2, 9}, ns)
			kept, err := os.ReadFile(path + ".damaged")
			require.NoError(t, err)
			require.Equal(t, c.end+"\n", string(kept))
		})
	}
}

// A crash never leaves an empty file.
func TestD6AFileIsMadeWithItsHeaderAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := New(path)
	require.NoError(t, j.create())
	_, damaged := rows(t, path)
	require.Empty(t, damaged)
}
