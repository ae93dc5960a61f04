package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// goText is Go's licence. It is embedded because distributions install it in different places.
//
//go:embed go.LICENSE
var goText []byte

const cText = `The GNU C Library is linked statically. It is free software under the terms of the
GNU Lesser General Public License, version 2.1 or later; its sources are at
https://www.gnu.org/software/libc/ and with your distribution. This program's
sources and the PKGBUILD it was built with are all that is needed to link it with
another version of that library.
`

// licenceFile matches the names of licence files.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]es?(-[a-z0-9_-]+)?|unlicense|copying|copyright|notice|patents)([-._].*)?$`)

func notices(name, cache string, parts []part) ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "What is linked into the programs of %s, and under which licences.\n", name)
	for _, p := range parts {
		fmt.Fprintf(&out, "\n%s\n%s: %s\n\n", strings.Repeat("=", 78), strings.TrimSpace(p.path+" "+p.version), p.licence)
		texts, err := p.texts(cache)
		if err != nil {
			return nil, err
		}
		for _, text := range texts {
			fmt.Fprintf(&out, "%s\n", bytes.TrimRight(text, "\n"))
		}
	}
	return out.Bytes(), nil
}

// texts returns a part's licence files without duplicates.
func (p part) texts(cache string) ([][]byte, error) {
	switch p.path {
	case goLibrary:
		return [][]byte{goText}, nil
	case cLibrary:
		return [][]byte{[]byte(cText)}, nil
	}
	var texts [][]byte
	root := p.dir(cache)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return fs.SkipDir
		case d.IsDir() || !licenceFile.MatchString(d.Name()) || filepath.Ext(path) == ".go":
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil && !slices.ContainsFunc(texts, func(t []byte) bool { return bytes.Equal(t, text) }) {
			texts = append(texts, text)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read the licence of %s: %w", p.path, err)
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("%s has no licence's text in %s", p.path, root)
	}
	return texts, nil
}

// dir returns the directory of a module's sources.
func (p part) dir(cache string) string {
	var b strings.Builder
	for _, r := range p.path + "@" + p.version {
		if unicode.IsUpper(r) {
			b.WriteByte('!')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return filepath.Join(cache, b.String())
}

func sortParts(parts map[string]part) []part {
	return slices.SortedFunc(maps.Values(parts), func(a, b part) int { return strings.Compare(a.path, b.path) })
}

// row matches a line of the table of licences: | module | version | licence | in |
var row = regexp.MustCompile(`(?m)^\| ([^ |]+) \| (v[^ |]+) \| ([^|]+) \|`)

func readTable(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the modules' licences: %w", err)
	}
	licences := map[string]string{}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		licences[m[1]] = strings.TrimSpace(m[3])
	}
	return licences, nil
}
