package explain

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// effects returns what a call does, the worst for other data first.
func (c call) effects(home string) (list []Effect) {
	add := func(code, what string) { list = append(list, Effect{code, what}) }
	c.addPrograms(add, home)
	for _, r := range c.redirs {
		switch {
		case r.target == "/dev/null":
		case r.op == syntax.RdrIn:
			add("reads", r.target)
		case r.op == syntax.AppOut || r.op == syntax.AppAll:
			add("appends", r.target)
		case (r.op == syntax.RdrOut || r.op == syntax.RdrAll || r.op == syntax.RdrClob) && isDevice(r.target):
			add("wipes-disk", r.target)
		case r.op == syntax.RdrOut || r.op == syntax.RdrAll || r.op == syntax.RdrClob:
			add("writes", r.target)
		}
	}
	switch {
	case c.user == "" || slices.ContainsFunc(list, func(f Effect) bool { return f.Code == "runs-fetched-root" }):
	case c.user == "root":
		add("root", "")
	default:
		add("as-user", c.user)
	}
	return list
}

func isDevice(p string) bool {
	return strings.HasPrefix(p, "/dev/") && !slices.Contains([]string{"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero"}, p)
}

// fetchers are programs whose output other people decide.
var fetchers = []string{"curl", "wget", "aria2c", "http", "fetch"}

func (c call) isFed(by ...string) bool {
	return slices.ContainsFunc(c.fed, func(name string) bool { return slices.Contains(by, name) })
}

// addPrograms adds what the program does with its arguments.
func (c call) addPrograms(add func(code, what string), home string) {
	switch {
	case isShell(c.name) || c.name == "eval" || c.name == "source" || c.name == "." || strings.HasPrefix(c.name, "python") || c.name == "perl" || c.name == "node":
		c.addInterpreter(add)
	case strings.HasPrefix(c.name, "mkfs") || slices.Contains([]string{"mke2fs", "mkswap", "mkdosfs", "mkntfs"}, c.name):
		add("formats", c.listed())
	case slices.Contains([]string{"fdisk", "cfdisk", "gdisk", "sgdisk", "sfdisk", "parted"}, c.name):
		if c.hasAny("-l", "--list", "list", "print") {
			add("shows", "")
		} else {
			add("partitions", c.listed())
		}
	case slices.Contains([]string{"wipefs", "blkdiscard", "badblocks", "hdparm", "nvme", "cryptsetup"}, c.name):
		if c.hasAny("-a", "--all", "luksFormat", "erase", "luksErase", "format", "-w", "-f") || c.name == "blkdiscard" {
			add("wipes-disk", strings.Join(slices.DeleteFunc(c.operands(), func(o string) bool { return !strings.HasPrefix(o, "/") }), ", "))
		}
	case slices.Contains([]string{"pacman", "yay", "paru"}, c.name):
		c.addPacman(add)
	case c.name == "systemctl":
		c.addService(add)
	default:
		c.addFiles(add, home)
		c.addOthers(add)
	}
}

func (c call) addInterpreter(add func(code, what string)) {
	operands := c.operands()
	switch {
	case c.isFed(fetchers...) && c.user == "root":
		add("runs-fetched-root", "")
	case c.isFed(fetchers...):
		add("runs-fetched", "")
	case len(c.fed) > 0:
		add("runs-input", "")
	case c.hasAny("-c", "-e"):
		add("runs-code", c.after("-c", "-e"))
	case len(operands) > 0 && c.name != "eval":
		add("runs-file", operands[0])
	}
}

func (c call) addPacman(add func(code, what string)) {
	ops := strings.Join(slices.DeleteFunc(slices.Clone(c.args), func(a string) bool {
		return !strings.HasPrefix(a, "-") || strings.HasPrefix(a, "--")
	}), "")
	names := c.listed()
	has := func(letters string) bool { return strings.ContainsAny(ops, letters) }
	syncs := strings.Contains(ops, "S") || c.hasAny("--sync") || ops == "" && names == "" && c.name != "pacman"
	switch {
	case syncs && has("c"):
		add("cleans-cache", "")
	case syncs && has("si") && !has("u"):
		add("packages-query", "")
	case syncs && (has("u") || c.hasAny("--sysupgrade") || ops == ""):
		add("updates-all", "")
		if names != "" {
			add("installs", names)
		}
		add("contacts-packages", "")
	case syncs && names != "":
		if has("y") {
			add("refreshes", "")
		}
		add("installs", names)
		add("contacts-packages", "")
	case syncs && has("y"):
		add("refreshes", "")
		add("contacts-packages", "")
	case strings.Contains(ops, "R") && has("s"):
		add("removes-deps", names)
	case strings.Contains(ops, "R") || c.hasAny("--remove"):
		add("removes", names)
	case strings.Contains(ops, "U") || c.hasAny("--upgrade"):
		add("installs", names)
	case has("QF") || c.hasAny("--query", "--files"):
		add("packages-query", "")
	}
	if c.hasAny("--noconfirm") {
		add("no-confirm", "")
	}
}

