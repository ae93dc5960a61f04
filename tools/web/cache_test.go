package web_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/helper"
	"github.com/nidoit/blunux-ai/tools/web"
)

// launch starts a program inside this process that answers with fetch.
func launch(fetch func(context.Context, web.Request) (web.Answer, error)) func(io.Writer) (helper.Process, error) {
	return func(io.Writer) (helper.Process, error) {
		fromDaemon, toProgram := io.Pipe()
		fromProgram, toDaemon := io.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			web.Serve(fromDaemon, toDaemon, fetch)
			toDaemon.Close()
		}()
		return helper.Process{Stdin: toProgram, Stdout: fromProgram, Done: done, Exit: func() error { return nil }, Kill: func() { fromDaemon.Close() }}, nil
	}
}

func TestPagesOfTheArchWikiAreKeptForADay(t *testing.T) {
	var asked atomic.Int32
	var status atomic.Int32
	status.Store(200)
	program := web.NewProgram(launch(func(_ context.Context, r web.Request) (web.Answer, error) {
		asked.Add(1)
		limit := time.Minute
		if r.Name != "" { // a file takes longer
			limit *= 10
		}
		if r.Agent != "blunux-ai/1.2" || r.Timeout != limit {
			return web.Answer{}, web.Fail(web.CodeAddress, "another request")
		}
		return web.Answer{URL: r.URL, Status: int(status.Load()), Text: "text"}, nil
	}), func(string) {}, "1.2")
	defer program.Close()
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	dir := filepath.Join(t.TempDir(), "web")
	w := web.New(program, web.Settings{Cache: dir, Timeout: time.Minute, Now: func() time.Time { return now }})
	fetch := func(r web.Request) web.Answer {
		a, err := w.Fetch(t.Context(), r)
		require.NoError(t, err)
		require.Equal(t, "text", a.Text)
		return a
	}
	wiki := web.Request{URL: "https://wiki.archlinux.org/title/Pacman"}
	status.Store(503)
	fetch(wiki)
	status.Store(200)
	require.Zero(t, fetch(wiki).ReadAt, "an error is not kept")
	now = now.Add(23 * time.Hour)
	require.Equal(t, now.Add(-23*time.Hour), fetch(wiki).ReadAt.UTC())
	require.EqualValues(t, 2, asked.Load())
	now = now.Add(time.Hour)
	require.Zero(t, fetch(wiki).ReadAt)
	require.EqualValues(t, 3, asked.Load())

	for _, other := range []web.Request{
		{URL: "https://example.org/"}, {URL: "https://wiki.archlinux.org/title/Pacman", Method: "GET"}, {URL: "https://wiki.archlinux.org/title/Pacman", Name: "x"},
	} {
		before := asked.Load()
		fetch(other)
		fetch(other)
		require.Equal(t, before+2, asked.Load(), "%v", other)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	fi, err := os.Stat(files[0])
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), fi.Mode())
	require.NoError(t, os.WriteFile(files[0], []byte("{"), 0o600))
	require.Zero(t, fetch(wiki).ReadAt, "a damaged file is read again")
}

// TestAKeptPageIsReadWithoutANetwork: news of last week are better than none, and the answer says when they were read.
func TestAKeptPageIsReadWithoutANetwork(t *testing.T) {
	var failure atomic.Value
	failure.Store("")
	program := web.NewProgram(launch(func(_ context.Context, r web.Request) (web.Answer, error) {
		if code := failure.Load().(string); code != "" {
			return web.Answer{}, web.Fail(code, "no")
		}
		return web.Answer{URL: r.URL, Status: 200, Text: "text"}, nil
	}), func(string) {}, "1.2")
	defer program.Close()
	began := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	now := began
	w := web.New(program, web.Settings{Cache: filepath.Join(t.TempDir(), "web"), Timeout: time.Minute, Now: func() time.Time { return now }})
	news := web.Request{URL: "https://archlinux.org/news/"}
	_, err := w.Fetch(t.Context(), news)
	require.NoError(t, err)
	now = began.Add(web.StaleAge - time.Hour)
	for _, code := range []string{web.CodeOffline, web.CodePortal, web.CodeName, web.CodeUnreachable, web.CodeTimeout} {
		failure.Store(code)
		a, err := w.Fetch(t.Context(), news)
		require.NoError(t, err, code)
		require.Equal(t, began, a.ReadAt.UTC(), code)
	}
	for _, code := range []string{web.CodeCertificate, web.CodeForbidden, web.CodeTooLarge} {
		failure.Store(code)
		_, err := w.Fetch(t.Context(), news)
		require.Equal(t, code, web.Code(err))
	}
	failure.Store(web.CodeOffline)
	now = began.Add(web.StaleAge)
	_, err = w.Fetch(t.Context(), news)
	require.Equal(t, web.CodeOffline, web.Code(err))
}
