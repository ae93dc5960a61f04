package machine

import (
	"strconv"
	"strings"
)

// TransactionProbe shows the packages that an upgrade would install, from the lists fetched last: pacman(8), --print-format.
var TransactionProbe = Probe{"pacman", "-Sup", "--print-format", "%n %v %r %s %l"}

// TransactionPackage is a package that a transaction installs.
type TransactionPackage struct {
	Name, Version, Repository string
	Download                  int64 // bytes that are not in the cache yet
	Location                  string
}

// ParseTransaction parses [TransactionProbe]: a row for each package, in the order of installation (pacman, src/pacman/util.c,
// print_packages). No row means that there is nothing to do. Lines that begin with ":: " or "warning: " are pacman's messages.
func ParseTransaction(text []byte) ([]TransactionPackage, error) {
	var out []TransactionPackage
	for line := range strings.Lines(string(text)) { // a location can be longer than a line of Lines
		line = strings.TrimRight(line, "\r\n")
		if line == "" || hasAnyPrefix(line, ":: ", "warning: ", " ") {
			continue
		}
		p, ok := transactionRow(line)
		if !ok {
			return out, &UnreadableError{"pacman -Sup", line}
		}
		out = append(out, p)
	}
	return out, nil
}

func transactionRow(line string) (p TransactionPackage, ok bool) {
	f := strings.SplitN(line, " ", 5)
	if len(f) != 5 || f[0] == "" || f[1] == "" || !isNumber(f[3]) {
		return p, false
	}
	size, err := strconv.ParseInt(f[3], 10, 64)
	return TransactionPackage{f[0], f[1], f[2], size, f[4]}, err == nil
}

// PacmanConf are the settings that [PacmanConfigurationProbe] prints.
type PacmanConf struct {
	Root, Database string
	Caches         []string
	NoUpgrade      []string
	SigLevel       []string
	Repositories   []PacmanRepository
}

// PacmanRepository is a configured repository.
type PacmanRepository struct {
	Name     string
	SigLevel []string // its own, nil for the general one
	Servers  []string
}

// ParsePacmanConf parses [PacmanConfigurationProbe]: pacman.conf(5) with all included files, a value a line (pacman,
// src/pacman/pacman-conf.c).
func ParsePacmanConf(text []byte) (PacmanConf, error) {
	var c PacmanConf
	var repository *PacmanRepository
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			repository = nil
			if name = strings.TrimSuffix(name, "]"); name != "options" {
				c.Repositories = append(c.Repositories, PacmanRepository{Name: name})
				repository = &c.Repositories[len(c.Repositories)-1]
			}
			continue
		}
		name, value, ok := strings.Cut(line, " = ")
		if !ok {
			continue // a setting without a value
		}
		if repository != nil {
			repository.set(name, value)
		} else {
			c.set(name, value)
		}
	}
	return readable(c, c.Root != "" && c.Database != "", "pacman-conf")
}

func (c *PacmanConf) set(name, value string) {
	switch name {
	case "RootDir":
		c.Root = value
	case "DBPath":
		c.Database = value
	case "CacheDir":
		c.Caches = append(c.Caches, value)
	case "NoUpgrade":
		c.NoUpgrade = append(c.NoUpgrade, value)
	case "SigLevel":
		c.SigLevel = append(c.SigLevel, value)
	}
}

func (r *PacmanRepository) set(name, value string) {
	switch name {
	case "SigLevel":
		r.SigLevel = append(r.SigLevel, value)
	case "Server":
		r.Servers = append(r.Servers, value)
	}
}

// ListedFile is a file of a package in a list of files.
type ListedFile struct{ Repository, Name, Version, Path string }

// ParseListedFiles parses pacman -Fl --machinereadable (pacman(8)): four fields with a null character between them a line. It skips
// other lines, which are pacman's messages.
func ParseListedFiles(text []byte) (all []ListedFile, err error) {
	for line := range strings.Lines(string(text)) {
		if f := strings.SplitN(strings.TrimRight(line, "\r\n"), "\x00", 4); len(f) == 4 {
			all = append(all, ListedFile{f[0], f[1], f[2], f[3]})
		}
	}
	return rows(all, text, "pacman -Fl")
}
