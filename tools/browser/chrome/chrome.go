// Package chrome drives Chromium for package browser, in its own program (cmd/blunux-ai-browser).
//
// Each conversation has its own browser with a profile that is thrown away. The browser runs in its own sandbox, in a
// network namespace where only the guarded proxy (tools/web/proxy) can be reached, and is driven over a pipe: there is no
// DevTools port. What it downloads is refused, dialogs are dismissed, and new windows are closed.
package chrome

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/tools/browser"
	"github.com/nidoit/blunux-ai/tools/web"
	"github.com/nidoit/blunux-ai/tools/web/guard"
)

// maxWindows bounds the browsers that run at a time. The one that was not used for longest is closed for a new one.
const maxWindows = 3

// Options configures a [Chrome].
type Options struct {
	// Dial connects the proxy with a host, which may be one of this computer or its network if near is set.
	Dial func(ctx context.Context, network, address string, near bool) (net.Conn, error)
	// Find returns the path of the browser; nil for the first that is installed.
	Find func() (string, error)
	// Dir is where profiles are made, "" for the directory of temporary files.
	Dir string
}

// Chrome has the browsers of the conversations. It is safe for concurrent use.
type Chrome struct {
	o    Options
	find func() (string, error)

	mu   sync.Mutex
	tabs map[string]*tab // by conversation
}

// tab is the place of a conversation's browser.
type tab struct {
	mu   sync.Mutex // held during a request
	w    *window    // nil if none is open
	used time.Time  // guarded by Chrome.mu
}

// New returns a Chrome without browsers. The caller closes it.
func New(o Options) *Chrome {
	c := &Chrome{o: o, find: o.Find, tabs: map[string]*tab{}}
	if c.find == nil {
		c.find = find
	}
	return c
}

// tabOf returns the place of a conversation's browser.
func (c *Chrome) tabOf(r browser.Request) *tab {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tabs[r.Conversation]
	if t == nil {
		t = &tab{}
		c.tabs[r.Conversation] = t
	}
	t.used = time.Now()
	return t
}

// makeRoom closes the browser that was not used for longest, if there are too many.
func (c *Chrome) makeRoom(own *tab) {
	c.mu.Lock()
	var oldest *tab
	open := 0
	for _, t := range c.tabs {
		if t == own || !t.mu.TryLock() {
			open++
			continue
		}
		if t.w != nil {
			open++
			if oldest == nil || t.used.Before(oldest.used) {
				oldest = t
			}
		}
		t.mu.Unlock()
	}
	c.mu.Unlock()
	if open > maxWindows && oldest != nil {
		oldest.mu.Lock()
		oldest.close()
		oldest.mu.Unlock()
	}
}

// close ends the browser.
func (t *tab) close() {
	if t.w != nil {
		t.w.end()
		_ = os.RemoveAll(t.w.profile)
		t.w = nil
	}
}

// Close ends all browsers.
func (c *Chrome) Close() {
	c.mu.Lock()
	all := c.tabs
	c.tabs = map[string]*tab{}
	c.mu.Unlock()
	var ending sync.WaitGroup
	for _, t := range all {
		ending.Go(func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.close()
		})
	}
	ending.Wait()
}

// Look describes an element of a conversation's page.
func (c *Chrome) Look(ctx context.Context, r browser.Request) (browser.Target, error) {
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	t := c.tabOf(r)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.checkOpen(); err != nil {
		return browser.Target{}, err
	}
	return t.w.look(ctx, r.Ref)
}

// checkOpen returns nil if the browser runs. One that has ended is cleared away, and the error says so once.
func (t *tab) checkOpen() error {
	switch {
	case t.w == nil:
		return browser.Fail(browser.CodeNoPage, "no page is open in this conversation; open one first")
	case t.w.hasEnded():
		t.close()
		return browser.Fail(browser.CodeEnded, endedByItself)
	}
	return nil
}

const endedByItself = "the browser ended by itself; open the page again"

// Do does what is requested and returns the page after it.
func (c *Chrome) Do(ctx context.Context, r browser.Request) (browser.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	t := c.tabOf(r)
	t.mu.Lock()
	defer t.mu.Unlock()
	err := t.checkOpen()
	switch {
	case r.Do == browser.Close:
		t.close()
		return browser.Answer{}, nil
	case r.Do == browser.Open && err != nil:
		err = c.start(t, false)
	}
	if err != nil {
		return browser.Answer{}, err
	}
	if err := c.act(ctx, t, r); err != nil {
		return browser.Answer{}, t.failed(ctx, err)
	}
	a, err := t.w.answer(ctx, r.Do == browser.Screenshot)
	if err != nil {
		return browser.Answer{}, t.failed(ctx, err)
	}
	return a, nil
}

// failed returns why a request failed. A browser that does not answer is ended.
func (t *tab) failed(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.close()
		return browser.Fail(browser.CodeEnded, "the browser did not answer in time and was ended; open the page again")
	}
	if t.w.hasEnded() {
		t.close()
		return browser.Fail(browser.CodeEnded, endedByItself)
	}
	return err
}

