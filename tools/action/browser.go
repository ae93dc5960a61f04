package action

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/browser"
	"github.com/nidoit/blunux-ai/tools/web"
)

// The reasons to confirm what is done with a page.
const (
	// ReasonWebForm is the reason to confirm that a form is sent.
	ReasonWebForm = "web-form"
	// ReasonWebType is the reason to confirm that a page gets something that the person did not write.
	ReasonWebType = "web-type"
	// ReasonWebClick is the reason to confirm a click that can change something for the person.
	ReasonWebClick = "web-click"
	// ReasonWebOpen is the reason to confirm that an address is opened where the person may be logged in.
	ReasonWebOpen = "web-open"
	// ReasonWebShow is the reason to confirm that a window opens on the person's screen.
	ReasonWebShow = "web-show"
)

// Browser uses web pages as a person does. A call of its tool is a [browserAction].
type Browser interface {
	// Do does what is requested. A failed request has a code, as [web.Code] returns it.
	Do(ctx context.Context, r browser.Request) (browser.Answer, error)
	// Look describes an element of the page of a conversation, or the page if ref is "".
	Look(ctx context.Context, conversation, ref string) (browser.Target, error)
	// AllowsHost reports whether the settings let a host be reached unasked, and IsNear whether it is one of this computer
	// or its network.
	AllowsHost(host string) bool
	IsNear(host string) bool
	// Save stores a picture of a page and returns its path.
	Save(picture []byte, at time.Time) (path string, err error)
}

// browserAction does one thing with the page of a conversation.
type browserAction struct {
	Verb         string `json:"verb"`
	Conversation string `json:"conversation"`
	URL          string `json:"url,omitempty"` // for open, as [web.Parse] writes it
	Ref          string `json:"ref,omitempty"`
	Text         string `json:"text,omitempty"`
	Submit       bool   `json:"submit,omitempty"`
	Up           bool   `json:"up,omitempty"`
	// Target is the element as it was when the action was pinned.
	Target *browser.Target `json:"target,omitempty"`
	// Shown reports that the person used the window before the address is opened: they may be logged in.
	Shown bool `json:"shown,omitempty"`
}

// BrowserInput is the input of the tool.
type BrowserInput struct {
	Action, URL, Ref, Text string
	Submit, Up             bool
}

// maxTyped bounds a typed text in bytes, because a person reads it.
const maxTyped = 8 << 10

// Browse plans what is done with the page of a conversation.
func Browse(conversation string, in BrowserInput) (Action, error) {
	a := browserAction{Verb: in.Action, Conversation: conversation}
	switch in.Action {
	case browser.Open:
		address, _, err := web.Parse(in.URL)
		a.URL = address
		return a, err
	case browser.Click, browser.Type:
		a.Ref = strings.Trim(in.Ref, "[] ")
		if a.Ref == "" {
			return nil, fmt.Errorf("ref is missing: %s needs an element of the last snapshot, such as e7", in.Action)
		}
		if in.Action == browser.Type {
			a.Text, a.Submit = in.Text, in.Submit
		}
	case browser.Scroll:
		a.Up = in.Up
	case browser.Snapshot, browser.Screenshot, browser.Show, browser.Close:
	default:
		return nil, fmt.Errorf("action %q must be one of open, snapshot, screenshot, click, type, scroll, show, close", in.Action)
	}
	if len(a.Text) > maxTyped || strings.ContainsFunc(a.Text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) {
		return nil, fmt.Errorf("the text has control characters or more than %d bytes, which cannot be shown to a person", maxTyped)
	}
	return a, nil
}

func (b browserAction) isValid() bool {
	again, err := Browse(b.Conversation, BrowserInput{b.Verb, b.URL, b.Ref, b.Text, b.Submit, b.Up})
	if err != nil {
		return false
	}
	own, _ := again.(browserAction)
	own.Target, own.Shown = b.Target, b.Shown && b.Verb == browser.Open
	return own == b && b.needsTarget() == (b.Target != nil)
}

// needsTarget reports whether the action uses an element.
func (b browserAction) needsTarget() bool { return b.Verb == browser.Click || b.Verb == browser.Type }

