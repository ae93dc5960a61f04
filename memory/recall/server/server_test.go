package server_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/internal/peer"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/memory/recall/protocol"
	"github.com/nidoit/blunux-ai/memory/recall/server"
	"github.com/nidoit/blunux-ai/providers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// daemon is the other side of a served index.
type daemon struct {
	*peer.Conn
	t       *testing.T
	opening protocol.Opening

	mu       sync.Mutex
	embedded []string
	warnings []protocol.Warning
}

// serve serves an index of a new home, which is not open yet. The server ends with the test.
func serve(t *testing.T) *daemon {
	t.Helper()
	home := t.TempDir()
	d := &daemon{t: t, opening: protocol.Opening{
		Version: protocol.Version, File: home + "/index/recall.db", Notes: home + "/memory", Conversations: home + "/sessions",
	}}
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(in, out) }()
	d.Conn = peer.New(answers, requests, peer.Options{Handle: d.embed, Notice: d.note, MaxLine: protocol.MaxLine})
	t.Cleanup(func() {
		d.Close()
		requests.Close() // ends the server
		require.NoError(t, <-ended)
		answers.Close()
		d.Wait()
	})
	d.write("MEMORY.md", "- the nas is blue\n- coffee at ten\n")
	return d
}

// embed makes vectors with one axis for drinks and one for the rest.
func (d *daemon) embed(_ context.Context, method string, params json.RawMessage) (any, error) {
	var texts []string
	if err := json.Unmarshal(params, &texts); err != nil || method != protocol.MethodEmbed {
		return nil, peer.UnknownMethod(method)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.embedded = append(d.embedded, texts...)
	var vectors [][]float32
	for _, text := range texts {
		if strings.Contains(text, "fail") {
			return nil, io.ErrUnexpectedEOF
		}
		v := []float32{0.1, 1}
		if strings.Contains(text, "coffee") || strings.Contains(text, "beverage") {
			v = []float32{1, 0.1}
		}
		vectors = append(vectors, v)
	}
	return vectors, nil
}

func (d *daemon) note(_ string, params json.RawMessage) {
	var w protocol.Warning
	_ = json.Unmarshal(params, &w)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.warnings = append(d.warnings, w)
}

func (d *daemon) write(name, text string) {
	d.t.Helper()
	file := filepath.Join(d.opening.Notes, name)
	require.NoError(d.t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(d.t, os.WriteFile(file, []byte(text), 0o600))
}

func (d *daemon) open() {
	d.t.Helper()
	require.NoError(d.t, d.Call(d.t.Context(), protocol.MethodOpen, d.opening, nil))
}

// search returns the texts that are found.
func (d *daemon) search(q protocol.Search) (texts []string) {
	d.t.Helper()
	var hits []memory.Hit
	require.NoError(d.t, d.Call(d.t.Context(), protocol.MethodSearch, q, &hits))
	for _, h := range hits {
		texts = append(texts, h.Text)
	}
	return texts
}

func TestAnIndexIsOpenedOnceAndSearched(t *testing.T) {
	d := serve(t)
	require.EqualError(t, d.Call(t.Context(), protocol.MethodSearch, protocol.Search{Words: "nas"}, nil), "no index is open")
	other := d.opening
	other.Version++
	var refused *peer.Error
	require.ErrorAs(t, d.Call(t.Context(), protocol.MethodOpen, other, nil), &refused)
	require.Equal(t, protocol.CodeVersion, refused.Code)
	d.opening.Names = "nas\t-\tapp\tsplotchy\nbad row\n"
	d.open()
	require.Error(t, d.Call(t.Context(), protocol.MethodOpen, d.opening, nil), "twice")
	require.Error(t, d.Call(t.Context(), protocol.MethodSearch, 7, nil))
	require.Error(t, d.Call(t.Context(), "nothing", nil, nil))
	require.Equal(t, []string{"the nas is blue"}, d.search(protocol.Search{Words: "nas"}))
	require.Equal(t, []string{"the nas is blue"}, d.search(protocol.Search{Words: "splotchy"}))
	require.Empty(t, d.search(protocol.Search{Words: "nothing"}))
}

func TestConversationsAreUpdatedByTheirKeys(t *testing.T) {
	d := serve(t)
	d.open()
	talks := session.New(session.Options{Dir: d.opening.Conversations})
	key := session.Key("a", "cli", "work")
	require.NoError(t, talks.Append(key, session.NewEntry(providers.UserText("where is the penguin"), nil)))
	d.write("daily/2026-02-20.md", "- 09:15 · where is the seal · done\n")
	require.NoError(t, d.Call(t.Context(), protocol.MethodUpdate, protocol.Update{
		Notes: []string{"daily/2026-02-20.md"}, Conversations: []string{key, "unknown"},
	}, nil))
	require.Empty(t, d.search(protocol.Search{Words: "penguin"}))
	require.Equal(t, []string{"where is the penguin"}, d.search(protocol.Search{Words: "penguin", Conversations: true}))
	require.Equal(t, []string{"where is the penguin"}, d.search(protocol.Search{
		Words: "penguin", Categories: []memory.Category{memory.Conversation}, Current: true,
	}))
	require.Len(t, d.search(protocol.Search{Words: "seal"}), 1)
}

func TestVectorsAreMadeByTheDaemon(t *testing.T) {
	d := serve(t)
	d.opening.Model = "m"
	d.open()
	require.NoError(t, d.Call(t.Context(), protocol.MethodUpdate, protocol.Update{All: true}, nil))
	d.mu.Lock()
	require.Len(t, d.embedded, 2)
	d.mu.Unlock()
	require.Equal(t, "coffee at ten", d.search(protocol.Search{Words: "favourite beverage"})[0])
	d.write("MEMORY.md", "- the nas is blue\n- coffee at ten\n- coffee with milk\n")
	require.Contains(t, d.search(protocol.Search{Words: "favourite beverage", Current: true}), "coffee with milk")
	require.NotEmpty(t, d.search(protocol.Search{Words: "fail nas"}), "words alone")
	d.mu.Lock()
	defer d.mu.Unlock()
	require.Equal(t, []protocol.Warning{{Code: "no-vectors", Error: io.ErrUnexpectedEOF.Error()}}, d.warnings)
}

func TestAPurgedNoteLeavesNoTrace(t *testing.T) {
	d := serve(t)
	d.open()
	require.NotEmpty(t, d.search(protocol.Search{Words: "coffee", Current: true}))
	d.write("MEMORY.md", "- the nas is blue\n")
	require.NoError(t, d.Call(t.Context(), protocol.MethodUpdate, protocol.Update{Purge: true}, nil))
	files, err := filepath.Glob(d.opening.File + "*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NotContains(t, string(data), "coffee")
	}
}
