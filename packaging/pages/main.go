// Command pages turns the Markdown sources of man pages into compressed man pages.
//
//	pages DIR PAGE.md…
//
// DIR has the layout of share/man, with NAME.SECTION.md that the programs wrote; the pages replace them. Each PAGE is
// NAME.SECTION.LANGUAGE.md and is added to DIR.
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: pages DIR PAGE.md…")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "pages:", err)
		os.Exit(1)
	}
}

func write(dir string, written []string) error {
	for _, source := range written {
		text, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		if err := compress(place(dir, source), text); err != nil {
			return err
		}
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, isSource := strings.CutSuffix(path, ".md")
		if err != nil || d.IsDir() || !isSource {
			return err
		}
		text, err := os.ReadFile(path)
		return errors.Join(err, compress(name, text), os.Remove(path))
	})
}

// languages are the directories of the pages below share/man by the language in their names.
var languages = map[string]string{".ko": "ko", ".zh": "zh_CN"}

// place returns the path of the page of docs/man/NAME.SECTION.LANGUAGE.md.
func place(dir, source string) string {
	name := strings.TrimSuffix(filepath.Base(source), ".md")
	language := filepath.Ext(name)
	name = strings.TrimSuffix(name, language)
	return filepath.Join(dir, languages[language], "man"+strings.TrimPrefix(filepath.Ext(name), "."), name)
}

// compress writes a page to PATH.gz, without a name and a time, so that builds are reproducible. Packages compress their
// pages anyway, with three processes for each.
func compress(path string, markdown []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err = z.Write(roff(markdown)); err != nil {
		return err
	}
	if err = z.Close(); err != nil {
		return err
	}
	return os.WriteFile(path+".gz", b.Bytes(), 0o644)
}

// roff returns a page that is ragged-right and not hyphenated, because of Korean and file names. groff's Chinese macros
// need a break point (\:) in a list with 、.
func roff(markdown []byte) []byte {
	text := string(md2man.Render(markdown))
	head, rest, _ := strings.Cut(text, "\n.TH ")
	title, body, _ := strings.Cut(rest, "\n")
	text = head + "\n.TH " + title + "\n.ad l\n.nh\n" + body
	return []byte(strings.ReplaceAll(text, "、", `、\:`))
}