// Argv returns the command line of the action, with all that a page gets to know.
func (b browserAction) Argv() []string {
	argv := []string{"blunux-ai", "browser", b.Verb}
	if b.Up {
		argv = append(argv, "--up")
	}
	if t := b.Target; t != nil {
		argv = append(argv, "--page", t.Page, "--element", strings.TrimSpace(t.Role+" "+t.Name))
		if t.Link != "" {
			argv = append(argv, "--link", t.Link)
		}
		if t.Form != nil && b.sends() {
			argv = append(argv, "--form", t.Form.Method+" "+t.Form.Action)
			for _, f := range t.Form.Fields {
				argv = append(argv, "--field", f.Name+": "+f.Value)
			}
			if t.Form.Hidden > 0 {
				argv = append(argv, "--hidden", fmt.Sprint(t.Form.Hidden))
			}
		}
	}
	if b.Verb == browser.Type {
		argv = append(argv, "--text", b.Text)
	}
	switch {
	case b.URL != "":
		argv = append(argv, "--", b.URL)
	case b.Ref != "":
		argv = append(argv, "--", b.Ref)
	}
	return argv
}

// sends reports whether the action sends a form.
func (b browserAction) sends() bool {
	return b.Submit || b.Target != nil && b.Verb == browser.Click && b.Target.Submits
}

func (browserAction) Kind() string { return KindBrowser }

// Changes reports whether the action can change something outside of the browser.
func (b browserAction) Changes() bool {
	return b.sends() || b.Verb == browser.Click && (b.Target == nil || b.Target.Link == "")
}

// pinTimeout bounds the time that a page gets to describe an element.
const pinTimeout = 30 * time.Second

// Pin describes the element. It refuses secrets: the person types them in the window.
func (b browserAction) Pin(s Services) (Action, string, error) {
	for _, text := range []string{b.URL, unescaped(b.URL), b.Text} {
		if s.Redactor.Redact(text) != text {
			return nil, "", errSecretTyped
		}
	}
	if !b.needsTarget() && b.Verb != browser.Open {
		return b, "", nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), pinTimeout)
	defer cancel()
	t, err := s.Browser.Look(ctx, b.Conversation, b.Ref)
	switch {
	case b.Verb == browser.Open: // without a page, there is nothing that the person used
		b.Shown = err == nil && t.Shown
		return b, "", nil
	case err != nil:
		return nil, "", err
	case b.Verb == browser.Type && t.Password:
		return nil, "", errSecretTyped
	case b.Verb == browser.Type && !t.TakesText:
		return nil, "", fmt.Errorf("%s takes no text: it is a %s", b.Ref, t.Role)
	}
	b.Target = &t
	return b, t.Digest(), nil
}

// errSecretTyped refuses to type a secret.
const errSecretTyped = secretError("not typed: passwords, codes, card numbers and keys are typed by the person. " +
	"Use the action show, which hands them the window, and go on when they say that they are done")

// Judge lets pages be read, and asks before a page gets something or can change something for the person.
func (b browserAction) Judge(s Services, c Call) (v Verdict) {
	switch b.Verb {
	case browser.Open:
		b.judgeHost(s, b.URL, &v)
		if b.Shown {
			v.confirm(ReasonWebOpen, b.URL)
		}
	case browser.Show:
		v.confirm(ReasonWebShow, "")
	case browser.Type:
		b.judgeHost(s, b.Target.Page, &v)
		if page := hostOf(b.Target.Page); !ownWords(c.Words, b.Text) || b.Target.Shown || s.Browser.IsNear(page) {
			v.confirm(ReasonWebType, page)
		}
		if b.sends() {
			v.confirm(ReasonWebForm, hostOf(b.Target.Page))
		}
	case browser.Click:
		b.judgeClick(s, &v)
	}
	return v
}

// judgeClick lets links of a page be followed, which opens their addresses. Any other element can do what a person logged in
// there can do, so it is asked about as soon as the page knows more of the person than that they look at it. A device of
// the network, or a page that the person may be logged in to, obeys links too.
func (b browserAction) judgeClick(s Services, v *Verdict) {
	t := b.Target
	page := hostOf(t.Page)
	switch {
	case b.sends():
		v.confirm(ReasonWebForm, formHost(t))
	case t.Shown, s.Browser.IsNear(page), t.Link == "" && t.Sent:
		v.confirm(ReasonWebClick, page)
	case t.Link != "" && hostOf(t.Link) != page:
		b.judgeHost(s, t.Link, v)
	}
}