// serviceEffects are the effects of the verbs of systemctl.
var serviceEffects = map[string]string{
	"start": "starts-service", "stop": "stops-service", "restart": "restarts-service", "reload": "restarts-service", "enable": "enables-service",
	"disable": "disables-service", "mask": "masks-service", "kill": "stops-service", "try-restart": "restarts-service", "reenable": "enables-service",
}

func (c call) addService(add func(code, what string)) {
	operands := c.operands()
	if len(operands) == 0 {
		add("shows", "")
		return
	}
	verb, units := operands[0], strings.Join(operands[1:], ", ")
	switch code, known := serviceEffects[verb]; {
	case known:
		add(code, units)
		if c.hasAny("--now") {
			now := map[string]string{"enable": "starts-service", "disable": "stops-service", "mask": "stops-service"}
			if more := now[verb]; more != "" {
				add(more, units)
			}
		}
	case verb == "poweroff" || verb == "halt":
		add("shutdown", "")
	case verb == "reboot":
		add("reboot", "")
	case slices.Contains([]string{"status", "list-units", "list-unit-files", "is-active", "is-enabled", "cat", "show", "list-timers", "is-failed"}, verb):
		add("shows", "")
	}
}

// addFiles adds what programs for files do.
func (c call) addFiles(add func(code, what string), home string) {
	operands := c.operands()
	all := c.listed()
	switch c.name {
	case "rm", "unlink", "rmdir", "shred":
		c.addDeletion(add, home)
	case "dd":
		c.addDD(add)
	case "cp", "mv", "ln", "rsync", "scp", "install":
		c.addCopy(add)
	case "mkdir":
		add("makes-directory", all)
	case "touch", "tee", "truncate":
		code := "writes"
		if c.name == "tee" && c.hasAny("-a", "--append") {
			code = "appends"
		}
		if all != "" && c.name != "touch" {
			add(code, all)
		}
	case "chmod", "chown", "chgrp":
		c.addRights(add)
	case "sed", "perl":
		if c.hasLetter("i") || c.hasAny("--in-place") {
			add("edits", strings.Join(operands[min(1, len(operands)):], ", "))
		}
	case "cat", "less", "head", "tail", "more", "bat":
		if all != "" {
			add("reads", all)
		}
	case "find":
		if c.hasAny("-delete") || c.hasAny("-exec", "-execdir", "-ok") && c.hasAny("rm", "shred") {
			where := "."
			if len(c.args) > 0 && !strings.HasPrefix(c.args[0], "-") {
				where = c.args[0]
			}
			add("deletes-found", where)
		} else {
			add("shows", "")
		}
	case "tar":
		c.addTar(add)
	case "unzip", "unrar", "7z":
		if len(operands) > 0 && !c.hasAny("-l", "l") {
			add("extracts", operands[len(operands)-1])
		}
	}
}

func (c call) addDeletion(add func(code, what string), home string) {
	all := c.listed()
	code := "deletes"
	if c.name == "rm" && (c.hasLetter("rR") || c.hasAny("--recursive")) {
		code = "deletes-tree"
	}
	if all != "" {
		add(code, all)
	} else if slices.Contains(c.via, "xargs") {
		add("deletes-input", "")
	}
	for _, o := range c.operands() {
		if full := inHome(o, home); full == home+"/.cache" || strings.HasPrefix(full, home+"/.cache/") {
			add("own-cache", o)
			break
		}
	}
}

func (c call) addDD(add func(code, what string)) {
	for _, a := range c.args {
		if of, ok := strings.CutPrefix(a, "of="); ok && isDevice(of) {
			add("wipes-disk", of)
		} else if ok {
			add("writes", of)
		} else if from, ok := strings.CutPrefix(a, "if="); ok {
			add("reads", from)
		}
	}
}

func (c call) addCopy(add func(code, what string)) {
	operands := c.operands()
	code := map[string]string{"mv": "moves", "ln": "links"}[c.name]
	if code == "" {
		code = "copies"
	}
	if n := len(operands); n > 1 {
		target := operands[n-1]
		if isDevice(target) && code == "copies" {
			add("wipes-disk", target)
			return
		}
		add(code, strings.Join(operands[:n-1], ", ")+" → "+target)
	}
	for _, o := range operands {
		if host, _, remote := strings.Cut(o, ":"); remote && !strings.Contains(host, "/") && (c.name == "scp" || c.name == "rsync") {
			add("contacts", host)
		}
	}
}

