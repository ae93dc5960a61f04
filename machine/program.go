package machine

import (
	"path"
	"slices"
	"strings"
)

// FileProbe returns where a path leads, through all links: nothing if that does not exist.
func FileProbe(file string) Probe { return Probe{"readlink", "-e", "--", file} }

// LinkProbe returns what a symbolic link holds, whether it exists or not.
func LinkProbe(file string) Probe { return Probe{"readlink", "--", file} }

// ScriptProbe shows the beginning of a script.
func ScriptProbe(file string) Probe { return Probe{"head", "-n", "20", "--", file} }

// DynamicProbe shows which libraries a program needs.
func DynamicProbe(file string) Probe { return Probe{"readelf", "-d", "--", file} }

// Dynamic is the dynamic section of a program: elf(5).
type Dynamic struct {
	Needed []string // names of libraries, such as libc.so.6
	// Paths are directories in which the program looks for libraries before the system's, $ORIGIN as it is written.
	Paths []string
}

var dynamicRow = pattern(`\((NEEDED|RPATH|RUNPATH)\)[^\[]*\[([^\]]*)\]`)

// ParseDynamic parses [DynamicProbe]: readelf(1) of binutils, "0x… (NEEDED)  Shared library: [libc.so.6]". A static program
// needs nothing. What is no program is an error.
func ParseDynamic(text []byte) (Dynamic, error) {
	var d Dynamic
	known := strings.Contains(string(text), "There is no dynamic section")
	for _, line := range Lines(text) {
		m := dynamicRow().FindStringSubmatch(line)
		switch {
		case m == nil:
			known = known || strings.Contains(line, "Dynamic section at offset")
			continue
		case m[1] == "NEEDED":
			d.Needed = append(d.Needed, m[2])
		default:
			d.Paths = append(d.Paths, strings.Split(m[2], ":")...)
		}
		known = true
	}
	return readable(d, known, "readelf")
}

// LibrariesProbe lists those of the libraries that the dynamic loader finds, in any version. The whole list is too long.
func LibrariesProbe(libraries ...string) Probe {
	p := Probe{"ldconfig", "-p", "|", "grep", "-F"}
	for _, name := range libraries {
		if stem := Stem(name); !slices.Contains(p, stem) {
			p = append(p, "-e", stem)
		}
	}
	return p
}

// IsLibrary reports whether a name is that of a library, which a command can have as a word.
func IsLibrary(name string) bool { return libraryName().MatchString(name) }

var libraryName = pattern(`^lib[A-Za-z0-9._+-]*\.so[A-Za-z0-9._+-]*$`)

// ParseLibraries parses [LibrariesProbe]: ldconfig(8), "libc.so.6 (libc6,x86-64) => /usr/lib/libc.so.6". It returns the first
// path by name.
func ParseLibraries(text []byte) (map[string]string, error) {
	out := map[string]string{}
	for _, line := range Lines(text) {
		name, file, ok := strings.Cut(strings.TrimSpace(line), " => ")
		if name, _, _ = strings.Cut(name, " "); ok && out[name] == "" {
			out[name] = file
		}
	}
	return readable(out, len(out) > 0, "ldconfig")
}

// Stem returns the name of a library without its version: libicuuc.so of libicuuc.so.74.
func Stem(library string) string {
	stem, _, _ := strings.Cut(path.Base(library), ".so")
	return stem + ".so"
}

// PackageFileProbe shows which package has a file.
func PackageFileProbe(file string) Probe { return Probe{"pacman", "-Qo", "--", file} }

// PackageFile is the package that has a file.
type PackageFile struct{ Name, Version string }

var ownedBy = pattern(` is owned by (\S+) (\S+)$`)

// ParsePackageFile parses [PackageFileProbe]: pacman(8), "/usr/bin/ls is owned by coreutils 9.5-1". It is an error if no
// package has the file.
func ParsePackageFile(text []byte) (PackageFile, error) {
	for _, line := range Lines(text) {
		if m := ownedBy().FindStringSubmatch(line); m != nil {
			return PackageFile{m[1], m[2]}, nil
		}
	}
	return PackageFile{}, &UnreadableError{Source: "pacman -Qo"}
}

// ForeignProbe lists the packages that no repository has: pacman(8), -Qm.
var ForeignProbe = Probe{"pacman", "-Qmq"}

// PackageFilesProbe lists the files of a package.
func PackageFilesProbe(name string) Probe { return Probe{"pacman", "-Qlq", "--", name} }

// ProvidersProbe shows which packages of the repositories have a file: pacman(8), -F.
func ProvidersProbe(file string) Probe { return Probe{"pacman", "-Fq", "--", file} }

// ParseProviders parses [ProvidersProbe]: a line such as extra/htop for each package. It returns the packages' names.
func ParseProviders(text []byte) (names []string) {
	for _, line := range Lines(text) {
		if _, name, ok := strings.Cut(strings.TrimSpace(line), "/"); ok && name != "" && !strings.ContainsAny(name, " /:") {
			names = append(names, name)
		}
	}
	return names
}

var (
	pythonDir = pattern(`^/usr/lib/(python3\.\d+)/`)
	shebang   = pattern(`^#!\s*(/\S+)(?:[ \t]+(\S+))?`)
	execLine  = pattern(`(?m)^\s*exec\s+(?:-a\s+\S+\s+)?["']?(/[\w./+-]+)`)
)

// PythonVersions returns the versions of Python, such as python3.12, in whose directories files are.
func PythonVersions(files []string) map[string]bool {
	out := map[string]bool{}
	for _, f := range files {
		if m := pythonDir().FindStringSubmatch(f); m != nil {
			out[m[1]] = true
		}
	}
	return out
}

// CoreDumpProbe shows the last crash of a program, by the path of its file: coredumpctl(1).
func CoreDumpProbe(file string) Probe { return Probe{"coredumpctl", "--no-pager", "-1", "info", file} }

// Script is the beginning of a script.
type Script struct {
	// Interpreter is the absolute path after #!. If it is env(1), Program is the name of the interpreter.
	Interpreter, Program string
	Starts               string // the program that a wrapper executes, by its absolute path, or ""
}

// ParseScript parses [ScriptProbe]: execve(2), "Interpreter scripts". ok is false if the text is no script.
func ParseScript(text []byte) (s Script, ok bool) {
	m := shebang().FindSubmatch(text)
	if m == nil {
		return s, false
	}
	s.Interpreter = string(m[1])
	if path.Base(s.Interpreter) == "env" {
		s.Program = string(m[2])
	}
	if e := execLine().FindSubmatch(text); e != nil {
		s.Starts = string(e[1])
	}
	return s, true
}
