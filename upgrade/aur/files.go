package aur

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// isBuildPlace reports whether a text names a place of the build, or one that is not known.
func isBuildPlace(text string) bool {
	return text == "" || !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "~") || strings.HasPrefix(text, startDir) ||
		strings.HasPrefix(text, "/dev/null") || strings.HasPrefix(text, "/dev/std") || strings.HasPrefix(text, "/dev/fd") ||
		text == "/dev/tty" || strings.HasPrefix(text, "/tmp/") && len(text) > len("/tmp/")
}

// isHome reports whether a path is below a home.
func isHome(text string) bool {
	return text == homeDir || strings.HasPrefix(text, homeDir+"/") || strings.HasPrefix(text, "/home/") || strings.HasPrefix(text, "/root/") ||
		strings.HasPrefix(text, "~")
}

// secretPlaces are parts of paths of keys, passwords and histories.
var secretPlaces = []string{
	"/.ssh/id_", "/.ssh/*", "/.gitconfig", "/.ssh/authorized_keys", "/.ssh/known_hosts", "/.gnupg/", "/.aws/credentials", "/.git-credentials", "/.netrc", "/.bash_history", "/.zsh_history",
	"/.mozilla/firefox", "/.config/google-chrome", "/.config/chromium", "/.config/BraveSoftware", "/.electrum", "/.bitcoin", "/.ethereum", "/.config/discord",
	"/.config/Slack", "/.kube/config", "/.docker/config.json", "/.config/gh/hosts", "/.local/share/keyrings", "/.thunderbird", "wallet.dat", "/.password-store",
	"/.config/Signal", "/.local/share/TelegramDesktop", "Login Data", "/.vault-token", "/.config/gcloud", "/.azure/", "/.claude", "/.codex",
}

// startPlaces are where files start by themselves, or change how others do.
var startPlaces = []string{
	"/etc/systemd/system/", "/etc/systemd/user/", "/usr/lib/systemd/system/", "/lib/systemd/system/", "/etc/cron", "/var/spool/cron", "/etc/profile", "/etc/rc.local",
	"/etc/xdg/autostart/", "/etc/ld.so.preload", "/etc/sudoers", "/etc/pam.d/", "/etc/bash.bashrc", "/etc/init.d/", "/etc/udev/rules.d/", "/etc/pacman.d/hooks/", "/usr/share/libalpm/hooks/",
	"/etc/modules-load.d/", "/etc/zsh/", "/etc/polkit-1/", "/etc/environment", "/etc/passwd", "/etc/shadow",
	"/.config/autostart/", "/.config/systemd/user/", "/.bashrc", "/.bash_profile", "/.profile", "/.zshrc", "/.zprofile", "/.zshenv", "/.ssh/authorized_keys",
	"/.local/share/systemd/user/", "/.config/fish/config.fish", "/.config/git/", "/.xinitrc", "/.xprofile", "/.npmrc", "/.local/bin/",
}

// accountPlaces decide who may log in, and what every program loads. No scriptlet repairs them.
var accountPlaces = []string{"/etc/pam.d/", "/etc/sudoers", "/etc/ld.so.preload", "/etc/shadow", "/.ssh/authorized_keys"}

func isAccount(text string) bool {
	return slices.ContainsFunc(accountPlaces, func(p string) bool { return strings.Contains(text, p) })
}

// isDisk reports whether a path is that of a whole disk, or of one that is only known when the recipe runs.
func isDisk(text string) bool {
	return strings.HasPrefix(text, unknown) || strings.HasPrefix(text, "$") ||
		strings.HasPrefix(text, "/dev/") && !strings.HasPrefix(text, "/dev/shm/") && !isBuildPlace(text)
}

// keyNames are parts of patterns that find files with keys.
var keyNames = []string{"id_rsa", "id_ed25519", "id_ecdsa", "wallet", "kdbx", "keystore", "cookies", "login data", ".pem", ".env", "credentials", "token"}

// searchesKeys reports whether find looks for keys below a home.
func searchesKeys(args []string) bool {
	home, key := false, false
	for i, a := range args {
		home = home || isHome(a) || a == "/home" || a == "/root"
		key = key || i > 0 && strings.HasSuffix(args[i-1], "name") && slices.ContainsFunc(keyNames, func(k string) bool {
			return strings.Contains(strings.ToLower(a), k)
		})
	}
	return home && key
}

// isStart reports whether a file at a path starts by itself.
func isStart(text string) bool {
	return !strings.HasPrefix(text, startDir) && slices.ContainsFunc(startPlaces, func(p string) bool {
		if strings.HasPrefix(p, "/.") { // below a home
			return strings.Contains(text, p) && (isHome(text) || strings.HasPrefix(text, unknown+"/"))
		}
		return strings.HasPrefix(text, p)
	})
}

