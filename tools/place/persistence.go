package place

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/tools/shell"
)

// persistentSystemPlaces are the places outside of homes that decide what runs later.
const persistentSystemPlaces = `
	/etc/crontab /etc/cron.d /etc/cron.hourly /etc/cron.daily /etc/cron.weekly /etc/cron.monthly /etc/anacrontab /var/spool/cron /var/spool/at
	/etc/systemd /usr/lib/systemd /usr/local/lib/systemd /run/systemd/system /run/systemd/user /etc/init.d /etc/rc.local /etc/udev /etc/xdg
	/etc/profile /etc/profile.d /etc/bash.bashrc /etc/zsh /etc/fish /etc/environment /etc/environment.d /etc/skel /etc/ld.so.preload /etc/ld.so.conf
	/etc/ld.so.conf.d /etc/pam.d /etc/sudoers /etc/sudoers.d /etc/ssh /etc/pacman.d/hooks /etc/pacman.conf /etc/modules-load.d /etc/modprobe.d
	/etc/NetworkManager/dispatcher.d /usr/local/bin /usr/local/sbin /boot`

// schedulers run commands at another time.
var schedulers = strings.Fields(`crontab at batch anacron fcrontab incrontab`)

// Uses are the places in commands that decide what runs automatically later.
type Uses struct {
	Found []string // places and schedulers
	Vague bool     // such a place can be used in a way that is only known at run time
}

func (u *Uses) add(what string) {
	u.Vague = true
	if !slices.Contains(u.Found, what) {
		u.Found = append(u.Found, what)
	}
}

// Persistent returns the places in commands that decide what runs automatically later, with links resolved. programs
// are those that the checker found.
func Persistent(commands []shell.Command, programs []string, workingDir, home string) (u Uses) {
	for _, p := range programs {
		if slices.Contains(schedulers, p) {
			u.add(p)
		}
	}
	places := persistentPlaces(home)
	for _, c := range commands {
		words, known := c.Operands(home)
		u.Vague = u.Vague || !known
		dirs := []string{workingDir}
		for _, w := range words {
			paths, ok := PathsIn(w.Text)
			u.Vague = u.Vague || !ok
			for _, p := range paths {
				u.comparePath(places, dirs, p, home)
			}
			if w.CD {
				dirs = enterFrom(dirs, w.Text)
			}
		}
	}
	return u
}

// comparePath checks a path, resolved from each directory, against the places.
func (u *Uses) comparePath(places, dirs []string, path, home string) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok || path == "~" {
		path = filepath.Join(home, rest)
	}
	for _, file := range enterFrom(dirs, path)[len(dirs):] {
		real := resolveLinks(file)
		for _, place := range places {
			switch {
			case Within(real, place):
				u.add(file)
				return
			case Within(place, real):
				u.Vague = true // a command on a directory can change what is in it
			}
		}
	}
}

// maxLinks is the maximum number of links in a path, path_resolution(7).
const maxLinks = 40

// resolveLinks resolves the links of a path, even if the file or the link's target does not exist.
func resolveLinks(path string) string {
	for range maxLinks {
		real, err := RealPath(path)
		if err == nil {
			return real
		}
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return filepath.Clean(path)
}

// enterFrom returns dirs and the result of path from each of them.
func enterFrom(dirs []string, path string) []string {
	if filepath.IsAbs(path) {
		return append(slices.Clip(dirs), filepath.Clean(path))
	}
	for _, dir := range dirs {
		dirs = append(slices.Clip(dirs), filepath.Join(dir, path))
	}
	return dirs
}

// persistentPlaces returns the places as written and with links resolved.
func persistentPlaces(home string) []string {
	places := append(strings.Fields(persistentSystemPlaces), InHome(home)...)
	for _, p := range places {
		if real := resolveLinks(p); real != p {
			places = append(places, real)
		}
	}
	return places
}

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

// InHome returns the places in a home directory that decide what runs later, and those with keys.
func InHome(home string) []string {
	places := strings.Fields(homePlaces)
	for i, p := range places {
		places[i] = filepath.Join(home, p)
	}
	return places
}
