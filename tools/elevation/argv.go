package elevation

import "slices"

// Argv writes a command so that it takes a rung. No form ever asks for a
// password in a terminal.
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

// Yay writes a command line of yay so that it and makepkg take a rung, which
// yay does not do for itself: it would start a plain sudo. Its own settings are
// overruled for this call only, a sudo loop among them, which asks for ever
// (yay(8), "--sudo", "--sudoflags", "--sudoloop"; makepkg.conf(5),
// PACMAN_AUTH). makepkg takes PACMAN_AUTH as one word, so sudo, which it looks
// for by itself, is left to it. yay refuses to build as root and is not for that.
func (r Rung) Yay(operation string, names ...string) []string {
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

// ByHand writes a command as a person runs it in a terminal, where there is
// somebody to ask: with the first program that can give rights, and without
// what keeps the command from asking.
func ByHand(has func(program string) bool, command ...string) []string {
	var plain []string
	for i, word := range command {
		switch {
		case word == "--" && !slices.Contains(command[:i], "--"), word == "--noconfirm", word == "--no-ask-password":
		default:
			plain = append(plain, word)
		}
	}
	if plain[0] == "yay" { // it asks for rights itself, and will not run with them
		return plain
	}
	for _, program := range []string{"sudo", "run0", "pkexec", "doas"} {
		if has(program) {
			return append([]string{program}, plain...)
		}
	}
	return append([]string{"sudo"}, plain...)
}

// Bare takes the rung off a command again.
func Bare(command []string) []string {
	for _, prefix := range [][]string{{"sudo", "-n"}, {"sudo"}, {"run0", "--"}, {"run0"}, {"pkexec"}} {
		if len(command) > len(prefix) && slices.Equal(command[:len(prefix)], prefix) {
			return command[len(prefix):]
		}
	}
	return command
}
