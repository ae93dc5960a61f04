// Package account is what the bridges of bots share: the file of a bot's token, the address of its server, and the HTTP
// client.
package account

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"
)

const (
	tokenFile = "token"
	mostToken = 4 << 10
)

// Errors of tokens.
var (
	// ErrToken reports that a text is not a bot token.
	ErrToken = errors.New("not a bot token")
	// ErrNoToken reports that no token is saved.
	ErrNoToken = errors.New("no bot token is saved")
	// ErrOpenToken reports that other users can read the token file.
	ErrOpenToken = errors.New("the bot token is readable by other users")
)

// TokenPath returns the path of the token file in the channel's directory.
func TokenPath(dir string) string { return filepath.Join(dir, tokenFile) }

// ReadToken reads the saved token, which must match form. Its errors include [ErrNoToken], [ErrOpenToken] and [ErrToken].
func ReadToken(dir string, form *regexp.Regexp) (string, error) {
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
		return "", fmt.Errorf("cannot read the bot's token: %s is not a regular file", f.Name())
	case fi.Mode().Perm()&0o077 != 0:
		return "", ErrOpenToken
	}
	return ParseToken(f, form)
}

// ParseToken reads a token, with optional blanks around it.
func ParseToken(r io.Reader, form *regexp.Regexp) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, mostToken))
	if err != nil {
		return "", fmt.Errorf("cannot read the bot's token: %w", err)
	}
	token := strings.TrimSpace(string(data))
	if !form.MatchString(token) {
		return "", ErrToken // without the value
	}
	return token, nil
}

// WriteToken saves a token, which logs the bot in on this computer.
func WriteToken(dir, token string, form *regexp.Regexp) error {
	if !form.MatchString(token) {
		return ErrToken
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("cannot save the bot's token: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("cannot save the bot's token: %w", err)
	}
	if err := renameio.WriteFile(TokenPath(dir), []byte(token+"\n"), 0o600, renameio.IgnoreUmask()); err != nil {
		return fmt.Errorf("cannot save the bot's token: %w", err)
	}
	return nil
}
