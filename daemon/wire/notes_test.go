package wire

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nidoit/blunux-ai/ipc"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
)

// do sends an action on the notes.
func (p *peer) do(action string, note ipc.Note) ipc.Message {
	p.t.Helper()
	p.say(ipc.Message{Type: ipc.TypeAction, ID: "n", Action: action}.WithData(note))
	for {
		m := p.read()
		if m.Re == "n" && m.Done {
			return m
		}
	}
}

func TestNotesAreChangedThroughTheDaemonAndToldLineByLine(t *testing.T) {
	h := open(t, doer)
	p := h.hello()
	require.Contains(t, p.do(ipc.ActionRemember, ipc.Note{Key: "nas", Text: "the NAS is at 192.168.0.20"}).Body, "Saved in MEMORY.md.\n+ - **nas**: the NAS is at 192.168.0.20 (")
	require.Equal(t, "Already noted.", p.do(ipc.ActionRemember, ipc.Note{Key: "nas", Text: "the NAS is at 192.168.0.20"}).Body)
	require.Contains(t, p.do(ipc.ActionForget, ipc.Note{Key: "nas"}).Body, "Removed from MEMORY.md.\n- - **nas**")
	require.Equal(t, "No such note. To see the keys: blunux-ai memory search --json", p.do(ipc.ActionForget, ipc.Note{Key: "nas"}).Error.Message)
	require.Contains(t, p.do(ipc.ActionRemember, ipc.Note{Text: " \n"}).Error.Message, "The note is empty.")
	require.Contains(t, p.do(ipc.ActionRemember, ipc.Note{Text: strings.Repeat("x", 5000)}).Error.Message, "at most 4 KiB")
	require.Contains(t, p.do(ipc.ActionImportMemory, ipc.Note{Text: "- likes tea\n{\n"}).Body, "Imported: ")
	require.Contains(t, p.do(ipc.ActionClearMemory, ipc.Note{}).Body, "Deleted: MEMORY.md")
	require.Equal(t, "No notes to delete.", p.do(ipc.ActionClearMemory, ipc.Note{}).Body)
}

func TestAChangeOfNotesIsLogged(t *testing.T) {
	var log bytes.Buffer
	h := open(t, doer, func(o *Options) { o.Log = zerolog.New(zerolog.SyncWriter(&log)) })
	p := h.hello()
	p.do(ipc.ActionClearMemory, ipc.Note{})
	require.NotContains(t, log.String(), "notes changed by")
	p.do(ipc.ActionRemember, ipc.Note{Text: "likes tea"})
	require.Contains(t, log.String(), `{"level":"info","action":"remember","message":"notes changed by command"}`)
	p.do(ipc.ActionRemember, ipc.Note{Text: "likes tea"})
	require.Equal(t, 1, strings.Count(log.String(), "notes changed by"))
	require.NotContains(t, log.String(), "tea", "what they say stays in them")
}

func TestAFileOfNotesThatCannotBeWrittenIsToldWithWhatMendsIt(t *testing.T) {
	h := open(t, doer)
	file := filepath.Join(h.home, "memory", "MEMORY.md")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(h.home, "elsewhere"), file))
	p := h.hello()
	e := p.do(ipc.ActionRemember, ipc.Note{Text: "likes tea"}).Error
	require.Contains(t, e.Message, "MEMORY.md: links are not followed")
	require.Contains(t, e.Hint, "cp --remove-destination")
	var files struct {
		Files []struct{ Name, Problem string }
	}
	require.NoError(t, p.query(ipc.Query{What: "memory"}).Decode(&files))
	require.Equal(t, "MEMORY.md", files.Files[0].Name)
	require.Contains(t, files.Files[0].Problem, "MEMORY.md: links are not followed")
}

func TestAnExportComesInPiecesOfOneState(t *testing.T) {
	h := open(t, doer)
	file := filepath.Join(h.home, "memory", "MEMORY.md")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	text := strings.Repeat("- 프린터는 사무실 구석에 있다\n\n", 12_000)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	p := h.hello()
	var all []byte
	digests := map[string]bool{}
	for {
		var piece struct {
			Size   int64
			Digest string
			Data   []byte
		}
		require.NoError(t, p.query(ipc.Query{What: "memory-export", Offset: int64(len(all))}).Decode(&piece))
		digests[piece.Digest] = true
		if all = append(all, piece.Data...); int64(len(all)) == piece.Size {
			break
		}
		require.Len(t, piece.Data, 256<<10)
	}
	require.Len(t, digests, 1)
	first, _, _ := bytes.Cut(all, []byte("\n"))
	require.Contains(t, string(first), `"file":"MEMORY.md"`)
}

func TestThreat12FromAfarTheFilesOfNotesAreNeitherShownNorChanged(t *testing.T) {
	h := open(t, doer)
	require.Empty(t, h.hello().do(ipc.ActionRemember, ipc.Note{Key: "safe", Text: "the needle"}).Error)
	phone := h.connectAs("whatsapp")
	for _, q := range []ipc.Query{{What: "memory"}, {What: "memory", Text: "MEMORY.md"}, {What: "memory-search", Text: "needle"}, {What: "memory-export"}} {
		m := phone.query(q)
		require.NotNil(t, m.Error, q)
		require.Equal(t, ipc.CodeDenied, m.Error.Code)
	}
	for _, action := range []string{ipc.ActionRemember, ipc.ActionForget, ipc.ActionClearMemory, ipc.ActionRefreshMemory, ipc.ActionImportMemory} {
		m := phone.do(action, ipc.Note{Key: "safe", Text: "x"})
		require.NotNil(t, m.Error, action)
		require.Equal(t, ipc.CodeDenied, m.Error.Code)
	}
	data, err := os.ReadFile(filepath.Join(h.home, "memory", "MEMORY.md"))
	require.NoError(t, err)
	require.Contains(t, string(data), "the needle")
}
