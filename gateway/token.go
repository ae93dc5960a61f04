package gateway

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/internal/disk"
	"github.com/nidoit/blunux-ai/internal/journal"
)

// Scope is what a token permits. Each scope includes those before it.
type Scope string

// The scopes.
const (
	Read    Scope = "read"    // notifications and lists
	Write   Scope = "write"   // messages and tool calls
	Approve Scope = "approve" // answers to questions
)

// Scopes lists the scopes, the weakest first.
func Scopes() []Scope { return []Scope{Read, Write, Approve} }

// Permits reports whether the scope includes another.
func (s Scope) Permits(need Scope) bool {
	have := slices.Index(Scopes(), s)
	return have >= 0 && have >= slices.Index(Scopes(), need)
}

// Token is a token as it is stored: without the token.
type Token struct {
	Name    string    `json:"name"`
	Scope   Scope     `json:"scope"`
	SHA256  string    `json:"sha256"` // of the token's text, in hexadecimal
	Created time.Time `json:"created"`
	// Page is set for a session of the page, whose text is no token.
	Page *Session `json:"page,omitempty"`
}

// owner returns the name of the conversations and answers: all sessions of the page share theirs.
func (t Token) owner() string {
	if t.Page != nil {
		return pageOwner
	}
	return t.Name
}

// The errors of tokens.
var (
	ErrTokenName   = errors.New("a token's name has 1 to 32 letters, digits, dots, hyphens or underscores, and is not page")
	ErrTokenExists = errors.New("there is a token with this name")
	ErrNoToken     = errors.New("there is no token with this name")
	ErrScope       = errors.New("the scope is read, write or approve")
	// ErrOpenTokens reports a file of tokens that is not the person's alone.
	ErrOpenTokens = errors.New("the file of tokens must be a regular file of yours with mode 0600")
)

const (
	// tokenPrefix marks a token, so that tools that look for leaked secrets find it.
	tokenPrefix = "blunux_gw_"
	tokenBytes  = 32
	// maxTokens bounds the number of tokens, maxTokenFile the file in bytes.
	maxTokens    = 100
	maxTokenFile = 64 << 10
)

