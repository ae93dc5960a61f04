package e2e

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nidoit/blunux-ai/internal/child"
	"github.com/nidoit/blunux-ai/internal/helper"
	"github.com/nidoit/blunux-ai/tools/web"
)

// largePage returns a page of at least a megabyte with links, lists, tables, code and style rules.
func largePage() string {
	var b strings.Builder
	b.WriteString("<!doctype html><meta charset=utf-8><title>A large page</title><style>")
	for i := range 300 {
		fmt.Fprintf(&b, ".c%d{color:red} .box .h%d, p.h%d{display:none}", i, i, i)
	}
	b.WriteString("</style><main>")
	for i := 0; b.Len() < 1e6; i++ {
		fmt.Fprintf(&b, `<div class="box"><h2>Chapter %d</h2><p class="c%d">Some <b>text</b> with <a href="/wiki/Page_%d">a link</a> and <code>pacman -S x</code>. 한국어 문장도 있어요.</p>
<ul><li>one</li><li>two <em>more</em></li></ul><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table><p class="h%d">hidden</p><pre>line
  line</pre></div>`, i, i%300, i, i%300)
	}
	b.WriteString("</main>")
	return b.String()
}

// BenchmarkWebPage measures a page of 1 MB: the program that makes the requests and turns it into text, against a
// request that only reads it. The memory is that program's, at its most and at rest.
func BenchmarkWebPage(b *testing.B) {
	page := largePage()
	address, stop, err := serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, page) }))
	check(b, err)
	b.Cleanup(stop)
	pid := 0
	program := web.NewProgram(func(stderr io.Writer) (helper.Process, error) {
		c, err := child.New(child.Start{File: filepath.Join(binaries, "blunux-ai-extra"), Args: []string{"web", "{}"}, Dir: "/", Errors: stderr})
		if err != nil {
			return helper.Process{}, err
		}
		pid = c.PID
		return helper.Process{Stdin: c.Stdin, Stdout: c.Stdout, Done: c.Done(), Exit: c.Exit, Kill: c.Kill}, nil
	}, func(line string) { b.Log(line) }, "bench")
	b.Cleanup(program.Close)
	w := web.New(program, web.Settings{LAN: []string{strings.TrimPrefix(address, "http://")}, Timeout: time.Minute, Now: time.Now})
	var ours, bare []time.Duration
	for i := range pairs + 1 {
		start := time.Now()
		a, err := w.Fetch(b.Context(), web.Request{Method: http.MethodGet, URL: address + "/"})
		took := time.Since(start)
		check(b, err)
		if a.Title != "A large page" || !strings.Contains(a.Text, "| 1 | 2 |") || strings.Contains(a.Text, "hidden") {
			b.Fatalf("not the page: %.200q", a.Text)
		}
		start = time.Now()
		res, err := http.Get(address)
		check(b, err)
		_, err = io.Copy(io.Discard, res.Body)
		check(b, err)
		res.Body.Close()
		if i > 0 { // the first one starts the program
			ours, bare = append(ours, took), append(bare, time.Since(start))
		}
	}
	ratios(b, "web-page", ours, bare)
	most := peakMemory(b, pid)
	b.ReportMetric(most, "peak-MB")
	report.add("memory of web requests, at most", "%.1f MiB", most, 0, 0)
	rest := smaps(b, pid)["Rss"]
	b.ReportMetric(rest, "RSS-MB")
	report.add("memory of web requests, after them", "%.1f MiB", rest, 0, 0)
}

// peakMemory returns the most that a process had resident, in MiB (proc_pid_status(5)).
func peakMemory(b testing.TB, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	check(b, err)
	_, rest, _ := strings.Cut(string(text), "\nVmHWM:")
	kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	check(b, err)
	return kb / 1024
}
