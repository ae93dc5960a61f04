package telegram

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"
)

const (
	tokenFile = "token"
	mostToken = 4 << 10
)

// What is wrong with a token that is kept.
var (
	// ErrNoToken reports that nobody has logged in.
	ErrNoToken = errors.New("there is no token of a bot")
	// ErrOpenToken reports that others can read it.
	ErrOpenToken = errors.New("others can read the bot's token")
)

// TokenPath is where the bot's token is kept, below the channel's own directory.
func TokenPath(dir string) string { return filepath.Join(dir, tokenFile) }

// ReadToken reads the bot's token: [ErrNoToken], [ErrOpenToken], [ErrToken].
func ReadToken(dir string) (string, error) {
	f, err := os.OpenFile(TokenPath(dir), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return "", ErrNoToken
	}
	if err != nil {
		return "", fmt.Errorf("cannot read the bot's token: %w", err)
	}
	defer f.Close()
	fi, err := f.Stat()
	switch {
	case err != nil:
		return "", fmt.Errorf("cannot read the bot's token: %w", err)
	case !fi.Mode().IsRegular():
		return "", fmt.Errorf("cannot read the bot's token: %s is no plain file", f.Name())
	case fi.Mode().Perm()&0o077 != 0:
		return "", ErrOpenToken
	}
	return ParseToken(f)
}

// ParseToken reads a token, which is all there is but blanks around it.
func ParseToken(r io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, mostToken))
	if err != nil {
		return "", fmt.Errorf("cannot read the bot's token: %w", err)
	}
	token := strings.TrimSpace(string(data))
	if !tokenForm.MatchString(token) {
		return "", ErrToken
	}
	return token, nil
}

// WriteToken keeps a token, which makes the bot this machine's.
func WriteToken(dir, token string) error {
	if !tokenForm.MatchString(token) {
		return ErrToken
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("cannot keep the bot's token: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("cannot keep the bot's token: %w", err)
	}
	if err := renameio.WriteFile(TokenPath(dir), []byte(token+"\n"), 0o600, renameio.IgnoreUmask()); err != nil {
		return fmt.Errorf("cannot keep the bot's token: %w", err)
	}
	return nil
}