var tokenName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,32}$`)

// Dir returns the gateway's directory below the directory of the settings.
func Dir(home string) string { return filepath.Join(home, "gateway") }

// TokensPath returns the file of the tokens in the gateway's directory.
func TokensPath(dir string) string { return filepath.Join(dir, "tokens.json") }

// tokenFile is the content of the file.
type tokenFile struct {
	Version int     `json:"v"`
	Tokens  []Token `json:"tokens"`
}

// ReadTokens returns the tokens of the gateway's directory, none if there is no file.
func ReadTokens(dir string) ([]Token, error) {
	f, err := os.OpenFile(TokensPath(dir), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if errors.Is(err, syscall.ELOOP) {
		return nil, ErrOpenTokens
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the tokens: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("cannot read the tokens: %w", err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 || int(owner.Uid) != os.Getuid() {
		return nil, ErrOpenTokens
	}
	text, err := io.ReadAll(io.LimitReader(f, maxTokenFile))
	if err == nil {
		err = journal.CheckVersion(TokensPath(dir), text)
	}
	var file tokenFile
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the tokens: %w", err)
	}
	return file.Tokens, nil
}

// AddToken makes a token and stores its hash. The result is the only copy of the token.
func AddToken(dir, name string, scope Scope, now time.Time) (text string, err error) {
	switch {
	case !tokenName.MatchString(name), name == pageOwner, strings.HasPrefix(name, pageOwner+"-"):
		return "", ErrTokenName
	case !slices.Contains(Scopes(), scope):
		return "", ErrScope
	}
	random := make([]byte, tokenBytes)
	_, _ = rand.Read(random) // never fails, crypto/rand
	text = tokenPrefix + hex.EncodeToString(random)
	err = changeTokens(dir, func(all []Token) ([]Token, error) {
		switch {
		case slices.ContainsFunc(all, func(t Token) bool { return t.Name == name }):
			return nil, ErrTokenExists
		case len(all) >= maxTokens:
			return nil, fmt.Errorf("there are %d tokens already", maxTokens)
		}
		return append(all, Token{Name: name, Scope: scope, SHA256: hashOf(text), Created: now.UTC().Truncate(time.Second)}), nil
	})
	return text, err
}

// RemoveToken revokes a token. A running gateway disconnects its clients and cancels what they wait for.
func RemoveToken(dir, name string) error {
	return changeTokens(dir, func(all []Token) ([]Token, error) {
		left := slices.DeleteFunc(slices.Clone(all), func(t Token) bool { return t.Name == name })
		if len(left) == len(all) {
			return nil, ErrNoToken
		}
		return left, nil
	})
}

// changeTokens replaces the file, alone. Without tokens there is no file, and the gateway's units do not start.
func changeTokens(dir string, change func([]Token) ([]Token, error)) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("cannot create the gateway's directory: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "tokens.lock"), os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return fmt.Errorf("cannot lock the tokens: %w", err)
	}
	defer lock.Close()
	if err := disk.Lock(lock, disk.Exclusive); err != nil {
		return fmt.Errorf("cannot lock the tokens: %w", err)
	}
	all, err := ReadTokens(dir)
	if err == nil {
		all, err = change(all)
	}
	if err != nil {
		return err
	}
	if len(all) == 0 {
		if err := os.Remove(TokensPath(dir)); err != nil {
			return fmt.Errorf("cannot remove the tokens: %w", err)
		}
		return disk.SyncDir(dir)
	}
	text, err := json.MarshalIndent(tokenFile{Version: journal.Version, Tokens: all}, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot write the tokens: %w", err)
	}
	if err := renameio.WriteFile(TokensPath(dir), append(text, '\n'), 0o600, renameio.IgnoreUmask()); err != nil {
		return fmt.Errorf("cannot write the tokens: %w", err)
	}
	return disk.SyncDir(dir)
}

func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// tokens are the tokens in use. They are read again when the file changes. It is safe for concurrent use.
type tokens struct {
	dir string
	now func() time.Time

	mu    sync.Mutex
	stamp fileStamp
	all   []Token
	err   error
}

// fileStamp identifies the content and the mode of a file that is only replaced as a whole.
type fileStamp struct {
	inode   uint64
	size    int64
	changed syscall.Timespec // also by a change of the mode
}

func stampOf(path string) fileStamp {
	info, err := os.Lstat(path)
	if err != nil {
		return fileStamp{}
	}
	s := fileStamp{size: info.Size()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.inode, s.changed = sys.Ino, sys.Ctim
	}
	return s
}

// current returns the tokens of the file. A file that cannot be read permits nothing.
func (ts *tokens) current() ([]Token, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if s := stampOf(TokensPath(ts.dir)); s != ts.stamp || s == (fileStamp{}) {
		ts.stamp = s
		ts.all, ts.err = ReadTokens(ts.dir)
	}
	return ts.all, ts.err
}

// find returns the stored token of a client's token.
func (ts *tokens) find(text string) (found Token, ok bool) {
	all, err := ts.current()
	if err != nil {
		return Token{}, false
	}
	return match(all, text, func(t Token) bool { return t.Page == nil })
}

// match returns the token of a text among those that are meant. It compares with each hash in constant time.
func match(all []Token, text string, meant func(Token) bool) (found Token, ok bool) {
	hash := []byte(hashOf(text))
	for _, t := range all {
		if subtle.ConstantTimeCompare(hash, bytes.ToLower([]byte(t.SHA256))) == 1 && meant(t) {
			found, ok = t, true
		}
	}
	return found, ok
}

// holds reports whether a token is still valid, as it was.
func (ts *tokens) holds(t Token) bool {
	all, err := ts.current()
	return err == nil && slices.ContainsFunc(all, func(o Token) bool {
		return o.Name == t.Name && o.Scope == t.Scope && o.SHA256 == t.SHA256 && !o.isExpired(ts.now())
	})
}
