package database

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/upgrade"
)

// unitDirs are where packages and administrators have units: systemd.unit(5).
var unitDirs = []struct {
	dir  string
	user bool
}{
	{"usr/lib/systemd/system", false},
	{"etc/systemd/system", false},
	{"usr/lib/systemd/user", true},
	{"etc/systemd/user", true},
}

// maxDepth bounds how many libraries lead from a program to another one.
const maxDepth = 8

// linker finds which changed packages a program uses, through all its libraries.
type linker struct {
	root    string
	changed map[string]string   // libraries of changed packages
	files   map[string]string   // files of changed packages that are no libraries
	known   map[string][]string // packages, by file
}

// Units returns the services whose programs use libraries of changed packages or are theirs. What they start themselves is not
// known.
func (t *Transaction) Units(root string, l *Lost) (all []upgrade.Unit, err error) {
	links := &linker{root: root, changed: l.Changed, files: map[string]string{}, known: map[string][]string{}}
	for _, p := range slices.Concat(t.Adds, t.Removes) {
		old := t.Local.Packages[p.Name]
		if old == nil {
			continue
		}
		if err := t.Local.Files(old, func(file string) {
			if strings.HasPrefix(file, "usr/bin/") || strings.HasPrefix(file, "usr/lib/") {
				links.files["/"+file] = p.Name
			}
		}); err != nil {
			return nil, err
		}
	}
	EachService(root, func(s Service) {
		if packages := links.packages(s.Program, maxDepth); len(packages) > 0 {
			all = append(all, upgrade.Unit{Name: filepath.Base(s.File), User: s.User, Packages: packages})
		}
	})
	return all, nil
}

// Service is the file of a service, and the program that it starts, "" if that has no absolute path.
type Service struct {
	File, Program string
	User          bool
}

// EachService calls each with the services of packages and administrators.
func EachService(root string, each func(Service)) {
	for _, d := range unitDirs {
		entries, err := os.ReadDir(filepath.Join(root, d.dir))
		if err != nil {
			continue // there is none
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".service") {
				file := filepath.Join(root, d.dir, e.Name())
				each(Service{file, programOf(file), d.user})
			}
		}
	}
}

// programOf returns the program that a unit's file starts, "" if there is none with an absolute path: systemd.service(5), ExecStart=.
func programOf(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		value, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "ExecStart=")
		value = strings.TrimLeft(value, "@-:+!|")
		if program, _, _ := strings.Cut(value, " "); ok && strings.HasPrefix(program, "/") {
			return program
		}
	}
	return ""
}

// packages returns the changed packages that a file uses, sorted.
func (l *linker) packages(file string, depth int) []string {
	if file == "" || depth == 0 {
		return nil
	}
	if known, ok := l.known[file]; ok {
		return known
	}
	l.known[file] = nil // a circle ends here
	var out []string
	if name := l.files[file]; name != "" {
		out = append(out, name)
	}
	for _, library := range Needed(filepath.Join(l.root, file)) {
		if name := l.changed[library]; name != "" {
			out = append(out, name)
		}
		out = append(out, l.packages("/usr/lib/"+library, depth-1)...)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	l.known[file] = out
	return out
}
