// Package pairing stores the remote senders that the owner has approved, in addition to those in the
// configuration. An unknown sender gets a code, once a day. The sender may write after the owner enters the code
// on this machine (`blunux-aictl pairing approve CODE`; the idea is Moonbot's, specification section 10.1).
//
// Everything is in one small file, pairing.json, which only its owner can read and which is replaced as a whole.
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
	"github.com/nidoit/blunux-ai/internal/journal"
)

const (
	// CodeLifetime is how long a code can be approved, and how long a sender who got one gets no other.
	CodeLifetime = 24 * time.Hour
	// MaxOpenCodes bounds the open codes of a channel. Further senders get none.
	MaxOpenCodes = 20
	// maxRequests bounds how many senders with a code of the day are remembered.
	maxRequests = 500
	// maxPaired bounds how many senders are paired.
	maxPaired = 500
	// maxSender and maxName bound a sender's address and display name, in bytes.
	maxSender, maxName = 128, 120
)

// The errors that callers handle.
var (
	ErrNoCode    = errors.New("no such code")
	ErrNotPaired = errors.New("no such paired sender")
	ErrFull      = errors.New("too many paired senders")
	ErrBadNames  = errors.New("invalid channel or sender")
)

// Request is a sender who asks to be paired.
type Request struct {
	Code    string    `json:"code"`
	Channel string    `json:"channel"`
	Sender  string    `json:"sender"`
	Name    string    `json:"name,omitempty"` // the display name, which senders choose freely
	Asked   time.Time `json:"asked"`
	Expires time.Time `json:"expires"`
}

// Pair is a paired sender.
type Pair struct {
	Channel string    `json:"channel"`
	Sender  string    `json:"sender"`
	Name    string    `json:"name,omitempty"`
	Since   time.Time `json:"since"`
}

// State is the content of the file.
type State struct {
	Waiting []Request `json:"waiting"`
	Paired  []Pair    `json:"paired"`
}

// Store is the pairing file. It is safe for concurrent use.
type Store struct {
	path string
	now  func() time.Time
	mu   sync.Mutex
}

// New returns the store of a file, which need not exist yet.
func New(path string, now func() time.Time) *Store { return &Store{path: path, now: now} }

// List returns the open requests and the paired senders, latest first.
func (s *Store) List() (State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, err := s.read()
	st.Waiting = slices.DeleteFunc(st.Waiting, func(r Request) bool { return r.Code == "" })
	slices.Reverse(st.Waiting)
	slices.Reverse(st.Paired)
	return st, err
}

// IsPaired reports whether a sender is paired. If the file cannot be read, no sender is.
func (s *Store) IsPaired(channel, sender string) (bool, error) {
	st, err := s.List()
	return err == nil && st.findPair(channel, NormalSender(channel, sender)) >= 0, err
}

// RequestCode records a sender's request to be paired and returns it with its code, which is shown to the sender once.
// fresh is false if the sender already got the code. It is also false, with an empty request, if too many requests
// are open.
func (s *Store) RequestCode(channel, sender, name string) (r Request, fresh bool, err error) {
	sender = NormalSender(channel, sender)
	if !isValid(channel, 32) || !isValid(sender, maxSender) {
		return r, false, ErrBadNames
	}
	err = s.change(func(st *State) error {
		if i := slices.IndexFunc(st.Waiting, func(w Request) bool { return w.Channel == channel && w.Sender == sender }); i >= 0 {
			r = st.Waiting[i]
			return nil
		}
		if st.openCodes(channel) >= MaxOpenCodes || len(st.Waiting) >= maxRequests {
			return nil
		}
		now := s.now().UTC().Truncate(time.Second)
		r, fresh = Request{Code: st.newCode(), Channel: channel, Sender: sender, Name: cleanName(name), Asked: now, Expires: now.Add(CodeLifetime)}, true
		st.Waiting = append(st.Waiting, r)
		return nil
	})
	return r, fresh && err == nil, err
}

// Approve pairs the sender who got a code. It fails with [ErrNoCode] or [ErrFull].
func (s *Store) Approve(code string) (Pair, error) {
	var p Pair
	err := s.takeRequest(code, func(st *State, r Request) error {
		p = Pair{Channel: r.Channel, Sender: r.Sender, Name: r.Name, Since: s.now().UTC().Truncate(time.Second)}
		switch {
		case st.findPair(p.Channel, p.Sender) >= 0:
			return nil
		case len(st.Paired) >= maxPaired:
			return ErrFull
		}
		st.Paired = append(st.Paired, p)
		return nil
	})
	return p, err
}

