package tools

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/nidoit/blunux-ai/tools/safety"
)

// boundary are the paths that commands without a confirmation can and cannot use. All comparisons are made with
// links resolved.
type boundary struct {
	workspace  string
	closed     []string // as written, and with links resolved
	home       string
	isSecret   func(path string) bool
	checksLeft int // remaining number of files to check
}

// maxChecks is the number of files to check for one plan.
const maxChecks = 4096

// homePlaces are places in a home directory that decide what runs later (shells, sessions, services,
// schedulers, editors, early entries of PATH), and places with keys. A single command that changes one has a
// lasting effect (security, threat 28).
const homePlaces = `
	.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bashrc.d .profile .zshrc .zshenv .zprofile .zlogin
	.zlogout .zsh .config/zsh .kshrc .mkshrc .inputrc .config/fish .config/nushell
	.xinitrc .xprofile .xsession .xsessionrc .xserverrc .Xresources .pam_environment .config/environment.d
	.config/autostart .config/autostart-scripts .config/plasma-workspace .config/plasma-localerc .config/kglobalshortcutsrc
	.config/hypr .config/sway .config/i3 .config/openbox .config/awesome .config/bspwm .config/sxhkd .config/labwc
	.config/niri .config/river .config/wayfire.ini .config/waybar .config/qtile
	.config/systemd .local/share/systemd .config/user-tmpfiles.d .local/share/dbus-1 .local/share/applications
	.local/share/kservices5 .local/share/kio .config/mimeapps.list .mailcap .forward .config/cron
	.local/bin bin .cargo/bin .cargo/env go/bin .npm-global .local/lib .local/share/flatpak .var/app
	.ssh .gnupg .aws .kube .docker .config/gh .config/containers .gitconfig .config/git .npmrc .cargo/config
	.cargo/config.toml .config/pip .pythonrc.py .vimrc .vim .config/nvim .emacs .emacs.d .config/emacs .tmux.conf
	.config/tmux .screenrc .gdbinit .lldbinit .config/blunux-ai`

// systemPlaces are places outside of homes that decide what the machine runs.
const systemPlaces = `/etc /usr /boot /efi /bin /sbin /lib /lib64 /var/lib /var/spool /run /dev /proc /sys`

// persistentNames are names that decide what runs in any directory: hooks and settings of version control and
// of directories.
var persistentNames = set(".git .hg .envrc .mise.toml .vscode .idea")

// newBoundary returns the current limits of commands without a confirmation, or false if there is no usable
// workspace.
func (g *Gate) newBoundary() (*boundary, bool) {
	w := &boundary{home: g.env.Home, isSecret: g.isSecret, checksLeft: maxChecks}
	if !filepath.IsAbs(g.allowance.Workspace) {
		return w, false
	}
	workspace, err := filepath.EvalSymlinks(g.allowance.Workspace)
	if err != nil {
		return w, false
	}
	w.workspace = workspace
	w.addClosed(g.allowance.Blocked...)
	w.addClosed(g.allowance.Protected...)
	w.addClosed(strings.Fields(systemPlaces)...)
	for place := range strings.FieldsSeq(homePlaces) {
		w.addClosed(filepath.Join(w.home, place))
	}
	return w, true
}

// addClosed adds absolute paths that are not allowed.
func (w *boundary) addClosed(places ...string) {
	for _, p := range places {
		if !filepath.IsAbs(p) {
			continue
		}
		p = filepath.Clean(p)
		w.closed = append(w.closed, p)
		if real, err := realPath(p); err == nil && real != p {
			w.closed = append(w.closed, real)
		}
	}
}

// isSecret reports whether a file can have a secret, according to the checker.
func (g *Gate) isSecret(path string) bool {
	v := g.checker.JudgeArgv("/", []string{"cat", path})
	return v.Class != safety.Safe
}

// canEnter reports whether a command can run in a directory, given as an absolute path.
func (w *boundary) canEnter(dir string) bool {
	real, err := realPath(dir)
	return err == nil && w.contains(real)
}

