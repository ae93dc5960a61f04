package recall_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/memory/recall"
)

// Neither the text nor the words of a forgotten note remain in the index's files.
func TestH10NothingOfAForgottenNoteStaysInTheIndex(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "recall.db")
	notesIn(t, dir, "the nas is blue", "the zebrafinch sings at dawn")
	holds := func() bool {
		x := openAt(t, file, recall.Options{Sources: []recall.Source{recall.Markdown(dir)}})
		require.NoError(t, x.Purge(context.Background()))
		require.NoError(t, x.Close())
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		return bytes.Contains(data, []byte("zebrafinch"))
	}
	require.True(t, holds())
	notesIn(t, dir, "the nas is blue")
	require.False(t, holds())
}
