package chrome

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/nidoit/blunux-ai/tools/browser"
)

// look describes an element of the last snapshot, or without one the page.
func (w *window) look(ctx context.Context, ref string) (t browser.Target, err error) {
	e, ok := w.refs[ref]
	if !ok && ref != "" {
		return t, browser.Fail(browser.CodeRef, fmt.Sprintf("there is no element %q on the page; take a snapshot", ref))
	}
	address, _, err := w.location(ctx)
	if err != nil {
		return t, err
	}
	if ok {
		err = w.read(ctx, func(tab context.Context) error { return call(tab, e, describeScript, &t) })
	}
	if err != nil {
		return t, w.missing(ctx, ref, err)
	}
	t.Page, t.Role, t.Name, t.Sent, t.Shown = address, e.role, e.name, w.sent, w.shown
	return t, nil
}

// missing returns why an element cannot be used any more.
func (w *window) missing(ctx context.Context, ref string, err error) error {
	if ctx.Err() != nil || w.hasEnded() {
		return err
	}
	return browser.Fail(browser.CodeRef, fmt.Sprintf("the element %q is no longer on the page; take a snapshot", ref))
}

// call calls a function on an element, with other nodes as arguments, in a world of our own, whose objects the page's
// scripts cannot change.
func call(ctx context.Context, e element, script string, result any, others ...cdp.BackendNodeID) error {
	world, err := chromedp.Call(ctx, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: e.frame, WorldName: "blunux-ai"})
	if err != nil {
		return err
	}
	var nodes []runtime.RemoteObjectID
	for _, n := range append([]cdp.BackendNodeID{e.node}, others...) {
		node, err := chromedp.Call(ctx, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: n, ExecutionContextID: world.ExecutionContextID, ObjectGroup: objects})
		if err != nil {
			return err
		}
		nodes = append(nodes, node.Object.ObjectID)
	}
	yes := true
	p := runtime.CallFunctionOnParams{FunctionDeclaration: script, ObjectID: nodes[0], ReturnByValue: &yes, Silent: &yes}
	for _, n := range nodes[1:] {
		p.Arguments = append(p.Arguments, &runtime.CallArgument{ObjectID: n})
	}
	got, err := chromedp.Call(ctx, runtime.CallFunctionOn, p)
	// The page's end releases them at the latest.
	_, _ = chromedp.Call(ctx, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: objects})
	switch {
	case err != nil:
		return err
	case got.ExceptionDetails != nil || got.Result == nil:
		return errors.New("the element cannot be read")
	}
	return json.Unmarshal(got.Result.Value, result)
}

// objects names the objects that the browser keeps for us.
const objects = "blunux-ai"