// writes judges a file that is written.
func (w *walker) writes(target string, n syntax.Node) {
	switch {
	case strings.HasPrefix(target, "/dev/tcp/") || strings.HasPrefix(target, "/dev/udp/"):
		w.report(Connects, Red, n, target)
	case w.kind == program:
		if isStart(target) {
			w.report(Persists, Warn, n, target)
		}
	case isStart(target):
		w.report(Persists, Red, n, target)
	case w.kind == scriptlet && slices.Contains([]string{"/usr/bin", "/usr/local/bin", "/usr/sbin", "/usr/local/sbin"}, path.Dir(target)):
		w.report(Persists, Red, n, target)
	case w.kind == scriptlet:
		if isHome(target) {
			w.report(HomeFiles, Warn, n, target)
		}
	case isHome(target):
		w.report(HomeFiles, Warn, n, target)
	case !isBuildPlace(target):
		w.report(Outside, Warn, n, target)
	}
}

// reads judges a file that is read.
func (w *walker) reads(text string, n syntax.Node) {
	if strings.HasPrefix(text, "/dev/tcp/") || strings.HasPrefix(text, "/dev/udp/") {
		w.report(Connects, Red, n, text)
		return
	}
	if isSecret(text) {
		w.report(Secrets, Red, n, text)
	}
}

// isSecret reports whether a path is one of keys, passwords or histories of a person.
func isSecret(text string) bool {
	if strings.HasPrefix(text, startDir) {
		return false
	}
	return text == "/etc/shadow" || strings.ContainsAny(text, "/~") && slices.ContainsFunc(secretPlaces, func(p string) bool { return strings.Contains(text, p) }) &&
		(isHome(text) || strings.Contains(text, unknown) || strings.Contains(text, "*"))
}

// textOperands judges words of any command: keys, connections, pools of miners.
func (w *walker) textOperands(argv []string, in invocation) {
	if len(argv) == 0 || slices.Contains([]string{"echo", "printf", "cat", "msg", "msg2", "plain"}, argv[0]) && w.kind != program && !w.isPiped && argv[0] != "cat" {
		argv = nil
	}
	for i, a := range argv {
		switch {
		case strings.Contains(a, "/dev/tcp/") || strings.Contains(a, "/dev/udp/"):
			w.report(Connects, Red, in.node, a)
		case strings.Contains(a, "stratum+tcp://") || strings.Contains(a, "stratum+ssl://"):
			w.report(Mines, Red, in.node, a)
		case i > 0 && isSecret(a):
			w.report(Secrets, Red, in.node, a)
		case strings.Contains(a, "aur@aur.archlinux.org"):
			w.report(CopiesItself, Red, in.node, a)
		}
	}
}

// changesFiles judges the operands of programs that write files.
func (w *walker) changesFiles(name string, args []string, shown string, in invocation) {
	if w.copiesItself(name, in) {
		w.report(CopiesItself, Red, in.node, w.source(in.node))
	}
	w.setuid(name, args, shown, in)
	if name == "find" && w.kind != program && searchesKeys(args) {
		w.report(Secrets, Red, in.node, shown)
	}
	if (strings.HasPrefix(name, "mkfs") || name == "wipefs" || name == "blkdiscard") && slices.ContainsFunc(args, isDisk) {
		w.report(Destroys, Red, in.node, shown)
	}
	var targets []string
	operands := slices.DeleteFunc(slices.Clone(args), isFlag)
	switch {
	case copiers()[name]:
		targets = copyTargets(args, operands)
		w.installsHooks(operands, targets, shown, in)
		if isExecutableInstall(name, args) && len(targets) == 1 && w.kind == scriptlet && w.fetched[path.Base(targets[0])]&(fetches|decodes) != 0 {
			w.report(RunsFetched, Red, in.node, shown)
		}
		for i, from := range operands[:max(0, len(operands)-1)] {
			if of := w.fetched[path.Base(from)]; of != 0 && i < 64 && len(targets) == 1 && !strings.HasPrefix(targets[0], pkgDir) {
				w.fetched[path.Base(targets[0])] |= of
			}
		}
	case name == "dd":
		for _, a := range args {
			if of, is := strings.CutPrefix(a, "of="); is {
				targets = append(targets, of)
			}
		}
	case name == "sed" && slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-i") || strings.HasPrefix(a, "--in-place") }),
		name == "patch":
		targets = operands[min(len(operands), 1):]
	case name == "rm" || name == "rmdir" || name == "chown" || name == "chgrp":
		if w.kind != scriptlet {
			targets = operands
		}
	case name == "mkdir" || name == "touch" || name == "tee" || name == "truncate" || name == "shred" || name == "chmod":
		targets = operands
	}
	for _, target := range targets {
		if name == "dd" && isDisk(target) || name == "shred" && isDisk(target) && w.kind != program {
			w.report(Destroys, Red, in.node, shown)
			continue
		}
		if w.kind == scriptlet && !isStart(target) && !isHome(target) && !strings.Contains(target, "/bin/") {
			continue
		}
		if w.kind == scriptlet && (name == "rm" || name == "chmod" || name == "mkdir" || name == "ln" || name == "sed" || name == "mv" || name == "touch") && (name == "rm" || name == "chmod" || !isAccount(target)) {
			continue // scriptlets repair what older packages left
		}
		w.writes(target, in.node)
		if name == "tee" && w.input != 0 {
			w.noteFetched(target, w.input)
		}
	}
}

