package tools

import (
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// archPackage names the Arch package that brings a program, for the programs
// our own tools start.
var archPackage = map[string]string{
	"bash": "bash", "cat": "coreutils", "df": "coreutils", "du": "coreutils", "uname": "coreutils",
	"ls": "coreutils", "findmnt": "util-linux", "grep": "grep", "tail": "coreutils", "dkms": "dkms",
	"head": "coreutils", "sort": "coreutils", "find": "findutils",
	"free": "procps-ng", "ps": "procps-ng", "pgrep": "procps-ng", "uptime": "procps-ng",
	"lscpu": "util-linux", "lsblk": "util-linux", "getent": "glibc",
	"journalctl": "systemd", "systemctl": "systemd", "systemd-analyze": "systemd",
	"ip": "iproute2", "ss": "iproute2", "ping": "iputils", "nmcli": "networkmanager",
	"pacman": "pacman", "checkupdates": "pacman-contrib", "yay": "yay (AUR)", "sudo": "sudo",
	"lspci": "pciutils", "lsusb": "usbutils", "upower": "upower", "sensors": "lm_sensors",
}

// PackageOf returns the Arch package that brings a program, "" when that is not
// known: a name that nobody has looked up is not made into a package.
func PackageOf(program string) string { return archPackage[program] }

// personalDirs are where people keep programs of their own, below the home
// directory or not. Their programs are never found by name alone, because others
// than the system's packages write there: the whole path has to be written, which
// the checker asks about.
var personalDirs = []string{
	"~/.local/bin", "~/bin", "~/.cargo/bin", "~/go/bin", "~/.npm-global/bin",
	"~/.local/share/flatpak/exports/bin", "/var/lib/flatpak/exports/bin",
}

// PersonalProgram returns the path of a program that lies in one of the
// directories where people keep their own, "" when none has it.
func PersonalProgram(home, program string) string {
	if program == "" || program == "." || program == ".." || strings.Contains(program, "/") {
		return ""
	}
	for _, dir := range personalDirs {
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			if home == "" {
				continue
			}
			dir = filepath.Join(home, rest)
		}
		if file := filepath.Join(dir, program); executable(file) == nil {
			return file
		}
	}
	return ""
}

// CommandLine writes an argument vector as a person would type it, so that
// bash reads it back as it is.
func CommandLine(argv []string) string {
	words := make([]string, len(argv))
	for i, arg := range argv {
		words[i] = arg
		if i == 0 || !plainOperand(arg) {
			words[i] = quote(arg)
		}
	}
	return strings.Join(words, " ")
}

// plainOperand reports whether bash takes an argument behind the program as it
// is. Words like time and --sort=x are special in front only.
func plainOperand(arg string) bool {
	return arg != "" && strings.Trim(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-") == ""
}

// quote writes one argument so that bash reads it back as it is.
func quote(arg string) string {
	q, err := syntax.Quote(arg, syntax.LangBash)
	if err != nil { // a NUL byte: exec refuses it, and so it is never run
		return "$'" + strings.ReplaceAll(arg, "\x00", `\x00`) + "'"
	}
	return q
}
