package server

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func snapshot(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	a := tar.NewWriter(z)
	require.NoError(t, a.WriteHeader(&tar.Header{Name: "tool/PKGBUILD", Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}))
	_, err := a.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, a.Close())
	require.NoError(t, z.Close())
	return b.Bytes()
}

func TestTheAURIsAsked(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/rpc/v5/info/tool":
			_, _ = w.Write([]byte(`{"type":"multiinfo","results":[{"Name":"tool","PackageBase":"tool","Maintainer":null,"NumVotes":3,"LastModified":7}]}`))
		case "/rpc/v5/info/none":
			_, _ = w.Write([]byte(`{"type":"multiinfo","results":[]}`))
		case "/rpc/v5/info/html":
			_, _ = w.Write([]byte(`<html>log in</html>`))
		case "/rpc/v5/info/large":
			_, _ = w.Write([]byte(strings.Repeat(" ", maxInfo+1)))
		case "/rpc/v5/info/busy":
			w.WriteHeader(http.StatusTooManyRequests)
		case "/rpc/v5/info/moved":
			http.Redirect(w, r, other.URL+"/x", http.StatusFound)
		case "/cgit/aur.git/snapshot/tool.tar.gz":
			_, _ = w.Write(snapshot(t, "pkgname=tool\n"))
		default:
			http.NotFound(w, r)
		}
	}))
	defer far.Close()
	s := newServer(far.URL, "1", http.DefaultTransport)
	ctx := t.Context()

	info, err := s.Info(ctx, "tool")
	require.NoError(t, err)
	require.Equal(t, 3, info.NumVotes)
	require.Empty(t, info.Maintainer)
	recipe, err := s.Recipe(ctx, info.PackageBase)
	require.NoError(t, err)
	require.Equal(t, "pkgname=tool\n", string(recipe.Files["PKGBUILD"]))

	for _, name := range []string{"none", "gone"} {
		_, err = s.Info(ctx, name)
		require.ErrorIs(t, err, ErrUnknown)
	}
	for name, says := range map[string]string{"html": "cannot read", "large": "too large", "busy": "429", "moved": "302"} {
		_, err = s.Info(ctx, name)
		require.ErrorContains(t, err, says, name)
		require.NotErrorIs(t, err, ErrUnknown)
	}
	_, err = s.Recipe(ctx, "../tool")
	require.ErrorIs(t, err, ErrUnknown)
}

// The usual client opens nothing on this computer, regardless of a name server's answer.
func TestTheUsualClientStaysOutside(t *testing.T) {
	far := httptest.NewServer(http.NotFoundHandler())
	defer far.Close()
	s := New("1")
	s.Base = far.URL
	_, err := s.Info(t.Context(), "tool")
	require.ErrorContains(t, err, "this computer")
}
