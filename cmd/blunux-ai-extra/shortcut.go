package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/installed"
	"github.com/nidoit/blunux-ai/ui/icon"
	"github.com/nidoit/blunux-ai/ui/shortcut"
)

// shortcutOptions are the options of the shortcut.
type shortcutOptions struct {
	Lang i18n.Lang `json:"lang"`
	Act  string    `json:"act"` // on, off, or listen
}

// runShortcut proposes a key that opens the small window, listens to it, or takes it back. The desktop's portal
// reports a key press only to a running program, so this program runs from login on while the shortcut is on.
func runShortcut(options []byte) (i18n.Lang, error) {
	var o shortcutOptions
	if err := readOptions(options, &o); err != nil {
		return o.Lang, err
	}
	file, err := autostartFile()
	if err != nil {
		return o.Lang, err
	}
	ctx, stop := untilSignal(syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	switch o.Act {
	case "off":
		return o.Lang, o.turnOff(ctx, file)
	case "listen":
		return o.Lang, o.listen(ctx)
	}
	return o.Lang, o.turnOn(ctx, file)
}

// bind binds the shortcut, which the desktop asks the person about the first time.
func (o shortcutOptions) bind(ctx context.Context) (*shortcut.Session, error) {
	s, err := shortcut.Bind(ctx, icon.Address(os.Getenv), i18n.QuickShortcut.In(o.Lang))
	switch {
	case errors.Is(err, shortcut.ErrNoPortal):
		return nil, i18n.QuickNoPortal.WithCause(err)
	case errors.Is(err, shortcut.ErrDeclined):
		return nil, i18n.QuickDeclined.WithCause(err)
	}
	return s, err
}

func (o shortcutOptions) turnOn(ctx context.Context, file string) error {
	program, err := installed.Find("blunux-ai")
	if err != nil {
		return err
	}
	s, err := o.bind(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := writeAutostart(file, program); err != nil {
		return err
	}
	s.Close() // before the one that listens opens its own
	if _, listens := shortcut.Listener(ctx, icon.Address(os.Getenv)); !listens {
		if err := startWindow("", "--shortcut=listen"); err != nil {
			return err
		}
	}
	text := i18n.QuickShortcutOn(s.Trigger())
	if s.Trigger() == "" {
		text = i18n.QuickShortcutUnnamed
	}
	fmt.Println(text.In(o.Lang))
	return nil
}

func (o shortcutOptions) turnOff(ctx context.Context, file string) error {
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if pid, listens := shortcut.Listener(ctx, icon.Address(os.Getenv)); listens {
		if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
			return fmt.Errorf("cannot end the program that listens: %w", err)
		}
	}
	fmt.Println(i18n.QuickShortcutOff.In(o.Lang))
	return nil
}

// listen opens the small window each time that the shortcut is pressed.
func (o shortcutOptions) listen(ctx context.Context) error {
	for {
		s, err := o.bind(ctx)
		if err != nil {
			return err
		}
		err = s.Listen(ctx, func(token string) {
			if err := startWindow(token); err != nil {
				fmt.Fprintf(os.Stderr, "blunux-ai: %v\n", err)
			}
		})
		s.Close()
		if !errors.Is(err, shortcut.ErrRestarted) {
			return err
		}
	}
}

// autostartFile returns the file with which the desktop starts the program that listens: Desktop Application Autostart
// Specification, "Autostart Directories".
func autostartFile() (string, error) {
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "autostart", "org.blunux.ai.quick.desktop"), err
}

// writeAutostart writes the file. Source: Desktop Entry Specification, "The Exec key".
func writeAutostart(file, program string) error {
	if strings.ContainsAny(program, "\"`$\\\n") {
		return fmt.Errorf("cannot start %q at login: the desktop starts no program with a quote, a backslash or a dollar sign in its path", program)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, fmt.Appendf(nil, `[Desktop Entry]
Type=Application
Name=Blunux AI: shortcut of the small window
Exec="%s" quick --shortcut=listen
NoDisplay=true
`, strings.ReplaceAll(program, "%", "%%")), 0o644)
}
