package chrome

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	devtools "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/tools/browser"
	"github.com/nidoit/blunux-ai/tools/web"
	"github.com/nidoit/blunux-ai/tools/web/proxy"
)

// window is the browser of one conversation: its own process with a profile that is thrown away.
type window struct {
	ctx     context.Context // chromedp's; it ends with the browser
	stop    func()          // ends the browser
	end     func()          // ends the browser and waits for everything
	proxy   *proxy.Proxy
	profile string
	visible bool

	sent, shown bool
	refs        map[string]element
	loads       activity

	mu    sync.Mutex
	notes []string // what the browser answered by itself since the last answer
	// near is the host and port of this computer or its network that the page may reach: its own, so that a page of the
	// internet sends nothing to a device.
	near string
}

// permit lets the page that is about to be opened reach its own host, if that is near and in a list of names.
func (w *window) permit(address string, lan []string) {
	near := ""
	if u, err := url.Parse(address); err == nil {
		port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
		if at := net.JoinHostPort(u.Hostname(), port); web.CoversAddress(lan, at) {
			near = at
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.near = near
}

// nearNow returns the host and port of the network that the page may reach, or "".
func (w *window) nearNow() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.near
}

// startTimeout bounds the start of the browser.
const startTimeout = 30 * time.Second

// open starts a browser. A visible one has a window on the person's screen.
func (c *Chrome) open(profile string, visible bool) (*window, error) {
	program, err := c.find()
	if err != nil {
		return nil, err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	ours, child := os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "child")
	defer child.Close()
	var said tail
	options := append(flags(profile, visible), chromedp.ExecPath(program), chromedp.CombinedOutput(&said), chromedp.NoInheritEnv,
		chromedp.Env(environment(profile)...), chromedp.ModifyCmdFunc(func(cmd *exec.Cmd) { confine(cmd, child) }))
	w := c.newWindow(ours, options)
	w.profile, w.visible = profile, visible
	late := time.AfterFunc(startTimeout, w.stop)
	defer late.Stop()
	if err = chromedp.Do(w.ctx); err == nil {
		err = w.prepare()
	}
	if err != nil {
		w.end()
		return nil, browser.Fail(browser.CodeStart, "the browser did not start: "+said.last(err))
	}
	return w, nil
}

// newWindow returns a window whose browser the first action starts. Its proxy serves as soon as the listener comes from the
// browser's namespace.
func (c *Chrome) newWindow(from *os.File, options []chromedp.ExecAllocatorOption) *window {
	all, endAll := chromedp.NewExecAllocator(context.Background(), options...)
	silent := func(string, ...any) {}
	ctx, stop := chromedp.NewContext(all, chromedp.WithLogf(silent), chromedp.WithErrorf(silent))
	w := &window{ctx: ctx, stop: stop, refs: map[string]element{}}
	w.proxy = proxy.New(func(ctx context.Context, network, address string) (net.Conn, error) {
		return c.o.Dial(ctx, network, address, strings.EqualFold(address, w.nearNow()))
	})
	var serving sync.WaitGroup
	serving.Go(func() {
		defer from.Close()
		l, err := receiveListener(from)
		if err != nil {
			return // the browser says why it did not start
		}
		defer context.AfterFunc(ctx, func() { l.Close() })()
		w.proxy.Serve(l)
	})
	w.end = sync.OnceFunc(func() {
		stop()
		endAll()
		from.Close()
		serving.Wait()
	})
	return w
}

// prepare makes the browser refuse downloads and answer dialogs by itself.
func (w *window) prepare() error {
	err := chromedp.Listen(w.ctx, func(event any) {
		w.loads.notice(event)
		if d, ok := event.(*page.EventJavascriptDialogOpening); ok {
			w.note("the page showed a dialog, which was dismissed: " + oneLine(d.Message))
			go func() {
				_, _ = chromedp.Call(w.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{}) // gone with the page
			}()
		}
	})
	if err != nil {
		return err
	}
	_, err = chromedp.CallBrowser(w.ctx, devtools.SetDownloadBehavior, devtools.SetDownloadBehaviorParams{Behavior: devtools.SetDownloadBehaviorBehaviorDeny})
	return err
}

// maxNotes bounds what the browser says besides the page.
const maxNotes = 5

func (w *window) note(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.notes) < maxNotes && !slices.Contains(w.notes, text) {
		w.notes = append(w.notes, text)
	}
}

