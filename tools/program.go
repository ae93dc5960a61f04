package tools

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// archPackage names the Arch package that brings a program, for the programs
// our own tools start.
var archPackage = map[string]string{
	"bash": "bash", "cat": "coreutils", "df": "coreutils", "du": "coreutils", "uname": "coreutils",
	"head": "coreutils", "sort": "coreutils", "find": "findutils",
	"free": "procps-ng", "ps": "procps-ng", "pgrep": "procps-ng", "uptime": "procps-ng",
	"lscpu": "util-linux", "lsblk": "util-linux", "getent": "glibc",
	"journalctl": "systemd", "systemctl": "systemd", "systemd-analyze": "systemd",
	"ip": "iproute2", "ss": "iproute2", "ping": "iputils", "nmcli": "networkmanager",
	"pacman": "pacman", "checkupdates": "pacman-contrib", "yay": "yay (AUR)", "sudo": "sudo",
	"lspci": "pciutils", "lsusb": "usbutils", "upower": "upower", "sensors": "lm_sensors",
}

// PackageOf returns the Arch package that brings a program, or the program's
// own name when that is not known.
func PackageOf(program string) string {
	if p, ok := archPackage[program]; ok {
		return p
	}
	return program
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
