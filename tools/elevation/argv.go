package elevation

import (
	"slices"
	"strings"
)

// Argv returns command as it runs with the rung. No form ever asks for a password in a terminal.
func (r Rung) Argv(command ...string) []string {
	switch r {
	case Run0:
		return append([]string{"run0", "--"}, command...)
	case Pkexec:
		return append([]string{"pkexec"}, command...)
	case Sudo:
		return append([]string{"sudo", "-n"}, command...)
	}
	return command
}

// YayArgv returns a yay command line that makes yay and makepkg use the rung. Without these settings yay would start a
// plain sudo. They override the user's settings for this call only, including a sudo loop, which would prompt forever
// (yay(8), "--sudo", "--sudoflags", "--sudoloop"; makepkg.conf(5), PACMAN_AUTH). makepkg takes PACMAN_AUTH as one word,
// so for sudo it is not set: makepkg finds sudo without it. yay refuses to build as root and must not be used for that.
func (r Rung) YayArgv(operation string, names ...string) []string {
	if r == Root || r == None {
		return append([]string{"yay", operation, "--noconfirm", "--"}, names...)
	}
	flags := ""
	command := []string{"env", "PACMAN_AUTH=" + string(r), "yay"}
	if r == Sudo {
		flags, command = "-n", command[2:]
	}
	settings := []string{operation, "--noconfirm", "--sudoloop=false", "--sudo=" + string(r), "--sudoflags=" + flags, "--"}
	return slices.Concat(command, settings, names)
}

// ByHand returns command as a person runs it in a terminal, where it can ask questions: with the first
// installed program that can raise rights, and without the options that suppress questions.
func ByHand(has func(program string) bool, command ...string) []string {
	var plain []string
	for i, word := range command {
		switch {
		case word == "--" && !slices.Contains(command[:i], "--"), word == "--noconfirm", word == "--no-ask-password":
		default:
			plain = append(plain, word)
		}
	}
	if plain[0] == "yay" { // yay raises its own rights and refuses to run as root
		return plain
	}
	for _, program := range []string{"sudo", "run0", "pkexec", "doas"} {
		if has(program) {
			return append([]string{program}, plain...)
		}
	}
	return append([]string{"sudo"}, plain...)
}

// StripRung strips the rung from a command.
func StripRung(command []string) []string {
	for _, prefix := range [][]string{{"sudo", "-n"}, {"sudo"}, {"run0", "--"}, {"run0"}, {"pkexec"}} {
		if len(command) > len(prefix) && slices.Equal(command[:len(prefix)], prefix) {
			return command[len(prefix):]
		}
	}
	return command
}

// StartedPrograms returns the programs that a command starts: the first word, and the program after a rung.
func StartedPrograms(command []string) []string {
	if len(command) == 0 {
		return nil
	}
	yay := command[0] == "env" && len(command) > 1 && strings.HasPrefix(command[1], "PACMAN_AUTH=")
	if yay || slices.Contains([]string{"sudo", "pkexec", "run0"}, command[0]) {
		for _, word := range command[1:] {
			if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
				return []string{command[0], word}
			}
		}
	}
	return command[:1]
}
