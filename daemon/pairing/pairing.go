// Package pairing keeps who may write from afar besides those the configuration
// names. An unknown sender gets a code, once a day; the owner reads it to the
// machine (`blunux-aictl pairing approve CODE`), and only then is the sender let in
// (the idea is Moonbot's, its specification section 10.1).
//
// All of it is one small file, pairing.json, readable by its owner alone and
// replaced as a whole.
package pairing

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/journal"
)

const (
	// CodeLasts is how long a code can be approved, and how long a sender who got
	// one gets no other.
	CodeLasts = 24 * time.Hour
	// MaxWaiting bounds how many codes of a channel are out at a time. Whoever comes
	// then gets none.
	MaxWaiting = 20
	// maxKept bounds who is remembered to have had the day's code.
	maxKept = 500
	// maxPaired bounds the list of those who were let in.
	maxPaired = 500
	// maxSender and maxName bound a sender and what the channel calls them, in bytes.
	maxSender, maxName = 128, 120
)

// The errors that somebody acts on.
var (
	ErrNoCode   = errors.New("no such code")
	ErrNobody   = errors.New("nobody of that name was let in")
	ErrFull     = errors.New("too many were let in")
	ErrBadNames = errors.New("channel or sender makes no sense")
)

// Request is a sender who would like to be let in.
type Request struct {
	Code    string    `json:"code"`
	Channel string    `json:"channel"`
	Sender  string    `json:"sender"`
	Name    string    `json:"name,omitempty"` // what the channel calls them; anybody can call themselves anything
	Asked   time.Time `json:"asked"`
	Expires time.Time `json:"expires"`
}

// Pair is a sender who was let in.
type Pair struct {
	Channel string    `json:"channel"`
	Sender  string    `json:"sender"`
	Name    string    `json:"name,omitempty"`
	Since   time.Time `json:"since"`
}

// State is all there is.
type State struct {
	Waiting []Request `json:"waiting"`
	Paired  []Pair    `json:"paired"`
}

// Store is the file. Its methods may be called at any time.
type Store struct {
	path string
	now  func() time.Time
	mu   sync.Mutex
}

// New returns the store of a file, which need not be there yet.
func New(path string, now func() time.Time) *Store { return &Store{path: path, now: now} }

// List returns who waits and who was let in, the latest first.
func (s *Store) List() (State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, err := s.read()
	st.Waiting = slices.DeleteFunc(st.Waiting, func(r Request) bool { return r.Code == "" })
	slices.Reverse(st.Waiting)
	slices.Reverse(st.Paired)
	return st, err
}

// Admits reports whether a sender was let in. A file that cannot be read lets
// nobody in.
func (s *Store) Admits(channel, sender string) (bool, error) {
	st, err := s.List()
	return err == nil && st.paired(channel, Normal(channel, sender)) >= 0, err
}

// Ask notes that a sender would like to be let in and returns the request with
// its code. The code is for them to see once: fresh is false where they got it
// before, and where too many wait already, with an empty request then.
func (s *Store) Ask(channel, sender, name string) (r Request, fresh bool, err error) {
	sender = Normal(channel, sender)
	if !sensible(channel, 32) || !sensible(sender, maxSender) {
		return r, false, ErrBadNames
	}
	err = s.change(func(st *State) error {
		if i := slices.IndexFunc(st.Waiting, func(w Request) bool { return w.Channel == channel && w.Sender == sender }); i >= 0 {
			r = st.Waiting[i]
			return nil
		}
		if st.open(channel) >= MaxWaiting || len(st.Waiting) >= maxKept {
			return nil
		}
		now := s.now().UTC().Truncate(time.Second)
		r, fresh = Request{Code: st.newCode(), Channel: channel, Sender: sender, Name: short(name), Asked: now, Expires: now.Add(CodeLasts)}, true
		st.Waiting = append(st.Waiting, r)
		return nil
	})
	return r, fresh && err == nil, err
}

// Approve lets in who got a code: [ErrNoCode], [ErrFull].
func (s *Store) Approve(code string) (Pair, error) {
	var p Pair
	err := s.take(code, func(st *State, r Request) error {
		p = Pair{Channel: r.Channel, Sender: r.Sender, Name: r.Name, Since: s.now().UTC().Truncate(time.Second)}
		switch {
		case st.paired(p.Channel, p.Sender) >= 0:
			return nil
		case len(st.Paired) >= maxPaired:
			return ErrFull
		}
		st.Paired = append(st.Paired, p)
		return nil
	})
	return p, err
}

// Deny forgets a code and lets nobody in. Who got it gets no other for the rest of
// the day.
func (s *Store) Deny(code string) (Request, error) {
	var denied Request
	err := s.change(func(st *State) error {
		i := st.waiting(code)
		if i < 0 {
			return ErrNoCode
		}
		denied = st.Waiting[i]
		st.Waiting[i].Code = "" // it still counts as the one of the day
		return nil
	})
	return denied, err
}