// judgeHost requires that the person or the settings named the host of an address.
func (b browserAction) judgeHost(s Services, address string, v *Verdict) {
	if host := hostOf(address); !s.Browser.AllowsHost(host) {
		v.WebHosts = append(v.WebHosts, host)
	}
}

// formHost returns the host that gets a form, or the address if it is none of the web.
func formHost(t *browser.Target) string {
	if t.Form == nil {
		return hostOf(t.Page)
	}
	if host := hostOf(t.Form.Action); host != "" {
		return host
	}
	return t.Form.Action
}

// hostOf returns the host of an address that a page has, or "".
func hostOf(address string) string {
	if _, host, err := web.Parse(address); err == nil {
		return host
	}
	if u, err := url.Parse(address); err == nil {
		return strings.ToLower(u.Hostname())
	}
	return ""
}

// Ready returns an error unless the element is still the one that the person saw.
func (b browserAction) Ready(ctx context.Context, s Services, c Call) error {
	if !b.needsTarget() && b.Verb != browser.Open {
		return nil
	}
	t, err := s.Browser.Look(ctx, b.Conversation, b.Ref)
	switch {
	case b.Verb == browser.Open:
		if err == nil && t.Shown && !b.Shown {
			return changedError("the person has used the window since")
		}
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return changedError("the page is not as it was when this was asked: " + err.Error())
	case t.Digest() != c.Against:
		return changedError("the page is not as it was when this was asked")
	}
	return nil
}

// Do uses the page and writes how it is then, or why that failed.
func (b browserAction) Do(ctx context.Context, s Services, c Call, to io.Writer) (Result, error) {
	r := browser.Request{Conversation: b.Conversation, Do: b.Verb, URL: b.URL, Ref: b.Ref, Text: b.Text, Submit: b.Submit, Up: b.Up}
	if b.Target != nil {
		r.Expect = c.Against
		r.Sends = b.sends() || b.Verb == browser.Type && !ownWords(c.Words, b.Text)
	}
	a, err := s.Browser.Do(ctx, r)
	switch code := web.Code(err); {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case err != nil && code == "":
		return Result{}, err
	case err != nil:
		what := "not done"
		if b.Changes() && slices.Contains(afterUse, code) {
			what = "it may have been done, but there is no answer"
		}
		_, err = fmt.Fprintf(to, "%s (%s): %s\n", what, code, err)
		return Result{Failed: true}, err
	}
	var picture *providers.Picture
	if len(a.Picture) > 0 {
		path, err := s.Browser.Save(a.Picture, time.Now())
		if err != nil {
			_, err = fmt.Fprintf(to, "not done: %s\n", err)
			return Result{Failed: true}, err
		}
		picture = &providers.Picture{Data: a.Picture, Path: path}
	}
	_, err = io.WriteString(to, b.text(a))
	return Result{Picture: picture}, err
}

// afterUse are the codes of failures that can follow after an element was used.
var afterUse = []string{browser.CodeEnded}

// text returns a page as a model reads it.
func (b browserAction) text(a browser.Answer) string {
	if b.Verb == browser.Close {
		return "closed\n"
	}
	var t strings.Builder
	fmt.Fprintf(&t, "address: %s\n", strings.Map(printable, a.URL))
	if a.Title != "" {
		fmt.Fprintf(&t, "title: %s\n", a.Title)
	}
	for _, n := range a.Notes {
		fmt.Fprintf(&t, "note: %s\n", n)
	}
	if b.Verb == browser.Show {
		t.WriteString("The person has the window now. Wait until they say that they are done, then take a snapshot.\n")
	}
	if a.Text != "" {
		t.WriteString("\n" + a.Text)
	}
	if a.Cut {
		t.WriteString("[the page is longer; its end is left out]\n")
	}
	return t.String()
}

func printable(r rune) rune {
	if !unicode.IsPrint(r) {
		return -1
	}
	return r
}

// PageUsed returns the host of the page in the output of a command line of [browserAction.Argv], or "".
func PageUsed(argv []string, output string) string {
	if len(argv) < 3 || !slices.Equal(argv[:2], []string{"blunux-ai", "browser"}) {
		return ""
	}
	first, _, _ := strings.Cut(output, "\n")
	address, ok := strings.CutPrefix(first, "address: ")
	if !ok {
		return ""
	}
	return hostOf(address)
}

func (browserAction) Edit(string) (Action, error) {
	return nil, errors.New("what is done with a page cannot be edited: reject it and say what you want instead")
}