// copyTargets returns where cp and its kind write.
func copyTargets(args, operands []string) []string {
	for i, a := range args {
		switch {
		case (a == "-t" || a == "--target-directory") && i+1 < len(args):
			return args[i+1 : i+2]
		case strings.HasPrefix(a, "--target-directory="):
			return []string{strings.TrimPrefix(a, "--target-directory=")}
		case isFlag(a) && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "t") && len(a) > 2 && i+1 < len(args):
			return args[i+1 : i+2]
		case a == "-d" || a == "--directory":
			return operands
		}
	}
	if len(operands) == 0 {
		return nil
	}
	return operands[len(operands)-1:]
}

func isExecutableInstall(name string, args []string) bool {
	return name == "cp" || name == "mv" || name == "install" && !slices.Contains(args, "-d")
}

// copiesItself reports whether a command copies the text that it is in.
func (w *walker) copiesItself(name string, in invocation) (does bool) {
	if !copiers()[name] && name != "cat" || w.kind == program {
		return false
	}
	for _, word := range in.args[1:] {
		syntax.Walk(word, func(n syntax.Node) bool {
			p, ok := n.(*syntax.ParamExp)
			does = does || ok && p.Param != nil && (p.Param.Value == "BASH_SOURCE" || p.Param.Value == "0")
			return true
		})
	}
	return does
}

// setuid judges modes that give a program the rights of its owner.
func (w *walker) setuid(name string, args []string, shown string, in invocation) {
	gives := false
	switch name {
	case "chmod":
		gives = len(args) > 0 && givesRights(args[slices.IndexFunc(append(slices.Clone(args), ""), func(a string) bool { return a == "" || !isFlag(a) || a == "-s" })%len(args)])
	case "install":
		for i, a := range args {
			mode, is := strings.CutPrefix(a, "-Dm")
			if !is {
				mode, is = strings.CutPrefix(a, "-m")
			}
			if is && mode == "" && i+1 < len(args) {
				mode = args[i+1]
			}
			gives = gives || is && givesRights(mode)
		}
	case "setcap":
		w.report(Setuid, Note, in.node, shown)
		return
	}
	switch {
	case !gives:
	case strings.Contains(shown, "sandbox"): // of programs with Chromium in them
		w.report(Setuid, Note, in.node, shown)
	default:
		w.report(Setuid, Warn, in.node, shown)
	}
}

func givesRights(mode string) bool {
	if strings.Trim(mode, "01234567") == "" {
		return len(mode) >= 4 && mode[len(mode)-4]&4 != 0
	}
	return strings.Contains(mode, "u+s") || strings.Contains(mode, "+s") || strings.Contains(mode, "u=s")
}

// pathVariables change how programs are found or loaded.
var pathVariables = set("LD_PRELOAD LD_LIBRARY_PATH BASH_ENV ENV PROMPT_COMMAND DLAGENTS VCSCLIENTS PACMAN PACMAN_AUTH PS4 GIT_SSH_COMMAND SHELLOPTS BASHOPTS")

// environment judges an assignment that changes how programs are found, loaded or started.
func (w *walker) environment(a *syntax.Assign) {
	if a.Name == nil || !pathVariables()[a.Name.Value] || w.kind == program {
		return
	}
	v := w.vars.vars[a.Name.Value]
	s := Note
	switch {
	case w.kind == topLevel && a.Name.Value != "LD_LIBRARY_PATH":
		s = Warn
		if a.Name.Value == "BASH_ENV" || a.Name.Value == "PROMPT_COMMAND" || a.Name.Value == "LD_PRELOAD" {
			s = Red
		}
	case w.kind == scriptlet && a.Name.Value != "LD_LIBRARY_PATH":
		s = Warn
	}
	w.report(Environment, s, a, a.Name.Value)
	for _, e := range v.list {
		if strings.Contains(e.text, "sh -c") || strings.Contains(e.text, "| sh") || strings.Contains(e.text, "|sh") {
			w.report(Environment, Red, a, e.text)
		}
	}
}