// describeScript describes an element. The values of fields that hold secrets are not read.
const describeScript = `function() {
	const e = this.nodeType === 1 ? this : this.parentElement;
	if (!e || !e.isConnected) throw new Error('gone');
	const text = s => String(s ?? '').replace(/\s+/g, ' ').trim().slice(0, 300);
	const type = f => String(f.type ?? '').toLowerCase();
	const secret = f => type(f) === 'password' || /password|one-time-code|cc-|transaction/.test(String(f.autocomplete ?? '').toLowerCase());
	const web = u => /^https?:/.test(u) ? u : '';
	const link = e.closest('a[href]');
	const control = e.closest('button,input,select,textarea');
	const form = control ? control.form : e.closest('form');
	const here = document.location.href.split('#')[0];
	let to = link && !e.closest('button') ? web(link.href) : '';
	if (to.split('#')[0] === here) to = '';
	const submits = !!form && (!control || ['submit', 'image'].includes(type(control)));
	const texts = ['text', 'search', 'email', 'url', 'tel', 'number', 'password', 'date', 'time', 'month', 'week', 'datetime-local', 'color', 'range', 'select-one', 'textarea', ''];
	const out = {
		link: to, submits: submits && !to,
		takes_text: e.isContentEditable || (!!control && control === e && control.tagName !== 'BUTTON' && texts.includes(type(control))),
		password: !!control && secret(control),
	};
	if (form) {
		const fields = [...form.elements].filter(f => f.tagName !== 'BUTTON' && f.tagName !== 'FIELDSET' && !['submit', 'image', 'reset', 'button'].includes(type(f)));
		const seen = fields.filter(f => type(f) !== 'hidden');
		const value = f => secret(f) ? (f.value ? '•••' : '') : type(f) === 'file' ? (f.files.length ? f.files.length + ' files' : '') :
			['checkbox', 'radio'].includes(type(f)) ? (f.checked ? '✓ ' + text(f.value) : '') :
			f.tagName === 'SELECT' ? text([...f.selectedOptions].map(o => o.label).join(', ')) : text(f.value);
		const label = f => text(f.labels && f.labels.length ? f.labels[0].innerText : f.getAttribute('aria-label') || f.placeholder || f.name || f.id);
		const sender = control && submits ? control : null;
		out.form = {
			method: String((sender && sender.getAttribute('formmethod')) || form.getAttribute('method') || 'get').toUpperCase().slice(0, 10),
			action: String((sender && sender.hasAttribute('formaction') ? sender.formAction : new URL(form.getAttribute('action') ?? '', document.baseURI).href)).slice(0, 2000),
			fields: seen.slice(0, 40).map(f => ({name: label(f), value: value(f)})), hidden: fields.length - Math.min(seen.length, 40),
		};
	}
	return out;
}`

// check returns an error unless the element is still the one that was shown.
func (w *window) check(ctx context.Context, ref, expect string) (browser.Target, error) {
	t, err := w.look(ctx, ref)
	if err == nil && expect != "" && t.Digest() != expect {
		err = browser.Fail(browser.CodeChanged, "the page has changed: the element is not the one that was shown; take a snapshot")
	}
	return t, err
}

// click presses the left button on the middle of an element, as a person does.
func (w *window) click(ctx context.Context, ref string) error {
	e := w.refs[ref]
	return w.within(ctx, func(tab context.Context) error {
		if _, err := chromedp.Call(tab, dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{BackendNodeID: e.node}); err != nil {
			return w.missing(ctx, ref, err)
		}
		x, y, err := middle(tab, e.node)
		if err != nil {
			return err
		}
		if err := checkOnTop(tab, e, x, y); err != nil {
			return err
		}
		for _, event := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
			p := input.DispatchMouseEventParams{Type: event, X: x, Y: y}
			if event != input.DispatchMouseEventTypeMouseMoved {
				p.Button, p.ClickCount = input.MouseButtonLeft, 1
			}
			if _, err := chromedp.Call(tab, input.DispatchMouseEvent, p); err != nil {
				return err
			}
		}
		return nil
	})
}

// middle returns the middle of an element in the window.
func middle(ctx context.Context, node cdp.BackendNodeID) (x, y float64, err error) {
	got, err := chromedp.Call(ctx, dom.GetContentQuads, dom.GetContentQuadsParams{BackendNodeID: node})
	if err != nil || len(got.Quads) == 0 || len(got.Quads[0]) != 8 {
		return 0, 0, browser.Fail(browser.CodeCovered, "the element has no place on the page; it may be hidden")
	}
	q := got.Quads[0]
	for i := 0; i < 8; i += 2 {
		x += q[i] / 4
		y += q[i+1] / 4
	}
	return x, y, nil
}

// checkOnTop returns an error if a click at a place would reach another element than the one that was shown.
func checkOnTop(ctx context.Context, e element, x, y float64) error {
	top, err := chromedp.Call(ctx, dom.GetNodeForLocation, dom.GetNodeForLocationParams{X: int64(x), Y: int64(y)})
	if err != nil {
		return browser.Fail(browser.CodeCovered, "the element is not in view")
	}
	if top.BackendNodeID == e.node {
		return nil
	}
	var inside bool
	if err := call(ctx, e, insideScript, &inside, top.BackendNodeID); err != nil || !inside {
		return browser.Fail(browser.CodeCovered, "another element is on top of it, so a click would not reach it")
	}
	return nil
}

