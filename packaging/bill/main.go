// Command bill writes the licence texts and the bill of materials (CycloneDX) of the code linked into a
// package's programs, from the built programs and the modules' sources.
package main

import (
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
)

func main() {
	version := flag.String("version", "dev", "the package's version")
	to := flag.String("to", "", "write below this directory, by package")
	table := flag.String("table", "docs/licenses.md", "the modules' licences")
	flag.Parse()
	if err := run(*version, *to, *table, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bill:", err)
		os.Exit(1)
	}
}

// run writes the bills of packages, each given as NAME=PROGRAM,PROGRAM.
func run(version, to, table string, packages []string) error {
	cache, err := moduleCache()
	if err != nil {
		return err
	}
	licences, err := readTable(table)
	if err != nil {
		return err
	}
	for _, p := range packages {
		name, programs, ok := strings.Cut(p, "=")
		if !ok {
			return fmt.Errorf("%q is not NAME=PROGRAM,PROGRAM", p)
		}
		parts, err := linkedModules(strings.Split(programs, ","), licences)
		if err != nil {
			return err
		}
		if err := write(filepath.Join(to, name), name, version, cache, parts); err != nil {
			return err
		}
	}
	return nil
}

// part is a module or library in a program.
type part struct {
	path, version, sum string
	licence            string // an SPDX expression
}

const (
	goLibrary = "std"   // Go's library and runtime
	cLibrary  = "glibc" // the C library, in programs linked with it
)

// linkedModules returns the modules in programs, without duplicates, sorted.
func linkedModules(programs []string, licences map[string]string) ([]part, error) {
	seen := map[string]part{}
	for _, program := range programs {
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			return nil, fmt.Errorf("cannot tell what is in %s: %w", program, err)
		}
		seen[goLibrary] = part{path: goLibrary, version: strings.TrimPrefix(info.GoVersion, "go"), licence: "BSD-3-Clause"}
		if setting(info, "CGO_ENABLED") == "1" {
			seen[cLibrary] = part{path: cLibrary, licence: "LGPL-2.1-or-later"}
		}
		for _, m := range info.Deps {
			if strings.HasPrefix(m.Path, "github.com/nidoit/blunux-ai") {
				continue
			}
			licence := licences[m.Path]
			if licence == "" {
				return nil, fmt.Errorf("the licence of %s is not known: it needs a line in docs/licenses.md", m.Path)
			}
			seen[m.Path] = part{m.Path, m.Version, m.Sum, licence}
		}
	}
	return sortParts(seen), nil
}

func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

func moduleCache() (string, error) {
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		return "", fmt.Errorf("cannot ask go where modules are: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

func write(dir, name, version, cache string, parts []part) error {
	notices, err := notices(name, cache, parts)
	if err != nil {
		return err
	}
	bill, err := bill(name, version, parts)
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(dir, 0o755),
		os.WriteFile(filepath.Join(dir, "THIRD-PARTY"), notices, 0o644),
		os.WriteFile(filepath.Join(dir, "sbom.cdx.json"), bill, 0o644))
}
