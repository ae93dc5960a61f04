// Package browsertest runs Chromium for tests of web pages.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// patience bounds a whole test with a browser.
const patience = 4 * time.Minute

// Tab is a browser window. Its methods fail the test.
type Tab struct {
	t   testing.TB
	ctx context.Context
}

// New starts a browser, which ends with the test. It skips the test if Chromium is not installed. Lang is the browser's
// language.
func New(t testing.TB, lang string) *Tab {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	dir, err := os.MkdirTemp("", "browser-")
	require.NoError(t, err)
	bounded, endAll := context.WithTimeout(context.Background(), patience)
	all, endBrowser := chromedp.NewExecAllocator(bounded,
		chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.ExecPath(program), chromedp.UserDataDir(dir), chromedp.Env("HOME="+dir, "LANG=C.UTF-8"),
		chromedp.Flag("lang", lang), chromedp.Flag("accept-lang", lang), chromedp.Flag("hide-scrollbars", true),
	)
	ctx, closeTab := chromedp.NewContext(all)
	t.Cleanup(func() {
		closeTab()
		endBrowser()
		if c := chromedp.FromContext(ctx); c != nil && c.Allocator != nil {
			c.Allocator.Wait()
		}
		endAll()
		os.RemoveAll(dir) // as far as the browser's processes have ended
	})
	require.NoError(t, chromedp.Do(ctx))
	return &Tab{t, ctx}
}

// Run runs actions.
func (b *Tab) Run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, actions...))
}

// Open opens an address.
func (b *Tab) Open(url string) {
	b.t.Helper()
	b.Run(chromedp.Navigate(url))
}

// Do runs a script.
func (b *Tab) Do(script string) {
	b.t.Helper()
	b.Run(chromedp.Evaluate[chromedp.Void](script))
}

// Resize gives the window a size in CSS pixels.
func (b *Tab) Resize(width, height int64) {
	b.t.Helper()
	Send(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 600,
	})
}

// Await waits until an expression is true, also if the page is loaded again meanwhile.
func (b *Tab) Await(expression string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	for {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("(() => { try { return !!("+expression+"); } catch { return false; } })()"))
		if ok && err == nil {
			return
		}
		if ctx.Err() != nil {
			shown, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.body?.innerText ?? ""`))
			require.Fail(b.t, "not in time: "+expression, shown)
		}
		time.Sleep(20 * time.Millisecond) // between two looks
	}
}

// Screenshot returns a picture of what the window shows, as PNG.
func (b *Tab) Screenshot() (png []byte) {
	b.t.Helper()
	return Send(b, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng}).Data
}

// Evaluate returns the value of an expression.
func Evaluate[T any](b *Tab, expression string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	require.NoError(b.t, err, "%s", expression)
	return value
}

// Send sends a command of the browser's protocol.
func Send[P, R any](b *Tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	result, err := chromedp.Call(b.ctx, command, params)
	require.NoError(b.t, err)
	return result
}
