package quick

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/nidoit/blunux-ai/ipc"
)

// Scheme is the scheme of our addresses: packaging/desktop/org.blunux.ai.open.desktop names it.
const Scheme = "blunux-ai"

// Limits of an address. A question that is longer is refused: half of a sentence can say the opposite of the whole.
const (
	maxAddress = 16 << 10 // bytes
	maxWords   = 1000     // characters
)

// ErrAddress is the error of [Parse].
var ErrAddress = errors.New("not an address of blunux-ai")

// code is what the code of an approval looks like; the daemon decides whether there is one.
var code = regexp.MustCompile(`^[A-Za-z0-9]{1,16}$`)

// Parse reads an address (RFC 3986), which any web page can open:
//
//	blunux-ai://ask?q=WORDS      puts the words before the person, unsent
//	blunux-ai://approvals        lists what waits for an approval
//	blunux-ai://approvals/CODE   shows one of them
//
// Everything else is refused, so that an address can decide, run and set nothing.
func Parse(address string) (Page, error) {
	if len(address) > maxAddress {
		return Page{}, fmt.Errorf("%w: it is longer than %d bytes", ErrAddress, maxAddress)
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return Page{}, fmt.Errorf("%w: it cannot be read", ErrAddress)
	case u.Scheme != Scheme || u.Opaque != "":
		return Page{}, fmt.Errorf("%w: it does not begin with %s://", ErrAddress, Scheme)
	case u.User != nil || u.Fragment != "" || u.RawFragment != "" || strings.Contains(address, "#"):
		return Page{}, fmt.Errorf("%w: it has a user or a fragment", ErrAddress)
	}
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Page{}, fmt.Errorf("%w: its parameters cannot be read", ErrAddress)
	}
	switch u.Host {
	case "ask":
		return parseAsk(u, values)
	case "approvals":
		return parseApprovals(u, values)
	}
	return Page{}, fmt.Errorf("%w: it is neither ask nor approvals", ErrAddress)
}

// parseAsk reads the address of a question.
func parseAsk(u *url.URL, values url.Values) (Page, error) {
	if len(values) != 1 || len(values["q"]) != 1 || strings.Trim(u.Path, "/") != "" {
		return Page{}, fmt.Errorf("%w: ask has one parameter, q", ErrAddress)
	}
	words := Words(values.Get("q"))
	switch n := len([]rune(words)); {
	case n == 0:
		return Page{}, fmt.Errorf("%w: the question is empty", ErrAddress)
	case n > maxWords:
		return Page{}, fmt.Errorf("%w: the question is longer than %d characters", ErrAddress, maxWords)
	}
	return Page{Words: words, Draft: true}, nil
}

// parseApprovals reads the address of the approvals, or of one.
func parseApprovals(u *url.URL, values url.Values) (Page, error) {
	which := strings.TrimSuffix(strings.TrimPrefix(u.Path, "/"), "/")
	if len(values) != 0 || u.ForceQuery || which != "" && !code.MatchString(which) {
		return Page{}, fmt.Errorf("%w: approvals has at most a code", ErrAddress)
	}
	return Page{Approvals: true, Code: which}, nil
}

// Words returns a text as one line without characters that a terminal acts on or that hide others.
func Words(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	return strings.Join(strings.Fields(ipc.Clean(strings.Join(strings.Fields(text), " "))), " ")
}