// insideScript reports whether a click on the argument is one on the element: it is inside it, or its label.
const insideScript = `function(top) {
	const labels = this.labels ? [...this.labels] : [];
	for (let n = top; n; n = n.parentNode || n.host) if (n === this || labels.includes(n)) return true;
	for (let n = this; n; n = n.parentNode || n.host) if (n === top && getComputedStyle(top).display === 'inline') return true;
	return false;
}`

// enter replaces the text of a field, or chooses an entry of a list. submit presses Enter then.
func (w *window) enter(ctx context.Context, ref, text string, submit bool) error {
	e := w.refs[ref]
	return w.within(ctx, func(tab context.Context) error {
		var how string
		quoted, err := json.Marshal(text)
		if err != nil {
			return err
		}
		if err := call(tab, e, fmt.Sprintf(prepareScript, quoted), &how); err != nil {
			return w.missing(ctx, ref, err)
		}
		switch how {
		case "typed":
			if _, err := chromedp.Call(tab, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
				return err
			}
		case "set":
		default:
			return browser.Fail(browser.CodeNoText, how)
		}
		if !submit {
			return nil
		}
		return chromedp.Do(tab, chromedp.KeyEvent("\r"))
	})
}

// prepareScript selects the text of a field, so that typing replaces it, or sets the value of a field without text.
const prepareScript = `function() {
	const text = %s, type = String(this.type ?? '').toLowerCase();
	const changed = () => { for (const n of ['input', 'change']) this.dispatchEvent(new Event(n, {bubbles: true})); };
	if (this.disabled || this.readOnly) return 'the field cannot be changed';
	if (this.tagName === 'SELECT') {
		const o = [...this.options].find(o => o.label.trim() === text.trim()) ?? [...this.options].find(o => o.value === text);
		if (!o) return 'the list has no such entry; it has: ' + [...this.options].slice(0, 50).map(o => o.label.trim()).join(', ').slice(0, 1000);
		this.value = o.value; changed(); return 'set';
	}
	if (['date', 'time', 'month', 'week', 'datetime-local', 'color', 'range', 'number'].includes(type)) {
		this.value = text;
		if (this.value !== text) return 'the field does not take this value';
		changed(); return 'set';
	}
	if (typeof this.focus !== 'function') return 'the element takes no text';
	this.focus();
	if (typeof this.select === 'function') this.select();
	else if (this.isContentEditable) { const r = document.createRange(); r.selectNodeContents(this); const s = getSelection(); s.removeAllRanges(); s.addRange(r); }
	else return 'the element takes no text';
	return 'typed';
}`

// scroll scrolls the page by most of its height.
func (w *window) scroll(ctx context.Context, up bool) error {
	sign := "1"
	if up {
		sign = "-1"
	}
	return w.within(ctx, func(tab context.Context) error {
		_, err := chromedp.Run(tab, chromedp.Evaluate[bool]("window.scrollBy(0, "+sign+" * innerHeight * 0.85), true"))
		return err
	})
}

// picture returns what is in the window: PNG, or JPEG if that is too large.
func (w *window) picture(ctx context.Context) (data []byte, err error) {
	err = w.read(ctx, func(tab context.Context) error {
		quality := int64(80)
		for _, p := range []page.CaptureScreenshotParams{
			{Format: page.CaptureScreenshotFormatPng}, {Format: page.CaptureScreenshotFormatJpeg, Quality: &quality},
		} {
			got, err := chromedp.Call(tab, page.CaptureScreenshot, p)
			if err != nil {
				return err
			}
			if data = got.Data; len(data) <= browser.MaxPicture {
				return nil
			}
		}
		return browser.Fail(browser.CodeCovered, "the picture of the page is too large")
	})
	return data, err
}
