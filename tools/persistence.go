package tools

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// warnPersistence warns of a plan that uses a place, or starts a program, that decides what runs automatically
// later.
const warnPersistence = "persistence"

// persistentSystemPlaces are the places outside of homes that decide what runs later.
const persistentSystemPlaces = `
	/etc/crontab /etc/cron.d /etc/cron.hourly /etc/cron.daily /etc/cron.weekly /etc/cron.monthly /etc/anacrontab /var/spool/cron /var/spool/at
	/etc/systemd /usr/lib/systemd /usr/local/lib/systemd /run/systemd/system /run/systemd/user /etc/init.d /etc/rc.local /etc/udev /etc/xdg
	/etc/profile /etc/profile.d /etc/bash.bashrc /etc/zsh /etc/fish /etc/environment /etc/environment.d /etc/skel /etc/ld.so.preload /etc/ld.so.conf
	/etc/ld.so.conf.d /etc/pam.d /etc/sudoers /etc/sudoers.d /etc/ssh /etc/pacman.d/hooks /etc/pacman.conf /etc/modules-load.d /etc/modprobe.d
	/etc/NetworkManager/dispatcher.d /usr/local/bin /usr/local/sbin /boot`

// warnDataLoss warns of a plan that destroys all data on a device or in an image. Its detail is the device or
// image.
const warnDataLoss = "data-loss"

// warnLosses adds a warning for each device or image that a plan erases.
func (j *JudgedPlan) warnLosses() {
	for _, r := range j.Parts {
		if r.Code == warnDataLoss {
			j.isVague = true
			j.warn(warnDataLoss + ": " + r.Part)
		}
	}
}

// schedulers run commands at another time.
var schedulers = set(`crontab at batch anacron fcrontab incrontab`)

// checkPersistence warns of the places in a plan that decide what runs automatically later, with links resolved. It
// also records if the plan can use such places in a way that is only known at run time. Neither can be granted for a
// session, because the same command could write something else the next time.
func (j *JudgedPlan) checkPersistence(home string) {
	for _, p := range j.Programs {
		if schedulers[p] {
			j.addPersistence(p)
		}
	}
	places := persistentPlaces(home)
	for _, c := range j.Plan.Commands {
		words, known := c.operands(home)
		j.isVague = j.isVague || !known
		dirs := []string{j.Plan.Dir}
		for _, w := range words {
			paths, ok := pathsIn(w.text)
			j.isVague = j.isVague || !ok
			for _, p := range paths {
				j.comparePath(places, dirs, p, home)
			}
			if w.cd {
				dirs = enterFrom(dirs, w.text)
			}
		}
	}
}

func (j *JudgedPlan) addPersistence(what string) {
	j.isVague = true
	j.warn(warnPersistence + ": " + what)
}

// comparePath checks a path, resolved from each directory, against the places.
func (j *JudgedPlan) comparePath(places, dirs []string, path, home string) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok || path == "~" {
		path = filepath.Join(home, rest)
	}
	for _, file := range enterFrom(dirs, path)[len(dirs):] {
		real := resolveLinks(file)
		for _, place := range places {
			switch {
			case within(real, place):
				j.addPersistence(file)
				return
			case within(place, real):
				j.isVague = true // a command on a directory can change what is in it
			}
		}
	}
}

// maxLinks is the maximum number of links in a path, path_resolution(7).
const maxLinks = 40

// resolveLinks resolves the links of a path, even if the file or the link's target does not exist.
func resolveLinks(path string) string {
	for range maxLinks {
		real, err := realPath(path)
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
	places := strings.Fields(persistentSystemPlaces)
	for place := range strings.FieldsSeq(homePlaces) {
		places = append(places, filepath.Join(home, place))
	}
	for _, p := range places {
		if real := resolveLinks(p); real != p {
			places = append(places, real)
		}
	}
	return places
}

// operand is a word of a command that can be a file name.
type operand struct {
	text string
	cd   bool // argument of cd: later words are relative to it
}

// operands returns the literal words of a command without its program names. known is false if it has other
// words.
func (c Command) operands(home string) (list []operand, known bool) {
	if c.Shell == "" {
		for _, arg := range c.Argv[min(len(c.Argv), 1):] {
			list = append(list, operand{text: arg})
		}
		return list, true
	}
	tree, err := parseShell(c.Shell)
	if err != nil {
		return nil, false
	}
	known = true
	programs, places := map[*syntax.Word]bool{}, map[*syntax.Word]bool{}
	syntax.Walk(tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			for i, w := range n.Args {
				programs[w] = i == 0
				places[w] = i > 0 && n.Args[0].Lit() == "cd"
			}
		case *syntax.Word:
			text, ok := literalValue(n, home)
			if !ok || strings.ContainsAny(text, "*?[{") {
				known = false
			} else if !programs[n] {
				list = append(list, operand{text: text, cd: places[n]})
			}
		}
		return true
	})
	return list, known
}