// allowsPath reports whether a command in any of these directories can use a path. The file need not exist.
func (w *boundary) allowsPath(dirs []string, path string) bool {
	if path == os.DevNull {
		return true
	}
	return !slices.ContainsFunc(dirs, func(dir string) bool {
		places, ok := w.possiblePaths(dir, path)
		return !ok || slices.ContainsFunc(places, func(p string) bool { return !w.allowsAbsolute(p) })
	})
}

// possiblePaths returns the absolute paths that a path in a directory can mean: as the kernel resolves it, as
// programs resolve it that remove ".." together with the name before it, and with ~ expanded or not. It fails
// for another user's home and for the directories that a shell remembers.
func (w *boundary) possiblePaths(dir, path string) ([]string, bool) {
	list := []string{path}
	if !filepath.IsAbs(path) {
		list[0] = dir + "/" + path
	}
	if rest, ok := strings.CutPrefix(path, "~"); ok {
		if rest != "" && rest[0] != '/' {
			return nil, false
		}
		list = append(list, w.home+rest)
	}
	for _, p := range list {
		if clean := filepath.Clean(p); clean != p {
			list = append(list, clean)
		}
	}
	return list, true
}

// allowsAbsolute reports whether an absolute path and everything below it is allowed, because a command on a
// directory can affect everything in it.
func (w *boundary) allowsAbsolute(path string) bool {
	real, err := realPath(path)
	if errors.Is(err, syscall.ENAMETOOLONG) {
		return true // no program can open it
	}
	if err != nil || !w.contains(real) || w.surroundsClosed(real) {
		return false
	}
	return nil == filepath.WalkDir(real, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case path == real && errors.Is(err, fs.ErrNotExist):
			return nil // it does not exist yet
		case err == nil && !w.allowsFile(path, entry):
			return errClosed
		}
		return err
	})
}

// errClosed ends the walk at a file that is not allowed.
var errClosed = errors.New("path is not allowed")

// allowsFile reports whether an existing file is allowed. For a link it checks the target.
func (w *boundary) allowsFile(path string, entry fs.DirEntry) bool {
	if w.checksLeft--; w.checksLeft < 0 || persistentNames[entry.Name()] {
		return false
	}
	if entry.Type()&fs.ModeSymlink != 0 {
		real, err := realPath(path)
		return err == nil && w.contains(real)
	}
	return !w.isSecret(path)
}

// contains reports whether a path is in the workspace and in no closed place.
func (w *boundary) contains(real string) bool {
	if !within(real, w.workspace) {
		return false
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(real, w.workspace), "/") {
		if persistentNames[name] {
			return false
		}
	}
	return !slices.ContainsFunc(w.closed, func(place string) bool { return within(real, place) })
}

// surroundsClosed reports whether a closed place is below a path, even if it does not exist yet.
func (w *boundary) surroundsClosed(real string) bool {
	return slices.ContainsFunc(w.closed, func(place string) bool { return within(place, real) })
}

// enclosesClosed reports whether a directory contains a closed place, or cannot be resolved.
func (w *boundary) enclosesClosed(dir string) bool {
	real, err := realPath(dir)
	return err != nil || w.surroundsClosed(real)
}

// within reports whether a clean path is dir or below it.
func within(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

// errMissingParent reports a path with .. after a missing directory.
var errMissingParent = errors.New("cannot resolve .. after a missing directory")

// realPath resolves the links of an absolute path, with ".." meaning the real parent. Missing parts stay as
// they are. It fails for a link with a missing target, because that target can still change.
func realPath(path string) (string, error) {
	missing := ""
	for {
		_, err := os.Lstat(path)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		i := strings.LastIndexByte(path, '/')
		if path[i+1:] == ".." {
			return "", errMissingParent
		}
		missing = path[i+1:] + "/" + missing
		if path = path[:i]; path == "" {
			path = "/"
		}
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Join(real, missing), nil
}
