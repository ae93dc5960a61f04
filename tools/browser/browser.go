// Package browser is the daemon's side of the browser: what a conversation can ask of its page, and the program that
// drives Chromium (tools/browser/chrome), which is started on demand and ends when no one has used it for a while. The
// daemon itself links none of it.
package browser

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/helper"
	"github.com/nidoit/blunux-ai/internal/peer"
	"github.com/nidoit/blunux-ai/internal/picture"
	"github.com/nidoit/blunux-ai/tools/web"
)

// The methods of the program: [MethodDo] with [Request] -> [Answer], and [MethodLook] with [Request] -> [Target].
const (
	MethodDo   = "do"
	MethodLook = "look"
)

// What can be done with a page.
const (
	Open       = "open"
	Snapshot   = "snapshot"
	Screenshot = "screenshot"
	Click      = "click"
	Type       = "type"
	Scroll     = "scroll"
	Show       = "show" // hand the window to the person
	Close      = "close"
)

// The codes of requests that failed, besides those of package web.
const (
	CodeMissing = "no-browser" // no program is installed
	CodeRoot    = "root"       // Chromium does not run as root in its sandbox
	CodeStart   = "not-started"
	CodeEnded   = "browser-ended"
	CodeNoPage  = "no-page" // nothing is open in the conversation
	CodeRef     = "no-such-element"
	CodeChanged = "page-changed" // the element is not the one that was shown
	CodeCovered = "covered"      // another element is on top of it
	CodeNoText  = "takes-no-text"
	CodeDisplay = "no-display"
)

// Bounds of what a page can make of an answer, in bytes.
const (
	MaxText    = 256 << 10
	MaxPicture = picture.MaxSize
	maxLine    = 2*MaxPicture + 6*MaxText
)

// Request asks for something to be done with the page of a conversation.
type Request struct {
	Conversation string `json:"conversation"`
	Do           string `json:"do"`
	URL          string `json:"url,omitempty"` // for open, as web.Parse writes it
	Ref          string `json:"ref,omitempty"` // an element of the last snapshot
	Text         string `json:"text,omitempty"`
	Submit       bool   `json:"submit,omitempty"` // press Enter after the text
	Up           bool   `json:"up,omitempty"`     // scroll up
	// Expect is the digest of the element that was shown. Nothing is done to another one.
	Expect string `json:"expect,omitempty"`
	// Sends marks what gives the page something that is not the person's own words: later clicks are asked about.
	Sends bool `json:"sends,omitempty"`
	// LAN are the hosts that may have an address of this computer or its network.
	LAN     []string      `json:"lan,omitempty"`
	Timeout time.Duration `json:"timeout"`
}

// Answer is the page after a request.
type Answer struct {
	URL   string `json:"url,omitempty"`
	Title string `json:"title,omitempty"`
	// Text is the page as assistive technology reads it, with references to the elements that can be used.
	Text string `json:"text,omitempty"`
	Cut  bool   `json:"cut,omitempty"`
	// Notes say what the browser refused or answered by itself: dialogs, new windows, a page that still loads.
	Notes   []string `json:"notes,omitempty"`
	Picture []byte   `json:"picture,omitempty"` // PNG or JPEG, at most [MaxPicture]
}

// Target is an element as a person must see it before it is used.
type Target struct {
	Page string `json:"page"` // its URL
	Role string `json:"role"`
	Name string `json:"name,omitempty"`
	// Link is the whole address of a plain link, "" for anything else.
	Link string `json:"link,omitempty"`
	// TakesText and Password describe fields. Secret ones, such as those of payment cards, count as passwords.
	TakesText bool `json:"takes_text,omitempty"`
	Password  bool `json:"password,omitempty"`
	// Submits reports that using the element sends Form.
	Submits bool  `json:"submits,omitempty"`
	Form    *Form `json:"form,omitempty"`
	// Sent reports that the page got something that is not the person's own words, and Shown that the person used
	// the window: they may be logged in.
	Sent  bool `json:"sent,omitempty"`
	Shown bool `json:"shown,omitempty"`
}

// Form is what a form sends, and where to.
type Form struct {
	Method string  `json:"method"`
	Action string  `json:"action"` // its whole address
	Fields []Field `json:"fields,omitempty"`
	Hidden int     `json:"hidden,omitempty"` // how many fields the page fills in unseen
}