func (c call) addTar(add func(code, what string)) {
	if len(c.args) == 0 {
		return
	}
	letters, file := "", ""
	for i, a := range c.args {
		switch {
		case i == 0 && !strings.HasPrefix(a, "-"), strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--"):
			letters += strings.TrimPrefix(a, "-")
			if strings.HasSuffix(a, "f") && i+1 < len(c.args) && file == "" {
				file = c.args[i+1]
			}
		case strings.HasPrefix(a, "--file="):
			file = strings.TrimPrefix(a, "--file=")
		}
	}
	switch {
	case strings.Contains(letters, "x") || c.hasAny("--extract", "--get"):
		add("extracts", file)
	case strings.Contains(letters, "c") || c.hasAny("--create"):
		add("archives", file)
	case strings.Contains(letters, "t") || c.hasAny("--list"):
		add("shows", "")
	}
}

func (c call) addRights(add func(code, what string)) {
	operands := c.operands()
	if len(operands) < 2 {
		return
	}
	mode, files := operands[0], strings.Join(operands[1:], ", ")
	switch {
	case c.name != "chmod":
		add("owner", files)
	case strings.HasSuffix(mode, "777") || strings.HasSuffix(mode, "666") || strings.Contains(mode, "o+w") || strings.Contains(mode, "a+w") || mode == "a+rwx":
		add("mode-all", files)
	case strings.HasSuffix(mode, "+x"):
		add("makes-executable", files)
	default:
		add("mode", files)
	}
}

// addOthers adds what programs for networks, processes and settings do.
func (c call) addOthers(add func(code, what string)) {
	operands := c.operands()
	all := c.listed()
	switch c.name {
	case "curl", "wget", "aria2c":
		for _, o := range operands {
			if host := hostOf(o); host != "" {
				add("contacts", host)
			}
		}
		if file := c.after("-o", "--output", "-O", "--output-document"); file != "" && !(c.name == "curl" && c.after("-o", "--output") == "") && file != "-" {
			add("downloads", file)
		} else if toOutput := file == "-" || c.hasAny("-qO-", "-O-"); (c.name != "curl" || c.hasLetter("O")) && !toOutput && len(operands) > 0 {
			add("downloads", path.Base(operands[0]))
		}
		if c.name == "curl" && c.hasAny("-d", "--data", "-F", "--form", "-T", "--upload-file", "--data-binary") {
			add("sends-data", "")
		}
	case "ssh", "sftp":
		if len(operands) > 0 {
			add("logs-in", operands[0])
		}
	case "ping", "dig", "host", "nslookup", "traceroute", "tracepath", "telnet", "nc":
		if len(operands) > 0 {
			add("contacts", operands[len(operands)-1])
		}
	case "git":
		c.addGit(add)
	case "pip", "pip3", "pipx", "npm", "pnpm", "yarn", "flatpak", "cargo", "gem", "snap", "apt", "apt-get", "dnf":
		c.addInstaller(add)
	case "kill", "killall", "pkill":
		add("ends-process", all)
	case "shutdown", "poweroff", "halt":
		if c.hasAny("-r", "--reboot") {
			add("reboot", "")
		} else if !c.hasAny("-c") {
			add("shutdown", "")
		}
	case "reboot":
		add("reboot", "")
	case "usermod", "gpasswd":
		c.addGroups(add)
	case "userdel":
		add("removes-user", all)
	case "crontab":
		if c.hasAny("-r") {
			add("cron-deletes", "")
		}
	case "mount":
		if len(operands) > 0 {
			add("mounts", strings.Join(operands, " → "))
		} else {
			add("shows", "")
		}
	case "umount":
		add("unmounts", all)
	case "sysctl", "gsettings", "timedatectl", "hostnamectl", "localectl":
		if c.hasAny("-w", "set") || len(operands) > 1 && strings.HasPrefix(operands[0], "set-") {
			add("sets", strings.Join(slices.DeleteFunc(operands, func(o string) bool { return o == "set" }), " "))
		} else {
			add("shows", "")
		}
	case "ls", "df", "du", "free", "ps", "lsblk", "stat", "uname", "journalctl", "dmesg", "lsusb", "lspci", "top", "history":
		if !c.hasAny("-c", "-C", "--clear", "--rotate", "--flush") && !slices.ContainsFunc(c.args, func(a string) bool { return strings.HasPrefix(a, "--vacuum") }) {
			add("shows", "")
		}
	}
}

