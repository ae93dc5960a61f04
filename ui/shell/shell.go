// Package shell has the integrations of shells: a key that writes a command for the words on the line, and why, which
// explains the last failure. They run nothing before they are used.
package shell

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
)

//go:embed blunux-ai.*
var scripts embed.FS

// Names are the shells that have an integration.
func Names() []string { return []string{"bash", "zsh", "fish"} }

// Script returns the integration of a shell of [Names].
func Script(name string) ([]byte, error) { return scripts.ReadFile("blunux-ai." + name) }

// Place says where an integration is installed.
type Place struct {
	Home, ConfigHome, DataHome string // $HOME, $XDG_CONFIG_HOME, $XDG_DATA_HOME
	ZshDir                     string // $ZDOTDIR, "" for Home
	// Shared is the directory in which a package installed the scripts. It may be missing.
	Shared string
}

// startFile returns the file that the shell reads when it starts.
func (p Place) startFile(name string) string {
	switch name {
	case "zsh":
		if p.ZshDir != "" {
			return filepath.Join(p.ZshDir, ".zshrc")
		}
		return filepath.Join(p.Home, ".zshrc")
	case "fish":
		return filepath.Join(p.ConfigHome, "fish", "conf.d", "blunux-ai.fish")
	}
	return filepath.Join(p.Home, ".bashrc")
}

// The lines around our own in a file that the shell reads.
const begin, end = "# >>> blunux-ai >>>", "# <<< blunux-ai <<<"

// Install makes the shell read its integration when it starts, and returns the file in which it says so. A second time
// changes nothing.
func (p Place) Install(name string) (file string, err error) {
	script, err := p.scriptFile(name)
	if err != nil {
		return "", fmt.Errorf("cannot install the integration of %s: %w", name, err)
	}
	file = p.startFile(name)
	quoted := "'" + strings.ReplaceAll(script, "'", `'\''`) + "'"
	line := "[ -r " + quoted + " ] && . " + quoted
	if name == "fish" {
		quoted = "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(script) + "'"
		line = "test -r " + quoted + "; and source " + quoted
	}
	err = change(file, func(text string) string {
		text = without(text)
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		return text + begin + "\n" + line + "\n" + end + "\n"
	})
	return file, err
}

// Remove takes an installation back, and returns the file that named it.
func (p Place) Remove(name string) (file string, err error) {
	own := p.ownScript(name)
	if err := os.Remove(own); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("cannot remove the integration of %s: %w", name, err)
	}
	file = p.startFile(name)
	return file, change(file, without)
}

// IsInstalled reports whether the shell reads its integration when it starts.
func (p Place) IsInstalled(name string) bool {
	text, err := os.ReadFile(p.startFile(name))
	return err == nil && strings.Contains(string(text), begin+"\n")
}

func (p Place) ownScript(name string) string {
	return filepath.Join(p.DataHome, "blunux-ai", "shell", "blunux-ai."+name)
}

// scriptFile returns the file with the integration: the package's, which updates with it, or else one that it writes.
func (p Place) scriptFile(name string) (string, error) {
	if shared := filepath.Join(p.Shared, "blunux-ai."+name); p.Shared != "" {
		if info, err := os.Stat(shared); err == nil && info.Mode().IsRegular() {
			return shared, nil
		}
	}
	script, err := Script(name)
	if err != nil {
		return "", err
	}
	own := p.ownScript(name)
	return own, errors.Join(os.MkdirAll(filepath.Dir(own), 0o700), renameio.WriteFile(own, script, 0o600))
}

// change rewrites a file, also behind a link, and removes it if nothing is left.
func change(file string, edit func(string) string) error {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	text, err := os.ReadFile(file)
	mode := fs.FileMode(0o644)
	switch info, statErr := os.Stat(file); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("cannot read the shell's file: %w", err)
	case statErr == nil:
		mode = info.Mode().Perm()
	}
	changed := edit(string(text))
	switch {
	case changed == string(text):
		return nil
	case changed == "":
		return os.Remove(file)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("cannot write the shell's file: %w", err)
	}
	if err := renameio.WriteFile(file, []byte(changed), mode); err != nil {
		return fmt.Errorf("cannot write the shell's file: %w", err)
	}
	return nil
}

// without returns a text without our lines.
func without(text string) string {
	from := strings.Index(text, begin+"\n")
	to := strings.Index(text, end+"\n")
	if from < 0 || to < from {
		return text
	}
	return text[:from] + text[to+len(end)+1:]
}