// Remove lets a sender in no more: [ErrNobody].
func (s *Store) Remove(channel, sender string) error {
	return s.change(func(st *State) error {
		i := st.paired(channel, Normal(channel, sender))
		if i < 0 {
			return ErrNobody
		}
		st.Paired = slices.Delete(st.Paired, i, i+1)
		return nil
	})
}

// take takes a waiting code away and does something with it.
func (s *Store) take(code string, do func(*State, Request) error) error {
	return s.change(func(st *State) error {
		i := st.waiting(code)
		if i < 0 {
			return ErrNoCode
		}
		r := st.Waiting[i]
		st.Waiting = slices.Delete(st.Waiting, i, i+1)
		return do(st, r)
	})
}

// change reads, changes and writes the file. An error of change leaves it as it
// is.
func (s *Store) change(change func(*State) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, err := s.read()
	if err != nil {
		return err
	}
	if err := change(&st); err != nil {
		return err
	}
	data, err := json.MarshalIndent(st, "", "  ")
	if err == nil {
		err = renameio.WriteFile(s.path, append(journal.Stamp(data), '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("cannot keep who may write: %w", err)
	}
	return nil
}

// maxFile bounds the file, in bytes.
const maxFile = 1 << 20

// read reads the file without following a link; codes that are too old are not
// there any more.
func (s *Store) read() (State, error) {
	st := State{Waiting: []Request{}, Paired: []Pair{}}
	f, err := os.OpenFile(s.path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return st, nil
	}
	if err != nil {
		return st, fmt.Errorf("cannot read who may write: %w", err)
	}
	defer f.Close()
	fi, err := f.Stat()
	switch {
	case err != nil:
	case !fi.Mode().IsRegular() || fi.Size() > maxFile:
		err = errors.New("it is not a file of ours")
	case fi.Mode().Perm()&0o022 != 0:
		err = fmt.Errorf("others can write to it (mode %04o)", fi.Mode().Perm())
	default:
		err = decode(f, s.path, &st)
	}
	if err != nil {
		return State{}, fmt.Errorf("cannot read who may write from %s: %w", s.path, err)
	}
	now := s.now()
	st.Waiting = slices.DeleteFunc(st.Waiting, func(r Request) bool { return !now.Before(r.Expires) || r.Asked.After(now.Add(time.Hour)) })
	return st, nil
}

// decode reads the file, unless a newer program wrote it.
func decode(r io.Reader, path string, st *State) error {
	data, err := io.ReadAll(r)
	if err == nil {
		err = journal.CheckVersion(path, data)
	}
	if err == nil {
		err = json.Unmarshal(data, st)
	}
	return err
}

// open is how many codes of a channel can be approved.
func (st State) open(channel string) int {
	n := 0
	for _, r := range st.Waiting {
		if r.Channel == channel && r.Code != "" {
			n++
		}
	}
	return n
}

func (st State) waiting(code string) int {
	code = approval.NormalCode(code)
	return slices.IndexFunc(st.Waiting, func(r Request) bool { return code != "" && r.Code == code })
}

func (st State) paired(channel, sender string) int {
	return slices.IndexFunc(st.Paired, func(p Pair) bool { return p.Channel == channel && p.Sender == sender })
}

// Normal is a sender as it is compared: a WhatsApp number is its digits (E.164
// without the plus or the 00 before it), whatever else is written around them; anything
// else is compared as it is.
func Normal(channel, sender string) string {
	if channel != "whatsapp" {
		return strings.TrimSpace(sender)
	}
	sender = withoutServer(sender)
	if strings.ContainsFunc(sender, func(r rune) bool { return !strings.ContainsRune("0123456789+-() .", r) }) {
		return "" // a group or a broadcast
	}
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, sender)
	return strings.TrimPrefix(digits, "00")
}

// withoutServer removes WhatsApp's server and device from a person's JID,
// 821012345678:12@s.whatsapp.net.
func withoutServer(sender string) string {
	for _, suffix := range []string{"@c.us", "@s.whatsapp.net"} {
		user, ok := strings.CutSuffix(sender, suffix)
		if !ok {
			continue
		}
		number, device, ok := strings.Cut(user, ":")
		if _, err := strconv.ParseUint(device, 10, 16); ok && err != nil {
			return sender
		}
		return number
	}
	return sender
}

func sensible(s string, most int) bool {
	return s != "" && len(s) <= most && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// short is a name as it is kept.
func short(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "")
	}
	return name
}

// codeLength is how long a code is: a stranger has a day to guess one.
const codeLength = 6

// newCode returns a code that no other request has.
func (st State) newCode() string {
	return approval.NewCode(codeLength, func(code string) bool { return st.waiting(code) >= 0 })
}
