package shell

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// commandPrograms are programs that run their operands or input as commands, or change the meaning of later names.
// Paths cannot be found in such commands.
var commandPrograms = strings.Fields(`
	sh bash dash zsh fish ksh mksh ash yash rbash csh tcsh nu elvish xonsh busybox toybox
	eval exec source . trap command builtin alias unalias hash enable set unset shopt pushd popd bind complete fc read mapfile
	readarray getopts let
	env xargs parallel sem watch script ssh su sg newgrp at batch crontab systemd-run unshare nsenter chroot arch-chroot
	flock rlwrap expect screen tmux`)

// RunsCommands reports whether a program runs its operands or input as commands, so that a command's words do not
// determine what it does.
func RunsCommands(program string) bool {
	return slices.Contains(commandPrograms, program) || slices.Contains(commandPrograms, BaseProgram(program))
}

// BaseProgram returns a program's name without the version that distributions append.
func BaseProgram(program string) string {
	return strings.TrimRight(filepath.Base(program), "0123456789.")
}

// CheckExecutable returns nil if a file is a program that can be started.
func CheckExecutable(file string) error {
	fi, err := os.Stat(file)
	if err == nil && (fi.IsDir() || fi.Mode()&0o111 == 0) {
		err = os.ErrPermission
	}
	return err
}

// personalDirs are the directories for a person's own programs. Programs there are never found by name, because not
// only the system's packages write there: the person has to write the whole path, which the checker asks about.
var personalDirs = []string{
	"~/.local/bin", "~/bin", "~/.cargo/bin", "~/go/bin", "~/.npm-global/bin",
	"~/.local/share/flatpak/exports/bin", "/var/lib/flatpak/exports/bin",
}

// PersonalProgram returns the path of a program in the directories for a person's own programs, or "" if none has it.
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
		if file := filepath.Join(dir, program); CheckExecutable(file) == nil {
			return file
		}
	}
	return ""
}
