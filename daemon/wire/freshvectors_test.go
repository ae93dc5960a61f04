package wire

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nidoit/blunux-ai/daemon/notes"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/stretchr/testify/require"
)

// Without a turn after it.
func TestU18WhatIsRememberedOrImportedIsFoundByItsMeaning(t *testing.T) {
	write := map[string]func(*notes.Notes) error{
		"remember": func(n *notes.Notes) error {
			_, err := n.Remember(t.Context(), memory.Note{Text: "an espresso at ten"})
			return err
		},
		"import": func(n *notes.Notes) error {
			_, err := n.Import(t.Context(), strings.NewReader("- an espresso at ten\n"))
			return err
		},
		"user": func(n *notes.Notes) error {
			_, err := n.UpdateUser(t.Context(), "an espresso at ten")
			return err
		},
	}
	for name, write := range write {
		t.Run(name, func(t *testing.T) {
			e := newEmbeddings(t)
			n, _ := finding(t, e.URL)
			require.NoError(t, write(n))
			n.Finder.AwaitUpdate(t.Context())
			require.True(t, e.wasSent("an espresso at ten"))
			hits, err := n.Finder.Recall(t.Context(), memory.Query{Words: "favourite beverage"})
			require.NoError(t, err)
			require.NotEmpty(t, hits)
			require.Contains(t, textsOf(hits), "an espresso at ten")
		})
	}
}

// A search computes the missing vectors.
func TestU18AHandEditIsFoundByItsMeaning(t *testing.T) {
	e := newEmbeddings(t)
	n, _ := finding(t, e.URL)
	_, err := n.Memory.Remember(t.Context(), memory.Note{Text: "an espresso at ten"})
	require.NoError(t, err)
	hits, err := n.Search(t.Context(), memory.Query{Words: "favourite beverage"}, nil)
	require.NoError(t, err)
	require.Contains(t, textsOf(hits), "an espresso at ten")
	before := e.count()
	_, err = n.SearchConversations(t.Context(), "favourite beverage", 3)
	require.NoError(t, err)
	require.LessOrEqual(t, e.count(), before+1, "conversations have no vectors")
}

// A change during an update causes another update.
func TestU18WhatIsWrittenMeanwhileIsNotForgotten(t *testing.T) {
	e := newEmbeddings(t)
	begun, goOn := make(chan struct{}, 1), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case begun <- struct{}{}:
		default:
		}
		<-goOn
		e.Config.Handler.ServeHTTP(w, r)
	}))
	defer slow.Close()
	n, _ := finding(t, slow.URL)
	n.Finder.UpdateInBackground()
	<-begun
	_, err := n.Remember(t.Context(), memory.Note{Text: "an espresso at ten"})
	require.NoError(t, err)
	close(goOn)
	n.Finder.AwaitUpdate(t.Context())
	require.True(t, e.wasSent("an espresso at ten"))
}

// It does not start indexing.
func TestU18WithoutAServerRememberingOnlyWritesTheFile(t *testing.T) {
	n, _ := finding(t, "")
	_, err := n.Remember(t.Context(), memory.Note{Text: "likes tea"})
	require.NoError(t, err)
	n.Finder.AwaitUpdate(t.Context())
	require.NoFileExists(t, n.Finder.Paths.Recall()+"/recall.db")
}

func textsOf(hits []memory.Hit) []string {
	var all []string
	for _, h := range hits {
		all = append(all, h.Text)
	}
	return all
}

// wasSent reports whether the server received a text.
func (e *embeddings) wasSent(text string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Contains(strings.Join(e.sent, "\n"), text)
}

// count returns how many texts the server received.
func (e *embeddings) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.sent)
}