// Deny withdraws a code without pairing its sender, who gets no other for the rest of the day.
func (s *Store) Deny(code string) (Request, error) {
	var denied Request
	err := s.change(func(st *State) error {
		i := st.findRequest(code)
		if i < 0 {
			return ErrNoCode
		}
		denied = st.Waiting[i]
		st.Waiting[i].Code = "" // still counts as the day's code
		return nil
	})
	return denied, err
}

// Remove unpairs a sender, or fails with [ErrNotPaired].
func (s *Store) Remove(channel, sender string) error {
	return s.change(func(st *State) error {
		i := st.findPair(channel, NormalSender(channel, sender))
		if i < 0 {
			return ErrNotPaired
		}
		st.Paired = slices.Delete(st.Paired, i, i+1)
		return nil
	})
}

// takeRequest removes an open request and passes it to do.
func (s *Store) takeRequest(code string, do func(*State, Request) error) error {
	return s.change(func(st *State) error {
		i := st.findRequest(code)
		if i < 0 {
			return ErrNoCode
		}
		r := st.Waiting[i]
		st.Waiting = slices.Delete(st.Waiting, i, i+1)
		return do(st, r)
	})
}

// change reads, changes and writes the file. If the callback fails, the file stays as it is.
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
		err = renameio.WriteFile(s.path, append(journal.AddVersion(data), '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("cannot save paired senders: %w", err)
	}
	return nil
}

// maxFile bounds the file, in bytes.
const maxFile = 1 << 20

// read reads the file without following a link, and drops expired requests.
func (s *Store) read() (State, error) {
	st := State{Waiting: []Request{}, Paired: []Pair{}}
	f, err := os.OpenFile(s.path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return st, nil
	}
	if err != nil {
		return st, fmt.Errorf("cannot read paired senders: %w", err)
	}
	defer f.Close()
	fi, err := f.Stat()
	switch {
	case err != nil:
	case !fi.Mode().IsRegular() || fi.Size() > maxFile:
		err = errors.New("not a regular file of at most 1 MiB")
	case fi.Mode().Perm()&0o022 != 0:
		err = fmt.Errorf("others can write to it (mode %04o)", fi.Mode().Perm())
	default:
		err = decode(f, s.path, &st)
	}
	if err != nil {
		return State{}, fmt.Errorf("cannot read paired senders from %s: %w", s.path, err)
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

// openCodes returns how many codes of a channel can be approved.
func (st State) openCodes(channel string) int {
	n := 0
	for _, r := range st.Waiting {
		if r.Channel == channel && r.Code != "" {
			n++
		}
	}
	return n
}

func (st State) findRequest(code string) int {
	code = approval.NormalCode(code)
	return slices.IndexFunc(st.Waiting, func(r Request) bool { return code != "" && r.Code == code })
}

func (st State) findPair(channel, sender string) int {
	return slices.IndexFunc(st.Paired, func(p Pair) bool { return p.Channel == channel && p.Sender == sender })
}

// NormalSender returns a sender in the form that is compared. For WhatsApp it is the number's digits (E.164 without the
// plus sign or a leading 00), with any separators. Other channels' senders only lose surrounding
// blanks.
func NormalSender(channel, sender string) string {
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

func isValid(s string, most int) bool {
	return s != "" && len(s) <= most && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// cleanName returns a display name as it is stored.
func cleanName(name string) string {
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

// codeLength is the length of a code: a stranger has a day to guess one.
const codeLength = 6

// newCode returns a code that no other request has.
func (st State) newCode() string {
	return approval.NewCode(codeLength, func(code string) bool { return st.findRequest(code) >= 0 })
}

// SenderIn returns a sender as the channel's server identifies people, which is by digits only. It returns "" for
// a group, a name, or any other text that contains digits.
func SenderIn(channel, from string) string {
	least, most := 1, 20
	if channel == "whatsapp" {
		least, most = 7, 15
	}
	if len(from) < least || len(from) > most {
		return ""
	}
	for _, r := range from {
		if r < '0' || r > '9' {
			return ""
		}
	}
	return from
}
