package action

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/nidoit/blunux-ai/tools/web"
)

// The reasons to confirm a request.
const (
	// ReasonDownload is the reason to confirm that a file is downloaded.
	ReasonDownload = "web-download"
	// ReasonWebRequest is the reason to confirm a request that can send data or change something.
	ReasonWebRequest = "web-request"
)

// Web reaches web servers. A call of its tools is a [webAction].
type Web interface {
	// Fetch makes a request. A failed one has one of the codes of package web.
	Fetch(ctx context.Context, r web.Request) (web.Answer, error)
	// Allows reports whether the settings let a host be reached unasked.
	Allows(host string) bool
}

// webAction is one request: a page to read, a file to download, or any other.
type webAction struct {
	Verb   string       `json:"verb"` // page, file or request
	URL    string       `json:"url"`  // as [web.Parse] writes it
	Method string       `json:"method,omitempty"`
	Header []web.Header `json:"header,omitempty"`
	Body   string       `json:"body,omitempty"`
	Name   string       `json:"name,omitempty"` // of the file
}

// FetchPage plans to read a page.
func FetchPage(in struct{ URL string }) (Action, error) {
	address, _, err := web.Parse(in.URL)
	return webAction{Verb: "page", URL: address}, err
}

// Download plans to download a file.
func Download(in struct{ URL, Name string }) (Action, error) {
	address, _, err := web.Parse(in.URL)
	if err != nil {
		return nil, err
	}
	name := in.Name
	if name == "" {
		name = nameOf(address)
	}
	a := webAction{Verb: "file", URL: address, Name: name}
	if !a.isValid() {
		return nil, fmt.Errorf("%q cannot be the name of a file: give another name", name)
	}
	return a, nil
}

// HTTPRequest plans another request than reading a page.
func HTTPRequest(in struct {
	URL, Method, Body string
	Headers           []string
},
) (Action, error) {
	address, _, err := web.Parse(in.URL)
	if err != nil {
		return nil, err
	}
	a := webAction{Verb: "request", URL: address, Method: strings.ToUpper(in.Method), Body: in.Body}
	for _, line := range in.Headers {
		name, value, _ := strings.Cut(line, ":")
		a.Header = append(a.Header, web.Header{Name: http1Name(name), Value: strings.TrimSpace(value)})
	}
	return a, a.check()
}

// http1Name returns the usual spelling of a header's name.
func http1Name(name string) string {
	words := strings.Split(strings.ToLower(strings.TrimSpace(name)), "-")
	for i, w := range words {
		if w != "" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "-")
}

// Bounds of a request, because a person reads it.
const (
	maxHeaders = 16
	maxBody    = 16 << 10 // bytes
	maxName    = 200      // bytes of a file's name
)

// methods are the methods of http_request.
var methods = strings.Fields("GET HEAD POST PUT PATCH DELETE OPTIONS")

// ownHeaders are the headers that belong to the connection or to the person.
var ownHeaders = strings.Fields("Host Connection Content-Length Transfer-Encoding Te Trailer Upgrade Cookie User-Agent Accept-Encoding Expect Forwarded")

// check returns why a request is not made.
func (w webAction) check() error {
	switch {
	case !slices.Contains(methods, w.Method):
		return fmt.Errorf("method %q must be one of %s", w.Method, strings.Join(methods, ", "))
	case len(w.Body) > maxBody:
		return fmt.Errorf("the body has %d bytes, at most %d can be shown to a person", len(w.Body), maxBody)
	case len(w.Header) > maxHeaders:
		return fmt.Errorf("at most %d headers can be sent", maxHeaders)
	}
	for _, h := range w.Header {
		token := func(r rune) bool {
			return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
		}
		if h.Name == "" || strings.ContainsFunc(h.Name, token) || strings.ContainsFunc(h.Value, unicode.IsControl) {
			return fmt.Errorf("%q is no header: write NAME: VALUE", h.Name)
		}
		if slices.Contains(ownHeaders, h.Name) || strings.HasPrefix(h.Name, "Proxy-") || strings.HasPrefix(h.Name, "X-Forwarded") {
			return fmt.Errorf("the header %s cannot be set", h.Name)
		}
	}
	return nil
}

// nameOf returns the name of the file at an address.
func nameOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	name := path.Base(u.Path)
	if name == "/" || name == "." {
		name = u.Hostname() + ".html"
	}
	return name
}

func (w webAction) isValid() bool {
	address, _, err := web.Parse(w.URL)
	if err != nil || address != w.URL {
		return false
	}
	switch w.Verb {
	case "page":
		return w.Method == "" && w.Body == "" && len(w.Header) == 0 && w.Name == ""
	case "file":
		odd := func(r rune) bool { return r == '/' || r == '\\' || unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) }
		return w.Method == "" && w.Body == "" && len(w.Header) == 0 && w.Name != "" && len(w.Name) <= maxName &&
			!strings.HasPrefix(w.Name, ".") && !strings.HasPrefix(w.Name, "-") && !strings.ContainsFunc(w.Name, odd)
	case "request":
		return w.Name == "" && w.check() == nil
	}
	return false
}

