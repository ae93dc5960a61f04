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

// walls are what commands that run unasked must stay inside of, and out of.
// Every path is compared with its links followed.
type walls struct {
	workspace string
	closed    []string // as they are written, and with their links followed
	home      string
	secret    func(path string) bool
	looks     int // how many files may still be looked at
}

// maxLooks bounds how many files are looked at to decide about one plan.
const maxLooks = 4096

// persistent are places below a home directory that decide what is run later:
// by shells, sessions, services, schedulers, editors, or because they come
// early in PATH; and those with keys. Changing one is how a single command
// becomes a lasting one (security, threat 28).
const persistent = `
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

// system are places outside homes that decide what the machine runs.
const system = `/etc /usr /boot /efi /bin /sbin /lib /lib64 /var/lib /var/spool /run /dev /proc /sys`

// persistentNames are names that decide what is run wherever they are: hooks
// and settings of version control and of directories.
var persistentNames = set(".git .hg .envrc .mise.toml .vscode .idea")

// walls returns where commands may run unasked now; false when that is nowhere.
func (g *Gate) walls() (*walls, bool) {
	w := &walls{home: g.env.Home, secret: g.secret, looks: maxLooks}
	if !filepath.IsAbs(g.full.Workspace) {
		return w, false
	}
	workspace, err := filepath.EvalSymlinks(g.full.Workspace)
	if err != nil {
		return w, false
	}
	w.workspace = workspace
	w.close(g.full.Blocked...)
	w.close(g.full.Protected...)
	w.close(strings.Fields(system)...)
	for place := range strings.FieldsSeq(persistent) {
		w.close(filepath.Join(w.home, place))
	}
	return w, true
}

// close adds absolute places nothing unasked may touch.
func (w *walls) close(places ...string) {
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

// secret reports whether what a file holds may be a secret, as the checker
// sees it.
func (g *Gate) secret(path string) bool {
	v := g.checker.JudgeArgv("/", []string{"cat", path})
	return v.Class != safety.Safe
}

// enters reports whether a command may run in a directory, an absolute path.
func (w *walls) enters(dir string) bool {
	real, err := realPath(dir)
	return err == nil && w.holds(real)
}

// admits reports whether a command in one of these directories may name a
// path, of a file that need not be there.
func (w *walls) admits(dirs []string, path string) bool {
	if path == os.DevNull {
		return true
	}
	return !slices.ContainsFunc(dirs, func(dir string) bool {
		places, ok := w.readings(dir, path)
		return !ok || slices.ContainsFunc(places, func(p string) bool { return !w.admitsAt(p) })
	})
}

// readings are the absolute paths that one in a directory may stand for: as the
// kernel takes it, and for programs that put ".." together with the name before
// it; a ~ both put in and left. It fails for another user's home and for the
// directories that a shell remembers.
func (w *walls) readings(dir, path string) ([]string, bool) {
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

// admitsAt reports whether an absolute path may be touched, with all that is
// below it: what is done to a directory may be done to everything in it.
func (w *walls) admitsAt(path string) bool {
	real, err := realPath(path)
	if errors.Is(err, syscall.ENAMETOOLONG) {
		return true // nobody can open it
	}
	if err != nil || !w.holds(real) || w.surrounds(real) {
		return false
	}
	return nil == filepath.WalkDir(real, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case path == real && errors.Is(err, fs.ErrNotExist):
			return nil // not there yet
		case err == nil && !w.admitsFile(path, entry):
			return errClosed
		}
		return err
	})
}

// errClosed ends the look at a directory with something in it that must be
// left alone.
var errClosed = errors.New("something must be left alone")

// admitsFile reports whether a file that is there may be touched, a link
// wherever it leads.
func (w *walls) admitsFile(path string, entry fs.DirEntry) bool {
	if w.looks--; w.looks < 0 || persistentNames[entry.Name()] {
		return false
	}
	if entry.Type()&fs.ModeSymlink != 0 {
		real, err := realPath(path)
		return err == nil && w.holds(real)
	}
	return !w.secret(path)
}

// holds reports whether a path lies in the workspace and in no closed place.
func (w *walls) holds(real string) bool {
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

// surrounds reports whether a closed place lies below a path, also one that is
// not there yet.
func (w *walls) surrounds(real string) bool {
	return slices.ContainsFunc(w.closed, func(place string) bool { return within(place, real) })
}

// encloses reports whether there is a closed place in a directory, or what
// there is cannot be told.
func (w *walls) encloses(dir string) bool {
	real, err := realPath(dir)
	return err != nil || w.surrounds(real)
}

// within reports whether a clean path is a directory or below it.
func within(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

// errClimbs reports a path that goes up from what is not there.
var errClimbs = errors.New("cannot tell where .. leads")

// realPath follows the links of an absolute path, ".." meaning the real parent.
// What is not there yet is taken to become what its name says. It fails for a
// link that leads nowhere: what it will lead to is not known.
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
			return "", errClimbs
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