// Field is one field of a form.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Digest identifies the element and what it does.
func (t Target) Digest() string {
	data, err := json.Marshal(t)
	if err != nil { // there are only texts and numbers
		panic(err)
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Settings are the person's settings for the browser.
type Settings struct {
	Allow   []string      // hosts that are reached unasked; *.NAME means all below NAME
	LAN     []string      // hosts of this computer or its network that may be reached
	Timeout time.Duration // of one request
	Idle    time.Duration // how long the browser stays without requests
	// Pictures is the directory for pictures of pages.
	Pictures string
}

// Program is the program that drives the browser, which the first request starts. It is safe for concurrent use.
type Program struct{ helper *helper.Program }

// Idle is how long the browser stays without requests, unless the settings say otherwise.
const Idle = 5 * time.Minute

// NewProgram returns the program. log receives what it writes to its standard error. The caller closes it.
func NewProgram(launch func(stderr io.Writer) (helper.Process, error), log func(line string)) *Program {
	return &Program{helper.New(helper.Options{
		Launch: launch, Log: log, Idle: Idle, ExitTimeout: exitTimeout, Peer: peer.Options{MaxLine: maxLine},
	})}
}

// exitTimeout is how long the browser may take to end.
const exitTimeout = 10 * time.Second

// Close ends the program, and with it the browser.
func (p *Program) Close() { p.helper.Close() }

// Browser uses the pages of conversations as the settings permit it.
type Browser struct {
	Settings
	program *Program
}

// New returns the browser.
func New(program *Program, s Settings) *Browser {
	program.helper.SetIdle(cmp.Or(s.Idle, Idle))
	return &Browser{s, program}
}

// AllowsHost reports whether the settings let a host be reached unasked.
func (b *Browser) AllowsHost(host string) bool { return web.Covers(b.Allow, host) }

// IsNear reports whether a host is one of this computer or its network, where a click can change a device.
func (b *Browser) IsNear(host string) bool {
	return web.Covers(b.LAN, host) || slices.ContainsFunc(b.LAN, func(name string) bool { return strings.HasPrefix(name, host+":") })
}

// Do does what is requested. A failed request is a [*peer.Error] with a code. The program is not started to close a page
// or to look at one that cannot be there.
func (b *Browser) Do(ctx context.Context, r Request) (a Answer, err error) {
	r.LAN, r.Timeout = b.LAN, b.Timeout
	ctx, cancel := context.WithTimeout(ctx, b.Timeout+grace)
	defer cancel()
	if r.Do == Open {
		return a, b.explain(b.program.helper.Call(ctx, MethodDo, r, &a))
	}
	ran, err := b.program.helper.CallRunning(ctx, MethodDo, r, &a)
	if err == nil && !ran && r.Do != Close {
		err = Fail(CodeNoPage, noPage)
	}
	return a, b.explain(err)
}

// Look describes an element of the page of a conversation, or the page if ref is "".
func (b *Browser) Look(ctx context.Context, conversation, ref string) (t Target, err error) {
	ctx, cancel := context.WithTimeout(ctx, b.Timeout+grace)
	defer cancel()
	ran, err := b.program.helper.CallRunning(ctx, MethodLook, Request{Conversation: conversation, Ref: ref, Timeout: b.Timeout}, &t)
	if err == nil && !ran {
		err = Fail(CodeNoPage, noPage)
	}
	return t, b.explain(err)
}

// grace is how much later than its program a request gives up.
const grace = 20 * time.Second

const noPage = "no page is open in this conversation; open one first"

// explain gives the end of the program a code.
func (b *Browser) explain(err error) error {
	switch {
	case errors.Is(err, helper.ErrEnded), errors.Is(err, helper.ErrCrashes):
		return Fail(CodeEnded, "the browser ended: "+err.Error()+". Open the page again")
	case errors.Is(err, context.DeadlineExceeded):
		return Fail(CodeEnded, "the browser did not answer in time")
	}
	return err
}

// Serve answers requests from r on w, until r ends.
func Serve(r io.Reader, w io.Writer, do func(context.Context, Request) (Answer, error), look func(context.Context, Request) (Target, error)) {
	peer.New(r, w, peer.Options{
		MaxLine: maxLine,
		Handle: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
			var q Request
			if err := json.Unmarshal(params, &q); err != nil {
				return nil, err
			}
			switch method {
			case MethodDo:
				return do(ctx, q)
			case MethodLook:
				return look(ctx, q)
			}
			return nil, peer.UnknownMethod(method)
		},
	}).Wait()
}

// Fail returns an error with a code.
func Fail(code, message string) error { return &peer.Error{Code: code, Message: message} }