// Argv returns the command line of the action, with all that is sent.
func (w webAction) Argv() []string {
	argv := []string{"blunux-ai", "web", w.Verb}
	if w.Method != "" {
		argv = append(argv, "--method", w.Method)
	}
	for _, h := range w.Header {
		argv = append(argv, "--header", h.Name+": "+h.Value)
	}
	if w.Body != "" {
		argv = append(argv, "--body", w.Body)
	}
	if w.Name != "" {
		argv = append(argv, "--save", w.Name)
	}
	return append(argv, "--", w.URL)
}

// PageOf returns the host whose page a command line of [webAction.Argv] reads, or "".
func PageOf(argv []string) string {
	if len(argv) < 5 || !slices.Equal(argv[:2], []string{"blunux-ai", "web"}) || argv[2] == "file" {
		return ""
	}
	_, host, err := web.Parse(argv[len(argv)-1])
	if err != nil {
		return ""
	}
	return host
}

func (webAction) Kind() string { return KindWeb }

// Changes reports whether the action leaves a file, or may change something at the server.
func (w webAction) Changes() bool { return w.Verb != "page" }

// errSecretSent refuses to send a secret.
const errSecretSent = secretError("not sent: the request contains a password, a key or a token. Leave it out")

// Pin refuses a request with a secret in it.
func (w webAction) Pin(s Services) (Action, string, error) {
	for _, text := range append(w.Argv(), unescaped(w.URL)) {
		if s.Redactor.Redact(text) != text {
			return nil, "", errSecretSent
		}
	}
	return w, "", nil
}

// unescaped returns a URL without its percent signs, as far as they can be read.
func unescaped(address string) string {
	text, err := url.QueryUnescape(address)
	if err != nil {
		return address
	}
	return text
}

func (w webAction) host() string {
	_, host, _ := web.Parse(w.URL) // it is valid
	return host
}

// Judge requires a confirmation for all but reading a page. Whether its host needs one is decided by who named it.
func (w webAction) Judge(s Services, _ Call) (v Verdict) {
	switch w.Verb {
	case "file":
		v.confirm(ReasonDownload, w.URL)
	case "request":
		v.confirm(ReasonWebRequest, w.Method+" "+w.URL)
	default:
		if !s.Web.Allows(w.host()) {
			v.WebHosts = []string{w.host()}
		}
	}
	return v
}

func (webAction) Ready(context.Context, Services, Call) error { return nil }

// Do makes the request and writes what the server answered, or why there is no answer.
func (w webAction) Do(ctx context.Context, s Services, _ Call, to io.Writer) (Result, error) {
	a, err := s.Web.Fetch(ctx, web.Request{Method: w.Method, URL: w.URL, Header: w.Header, Body: w.Body, Name: w.Name})
	switch code := web.Code(err); {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case err != nil && code == "":
		return Result{}, err
	case err != nil:
		what := "not fetched"
		if w.Verb == "request" && slices.Contains(afterSending, code) {
			what = "the request may have reached the server, but there is no answer"
		}
		_, err = fmt.Fprintf(to, "%s (%s): %s\n", what, code, err)
		return Result{Failed: true}, err
	}
	_, err = io.WriteString(to, w.text(a))
	return Result{Failed: a.Status >= 400 || w.Verb == "file" && a.Path == ""}, err
}

// afterSending are the codes of failures that can follow after the request was sent.
var afterSending = []string{web.CodeTimeout, web.CodeTooLarge, web.CodeNotText, web.CodeUnreachable, web.CodeRedirects}

// text returns an answer as a model reads it.
func (w webAction) text(a web.Answer) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	line("address", a.URL)
	if a.Status != 200 {
		line("status", fmt.Sprint(a.Status))
	}
	switch {
	case a.Redirect != "":
		line("redirects to", a.Redirect)
		b.WriteString("This is another address than the one that was agreed to, so it was not opened. Call the tool with it if the person wants it.\n")
		return b.String()
	case a.Path != "":
		line("saved", a.Path)
		line("bytes", fmt.Sprint(a.Size))
		line("sha256", a.SHA256)
		return b.String()
	case w.Verb == "file":
		b.WriteString("The server did not answer with the file, so nothing was saved.\n")
	}
	if !a.ReadAt.IsZero() {
		line("read at", a.ReadAt.Local().Format("2006-01-02 15:04"))
	}
	line("encoding", a.Charset)
	line("title", a.Title)
	if a.Text != "" {
		b.WriteString("\n" + a.Text + "\n")
	}
	if a.Cut {
		b.WriteString("[the page is longer; its end is left out]\n")
	}
	return b.String()
}

func (webAction) Edit(string) (Action, error) {
	return nil, errors.New("a request cannot be edited: reject it and say what you want instead")
}