func (c call) addGit(add func(code, what string)) {
	operands := c.operands()
	if len(operands) == 0 {
		return
	}
	switch verb, rest := operands[0], operands[1:]; verb {
	case "clone", "fetch", "pull", "push":
		if host := hostOf(strings.Join(rest[:min(1, len(rest))], "")); host != "" {
			add("contacts", host)
		} else {
			add("contacts-some", "")
		}
		if verb == "push" {
			add("sends-data", "")
		}
	case "clean":
		add("deletes-found", ".")
	case "reset":
		if c.hasAny("--hard") {
			add("discards-changes", ".")
		}
	case "checkout", "restore":
		if c.hasAny("--", ".") || verb == "restore" {
			add("discards-changes", strings.Join(rest, ", "))
		}
	case "status", "log", "diff", "show":
		add("shows", "")
	}
}

func (c call) addInstaller(add func(code, what string)) {
	operands := c.operands()
	if len(operands) == 0 {
		return
	}
	names := strings.Join(operands[1:], ", ")
	switch operands[0] {
	case "install", "i", "add":
		if names == "" {
			names = "."
		}
		add("installs", names)
		add("contacts-some", "")
	case "uninstall", "remove", "rm", "purge":
		add("removes", names)
	case "update", "upgrade":
		add("updates-all", "")
		add("contacts-some", "")
	case "list", "search", "info", "show":
		add("packages-query", "")
	}
}

// rootGroups are groups whose members can become root.
var rootGroups = []string{"docker", "wheel", "sudo", "disk", "libvirt", "lxd"}

func (c call) addGroups(add func(code, what string)) {
	groups := c.after("-G", "-aG", "--groups")
	if c.name == "gpasswd" {
		if operands := c.operands(); c.hasAny("-a") && len(operands) > 0 {
			groups = operands[len(operands)-1]
		}
	}
	if groups == "" {
		return
	}
	add("joins-group", groups)
	for g := range strings.SplitSeq(groups, ",") {
		if slices.Contains(rootGroups, g) {
			add("group-is-root", g)
		}
	}
	if c.name == "usermod" && !c.hasLetter("a") && !c.hasAny("--append") {
		add("replaces-groups", "")
	}
}

// operands returns the arguments that are no options.
func (c call) operands() (list []string) {
	for i, a := range c.args {
		switch {
		case a == "--":
			return append(list, c.args[i+1:]...)
		case i > 0 && slices.Contains([]string{"-o", "--output", "-H", "--header", "-d", "--data", "-u", "-p", "-i", "-G", "-aG"}, c.args[i-1]) &&
			slices.Contains([]string{"curl", "ssh", "usermod", "journalctl"}, c.name):
		case !strings.HasPrefix(a, "-") || a == "-":
			list = append(list, a)
		}
	}
	return list
}

func (c call) listed() string { return strings.Join(c.operands(), ", ") }

func (c call) hasAny(args ...string) bool {
	return slices.ContainsFunc(c.args, func(a string) bool { return slices.Contains(args, a) })
}

// hasLetter reports whether one of the letters is an option, alone or with others.
func (c call) hasLetter(letters string) bool {
	return slices.ContainsFunc(c.args, func(a string) bool {
		return strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.ContainsAny(a, letters)
	})
}

// after returns the argument after one of the options, or what follows the option's equals sign.
func (c call) after(options ...string) string {
	for i, a := range c.args {
		if slices.Contains(options, a) && i+1 < len(c.args) {
			return c.args[i+1]
		}
		if name, value, ok := strings.Cut(a, "="); ok && slices.Contains(options, name) {
			return value
		}
	}
	return ""
}

// hostOf returns the host of an address, "" for anything else.
func hostOf(address string) string {
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		if user, host, isSSH := strings.Cut(address, "@"); isSSH && !strings.Contains(user, "/") {
			host, _, _ = strings.Cut(host, ":")
			return host
		}
		if name, _, _ := strings.Cut(address, "/"); strings.Contains(name, ".") && !strings.HasPrefix(name, ".") && strings.Contains(address, "/") {
			return name
		}
		return ""
	}
	host, _, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	return host
}

// inHome returns a path with the home directory in place of ~ and $HOME.
func inHome(p, home string) string {
	for _, prefix := range []string{"~", "$HOME", "${HOME}"} {
		if rest, ok := strings.CutPrefix(p, prefix); ok && (rest == "" || rest[0] == '/') {
			return path.Clean(home + rest)
		}
	}
	return path.Clean(p)
}