// start starts the browser of a conversation.
func (c *Chrome) start(t *tab, visible bool) error {
	if os.Getuid() == 0 {
		return browser.Fail(browser.CodeRoot, "the browser does not run as root: its own sandbox needs an ordinary user")
	}
	c.makeRoom(t)
	profile, err := c.makeProfile()
	if err != nil {
		return err
	}
	if t.w, err = c.open(profile, visible); err != nil {
		_ = os.RemoveAll(profile)
	}
	return err
}

// act does what a request asks for.
func (c *Chrome) act(ctx context.Context, t *tab, r browser.Request) error {
	w := t.w
	switch r.Do {
	case browser.Open:
		w.permit(r.URL, r.LAN)
		return w.explain(r.URL, w.navigate(ctx, r.URL))
	case browser.Snapshot, browser.Screenshot:
		return nil
	case browser.Scroll:
		return w.scroll(ctx, r.Up)
	case browser.Show:
		return c.show(ctx, t)
	case browser.Click, browser.Type:
		return w.use(ctx, r)
	}
	return browser.Fail(browser.CodeRef, "there is no action "+r.Do)
}

// use clicks on an element or types into it, and lets the page react.
func (w *window) use(ctx context.Context, r browser.Request) error {
	t, err := w.check(ctx, r.Ref, r.Expect)
	if err != nil {
		return err
	}
	w.sent = w.sent || r.Sends || t.Submits
	if r.Do == browser.Click && t.Link != "" { // by its address, which was shown: no script of the page runs instead
		w.permit(t.Link, r.LAN)
		return w.explain(t.Link, w.navigate(ctx, t.Link))
	}
	if r.Do == browser.Type {
		if t.Password {
			return browser.Fail(browser.CodeNoText, "passwords are never typed; show the window to the person")
		}
		err = w.enter(ctx, r.Ref, r.Text, r.Submit)
	} else {
		err = w.click(ctx, r.Ref)
	}
	if err != nil {
		return err
	}
	if err := w.settle(ctx); err != nil {
		return err
	}
	return w.closeOthers(ctx, r.Do == browser.Click)
}

// show gives the page a window on the person's screen. The browser starts again with the same profile.
func (c *Chrome) show(ctx context.Context, t *tab) error {
	if t.w.visible {
		return nil
	}
	if !hasDisplay() {
		return browser.Fail(browser.CodeDisplay, "there is no screen to show the window on")
	}
	address, _, err := t.w.location(ctx)
	if err != nil {
		return err
	}
	profile, sent, near := t.w.profile, t.w.sent, t.w.nearNow()
	t.w.end()
	if t.w, err = c.open(profile, true); err != nil {
		_ = os.RemoveAll(profile)
		return err
	}
	t.w.sent, t.w.shown, t.w.near = sent, true, near
	return t.w.navigate(ctx, address)
}

// answer returns the page as it is now.
func (w *window) answer(ctx context.Context, picture bool) (a browser.Answer, err error) {
	if a.URL, a.Title, err = w.location(ctx); err != nil {
		return a, err
	}
	if picture {
		a.Picture, err = w.picture(ctx)
	} else {
		a.Text, a.Cut, err = w.snapshot(ctx)
	}
	a.Notes = w.takeNotes()
	return a, err
}

// explain returns why a page did not open.
func (w *window) explain(address string, err error) error {
	if err == nil || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	host := ""
	if u, err := url.Parse(address); err == nil {
		host = u.Hostname()
	}
	var unknown *net.DNSError
	why := w.proxy.Failure(host)
	switch text := err.Error(); {
	case errors.Is(why, guard.ErrForbidden), errors.Is(why, guard.ErrPort):
		return browser.Fail(web.CodeForbidden, host+" is not opened: "+rootOf(why).Error())
	case errors.As(why, &unknown):
		return browser.Fail(web.CodeName, "there is no host "+host+", or no name server that knows it")
	case strings.Contains(text, "ERR_CERT_"):
		return browser.Fail(web.CodeCertificate, "the certificate of "+host+" cannot be verified, so who answers is not known ("+codeOf(text)+")")
	case strings.Contains(text, "ERR_ABORTED"):
		return browser.Fail(web.CodeNotText, "the address is a file to download, not a page")
	case strings.Contains(text, "ERR_"):
		return browser.Fail(web.CodeUnreachable, host+" cannot be reached ("+codeOf(text)+")")
	}
	return err
}

// codeOf returns Chromium's code of an error.
func codeOf(text string) string {
	code := text[strings.Index(text, "ERR_"):]
	if end := strings.IndexFunc(code, func(r rune) bool { return r != '_' && (r < 'A' || r > 'Z') && (r < '0' || r > '9') }); end > 0 {
		code = code[:end]
	}
	return code
}

// rootOf returns the guard's own error.
func rootOf(err error) error {
	for _, own := range []error{guard.ErrForbidden, guard.ErrPort} {
		if errors.Is(err, own) {
			return own
		}
	}
	return err
}
