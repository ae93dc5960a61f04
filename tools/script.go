package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// File is a file whose contents decide what a command does, as they were when
// a person was asked.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // hex
}

// The bounds on files an approval is bound to: more than a person reads.
const (
	maxScripts     = 32
	maxScriptBytes = 64 << 20
)

// scripts returns the files a plan would run as programs: what it starts by
// path, and, when it starts something that reads a program from a file (a shell,
// an interpreter), every file it names. A word that is only known when the
// command runs names none.
func (j Judged) scripts(home string) []File {
	interprets := slices.ContainsFunc(j.Programs, runsText)
	var files []File
	seen := map[string]bool{}
	for _, c := range j.Plan.Commands {
		for i, word := range c.words(home) {
			path := word.text
			if !filepath.IsAbs(path) {
				path = filepath.Join(j.Plan.Dir, path)
			}
			byPath := word.first && strings.Contains(word.text, "/")
			if seen[path] || len(files) == maxScripts || !byPath && (!interprets || i == 0) {
				continue
			}
			seen[path] = true
			if sum, ok := hashFile(path); ok {
				files = append(files, File{Path: path, SHA256: sum})
			}
		}
	}
	return files
}

// runsText reports whether a program may take what it does from a file.
func runsText(program string) bool {
	name := strings.TrimRight(filepath.Base(program), "0123456789.") // python3.14
	return program == "." || strings.Contains(program, "/") || slices.Contains(runners, name)
}

// shellWord is a literal word of a command.
type shellWord struct {
	text  string
	first bool // names a program
}

// words returns the literal words of a command, quotes taken away and ~ put in.
func (c Command) words(home string) []shellWord {
	if c.Shell == "" {
		words := make([]shellWord, len(c.Argv))
		for i, arg := range c.Argv {
			words[i] = shellWord{text: arg, first: i == 0}
		}
		return words
	}
	tree, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(c.Shell), "")
	if err != nil {
		return nil
	}
	var words []shellWord
	syntax.Walk(tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			for i, w := range n.Args {
				if text, ok := literal(w, home); ok {
					words = append(words, shellWord{text: text, first: i == 0})
				}
			}
		case *syntax.Redirect:
			if text, ok := literal(n.Word, home); ok && n.Op == syntax.RdrIn {
				words = append(words, shellWord{text: text})
			}
		}
		return true
	})
	return words
}

// literal returns what a word stands for, if that is known without running
// anything.
func literal(w *syntax.Word, home string) (string, bool) {
	if w == nil {
		return "", false
	}
	plain := true
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n.(type) {
		case nil, *syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted:
		default:
			plain = false
		}
		return plain
	})
	if !plain {
		return "", false
	}
	text, err := expand.Literal(&expand.Config{Env: expand.ListEnviron("HOME=" + home)}, w)
	return text, err == nil && text != ""
}

// hashFile returns the digest of a plain file's contents; false when there is
// no such file. One that cannot be read, or is too large to be somebody's
// script, stands for itself as it lies there.
func hashFile(path string) (string, bool) {
	fi, err := os.Stat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return "", false
	}
	sum := sha256.New()
	f, err := os.Open(path)
	if err == nil {
		defer f.Close()
		_, err = io.Copy(sum, io.LimitReader(f, maxScriptBytes))
	}
	if err != nil || fi.Size() > maxScriptBytes {
		fmt.Fprintf(sum, "%d %d", fi.Size(), fi.ModTime().UnixNano())
	}
	return hex.EncodeToString(sum.Sum(nil)), true
}
