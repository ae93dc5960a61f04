package machine

import (
	"strings"
)

var (
	// PythonTreesProbe lists the directories of Python's versions.
	PythonTreesProbe = Probe{"find", "/usr/lib", "-mindepth", "1", "-maxdepth", "1", "-name", "python3[.]*"}
	// JavaProbe shows the installed versions of Java: archlinux-java(8).
	JavaProbe = Probe{"archlinux-java", "status"}
	// FlatpakBranchesProbe lists the runtimes of Flatpak with their branches.
	FlatpakBranchesProbe = Probe{"flatpak", "list", "--runtime", "--columns=application,branch"}
)

// OwnersOfProbe names the packages with files in a directory.
func OwnersOfProbe(dir string) Probe { return Probe{"pacman", "-Qqo", "--", dir} }

// WrapperProbe shows the beginning of a script that names a version of Electron.
func WrapperProbe(file string) Probe { return Probe{"grep", "-o", "-E", "electron[0-9]+", "--", file} }

// Java is the output of archlinux-java status.
type Java struct {
	Installed []string
	Default   string // "" if none is set
}

// ParseJava parses archlinux-java status (java-runtime-common, bin/archlinux-java): "Available Java environments:" and a version a
// line, with "(default)" behind the one in use.
func ParseJava(text []byte) (Java, error) {
	var j Java
	lines := Lines(text)
	for _, line := range lines {
		if !strings.HasPrefix(line, " ") {
			continue
		}
		name, mark, _ := strings.Cut(strings.TrimSpace(line), " ")
		j.Installed = append(j.Installed, name)
		if strings.HasPrefix(mark, "(default") {
			j.Default = name
		}
	}
	return readable(j, len(lines) > 0 && strings.HasPrefix(lines[0], "Available Java environments"), "archlinux-java")
}

// FlatpakProgram is a program with the runtime that it needs.
type FlatpakProgram struct{ ID, Runtime string }

// ParseFlatpakPrograms parses [FlatpakAppsProbe] (flatpak-list(1)): two columns with a tab, the runtime as name/arch/branch.
func ParseFlatpakPrograms(text []byte) ([]FlatpakProgram, error) {
	return rows(fieldRows(text, 2, func(f []string) FlatpakProgram { return FlatpakProgram{f[0], f[1]} }), text, "flatpak list")
}
