// Package browsertest runs Chromium for tests of web pages.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// patience bounds a whole test with a browser.
const patience = 4 * time.Minute

// New starts a browser with one window, which ends with the test. It skips the test if Chromium is not installed. Lang is
// the browser's language.
func New(t testing.TB, lang string) context.Context {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	dir, err := os.MkdirTemp("", "browser-")
	require.NoError(t, err)
	options := append(chromedp.DefaultExecAllocatorOptions[:len(chromedp.DefaultExecAllocatorOptions):len(chromedp.DefaultExecAllocatorOptions)],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.UserDataDir(dir), chromedp.Env("HOME="+dir, "LANG=C.UTF-8"),
		chromedp.Flag("lang", lang), chromedp.Flag("accept-lang", lang), chromedp.Flag("font-render-hinting", "none"),
		chromedp.WSURLReadTimeout(time.Minute),
	)
	bounded, endAll := context.WithTimeout(context.Background(), patience)
	all, endBrowser := chromedp.NewExecAllocator(bounded, options...)
	tab, closeTab := chromedp.NewContext(all)
	t.Cleanup(func() {
		closeTab()
		endBrowser()
		if c := chromedp.FromContext(tab); c != nil && c.Allocator != nil {
			c.Allocator.Wait()
		}
		endAll()
		os.RemoveAll(dir) // as far as the browser's processes have ended
	})
	require.NoError(t, chromedp.Run(tab))
	return tab
}

// Resize gives the window a size in CSS pixels.
func Resize(t testing.TB, tab context.Context, width, height int64) {
	t.Helper()
	require.NoError(t, chromedp.Run(tab, emulation.SetDeviceMetricsOverride(width, height, 1, width < 600)))
}

// Evaluate returns the value of an expression, which may be a promise.
func Evaluate[T any](t testing.TB, tab context.Context, expression string) (value T) {
	t.Helper()
	require.NoError(t, chromedp.Run(tab, chromedp.Evaluate(expression, &value, chromedp.EvalWithAwait)), "%s", expression)
	return value
}

// Await waits until an expression is true.
func Await(t testing.TB, tab context.Context, expression string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(tab, time.Minute)
	defer cancel()
	err := chromedp.Run(ctx, chromedp.Poll(expression, nil, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(0)))
	if err != nil {
		var shown string
		_ = chromedp.Run(tab, chromedp.Evaluate(`document.body?.innerText ?? ""`, &shown))
		require.NoError(t, err, "%s\n%s", expression, shown)
	}
}

// Screenshot returns a picture of the whole page as PNG.
func Screenshot(t testing.TB, tab context.Context) (png []byte) {
	t.Helper()
	require.NoError(t, chromedp.Run(tab, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		png, err = page.CaptureScreenshot().WithFormat(page.CaptureScreenshotFormatPng).WithOptimizeForSpeed(false).Do(ctx)
		return err
	})))
	return png
}
