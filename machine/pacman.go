package machine

import (
	"strconv"
	"strings"
)

var (
	// UpdatesProbe asks the servers for newer packages.
	UpdatesProbe = Probe{"checkupdates"}
	// KnownUpdatesProbe lists newer packages in the lists fetched last.
	KnownUpdatesProbe = Probe{"pacman", "-Qu", "--color", "never"}
	// DownloadsProbe lists what an update would fetch.
	DownloadsProbe = Probe{"pacman", "-Sup", "--print-format", "%n %v %s"}
)

// FoundPackage is one package of pacman -Ss.
type FoundPackage struct {
	Repo, Name, Version, Description string
	Installed                        bool
}

// ParseSearch parses pacman -Ss (pacman(8)): "repo/name version (group) [installed]" and an indented
// description.
func ParseSearch(text []byte) ([]FoundPackage, error) {
	var out []FoundPackage
	for _, line := range Lines(text) {
		if strings.HasPrefix(line, " ") {
			if len(out) > 0 && out[len(out)-1].Description == "" {
				out[len(out)-1].Description = strings.TrimSpace(line)
			}
			continue
		}
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		if repo, name, ok := strings.Cut(f[0], "/"); ok && name != "" && strings.ContainsAny(f[1], "0123456789") {
			out = append(out, FoundPackage{Repo: repo, Name: name, Version: f[1], Installed: strings.Contains(line, "[")})
		}
	}
	return rows(out, text, "pacman -Ss")
}

// ParsePackageInfo parses the "Key : value" lines of pacman -Qi and -Si (pacman(8)). Continuation lines are joined
// to their value. The first package wins.
func ParsePackageInfo(text []byte) (map[string]string, error) {
	out := map[string]string{}
	last := ""
	for _, line := range Lines(text) {
		if key, value, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, " ") {
			last = strings.TrimSpace(key)
			if _, seen := out[last]; !seen {
				out[last] = strings.TrimSpace(value)
			}
			continue
		}
		if last != "" && strings.HasPrefix(line, " ") && len(out[last]) < 400 {
			out[last] += " " + strings.TrimSpace(line)
		}
	}
	return readable(out, out["Version"] != "", "pacman -Qi")
}

// Package is an installed package.
type Package struct{ Name, Version string }

// ParsePackages parses pacman -Q (pacman(8)): "name version". With an error, it returns the rows that it could read.
func ParsePackages(text []byte) ([]Package, error) {
	var out []Package
	var bad error
	for _, line := range Lines(text) {
		name, version, ok := strings.Cut(line, " ")
		if !ok || version == "" || strings.Contains(version, " ") {
			bad = &UnreadableError{"pacman -Q", line}
			continue
		}
		out = append(out, Package{name, version})
	}
	return out, bad
}

// Update is a package with a newer version.
type Update struct {
	Name, From, To string
	Ignored        bool // excluded by pacman.conf
}

// updateForm matches a row of checkupdates and pacman -Qu. Names and versions are those of PKGBUILD(5).
var updateForm = pattern(`^([a-zA-Z0-9@_+][a-zA-Z0-9@._+-]*) (\S+) -> (\S+)( \[ignored\])?$`)

// ParseUpdates parses checkupdates(8) and pacman -Qu (pacman(8)): "name old -> new" with an optional "[ignored]". With
// an error, it returns the rows that it could read.
func ParseUpdates(text []byte) ([]Update, error) {
	var out []Update
	var bad error
	for _, line := range Lines(text) {
		line = strings.TrimSpace(line)
		m := updateForm().FindStringSubmatch(line)
		switch {
		case m != nil:
			out = append(out, Update{m[1], m[2], m[3], m[4] != ""})
		case !strings.HasPrefix(line, ":: "):
			bad = &UnreadableError{"pacman -Qu", line}
		}
	}
	return out, bad
}

// ParseDownloads parses pacman -Sup --print-format '%n %v %s' (pacman(8)): the bytes to fetch for each "name
// version".
func ParseDownloads(text []byte) (map[string]float64, error) {
	out := map[string]float64{}
	for _, line := range Lines(text) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue // pacman's own messages
		}
		if n, err := strconv.ParseFloat(f[2], 64); err == nil && n >= 0 && n < 1<<40 {
			out[f[0]+" "+f[1]] = n
		}
	}
	return readable(out, len(out) > 0 || len(Lines(text)) == 0, "pacman -Sup")
}