// takeNotes returns the notes since the last call.
func (w *window) takeNotes() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	notes := w.notes
	w.notes = nil
	return notes
}

// within runs f with a context of the browser that ends with ctx.
func (w *window) within(ctx context.Context, f func(context.Context) error) error {
	tab, cancel := context.WithCancel(w.ctx)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	err := f(tab)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && w.hasEnded():
		return browser.Fail(browser.CodeEnded, endedByItself)
	}
	return err
}

// read is [window.within] for an f that only looks, and is repeated while the page gives way to another one.
func (w *window) read(ctx context.Context, f func(context.Context) error) error {
	for {
		err := w.within(ctx, f)
		if err == nil || !strings.Contains(err.Error(), "Not attached to an active page") {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(settleLook):
		}
	}
}

// hasEnded reports whether the browser has ended, or is ending.
func (w *window) hasEnded() bool {
	select {
	case <-chromedp.FromContext(w.ctx).Browser.LostConnection:
		return true
	default:
		return w.ctx.Err() != nil
	}
}

// navigate opens an address. That the page is not complete in time is no error.
func (w *window) navigate(ctx context.Context, address string) error {
	err := w.within(ctx, func(tab context.Context) error {
		loading, cancel := context.WithTimeout(tab, loadTimeout)
		defer cancel()
		err := chromedp.Do(loading, chromedp.Navigate(address))
		if errors.Is(err, context.DeadlineExceeded) && tab.Err() == nil {
			w.note("the page was still loading")
			return nil
		}
		return err
	})
	w.refs = map[string]element{}
	return err
}

// loadTimeout is how long a page gets to load.
const loadTimeout = 20 * time.Second

// settle waits until the page has reacted to an input. It may go on by itself after that.
func (w *window) settle(ctx context.Context) error {
	return w.within(ctx, func(tab context.Context) error {
		if !w.loads.await(tab) && tab.Err() == nil {
			w.note("the page was still busy")
		}
		return nil
	})
}

// closeOthers closes the windows that the page opened, and goes to the address of the last one if a click asked for it.
func (w *window) closeOthers(ctx context.Context, follow bool) error {
	return w.within(ctx, func(tab context.Context) error {
		infos, err := chromedp.Targets(tab)
		if err != nil {
			return err
		}
		own := chromedp.FromContext(w.ctx).Target.TargetID
		next := ""
		for _, info := range infos {
			if info.Type != "page" || info.TargetID == own {
				continue
			}
			if u, err := url.Parse(info.URL); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
				next = info.URL
			}
			if _, err := chromedp.CallBrowser(tab, target.CloseTarget, target.CloseTargetParams{TargetID: info.TargetID}); err != nil {
				return err
			}
		}
		switch {
		case next == "":
			return nil
		case !follow:
			w.note("the page opened a new window, which was closed: " + oneLine(next))
			return nil
		}
		return chromedp.Do(tab, chromedp.Navigate(next))
	})
}

// location returns the address and the title of the page.
func (w *window) location(ctx context.Context) (address, title string, err error) {
	err = w.read(ctx, func(tab context.Context) error {
		h, err := chromedp.Call(tab, page.GetNavigationHistory, cdpEmpty{})
		if err != nil || h.CurrentIndex < 0 || int(h.CurrentIndex) >= len(h.Entries) {
			return err
		}
		e := h.Entries[h.CurrentIndex]
		address, title = e.URL, oneLine(e.Title)
		return nil
	})
	return address, title, err
}

// tail keeps the end of what the browser writes to its standard error.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if extra := len(t.text) - 4<<10; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

// last returns the line that says why the browser ended, the last one if none does, or the error.
func (t *tail) last(err error) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	why := ""
	for line := range strings.Lines(string(t.text)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.Contains(line, ":FATAL:"):
			return oneLine(line)
		case line != "" && !strings.Contains(line, ":ERROR:dbus/"):
			why = line
		}
	}
	return oneLine(cmp.Or(why, err.Error()))
}
