// Package place decides by names which files a command uses: where a path leads, what in a word can be a path, and which
// places decide what runs later.
package place

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Within reports whether a clean path is dir or below it.
func Within(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

// errMissingParent reports a path with .. after a missing directory.
var errMissingParent = errors.New("cannot resolve .. after a missing directory")

// RealPath resolves the links of an absolute path, with ".." meaning the real parent. Missing parts stay as
// they are. It fails for a link with a missing target, because that target can still change.
func RealPath(path string) (string, error) {
	missing := ""
	for {
		_, err := os.Lstat(path)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		i := strings.LastIndexByte(path, '/')
		if path[i+1:] == ".." {
			return "", errMissingParent
		}
		missing = path[i+1:] + "/" + missing
		if path = path[:i]; path == "" {
			path = "/"
		}
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Join(real, missing), nil
}

// Limits of a word that is searched for paths.
const (
	maxOption = 128 // bytes of an option
	maxPaths  = 512
)

// PathsIn returns everything that can be a path in a word: the word, each part of it between characters that
// are rare in names, each suffix that starts at such a part, and for an option also the text after each of its
// letters. It fails for a word that a program can still expand.
func PathsIn(word string) ([]string, bool) {
	if word == "" {
		return nil, true
	}
	if strings.ContainsAny(word, "$`\x00") {
		return nil, false
	}
	paths := []string{word}
	for start := 0; start < len(word); {
		end := start + partLength(word[start:])
		if start > 0 && end > start {
			paths = append(paths, word[start:end], word[start:])
		}
		if start == 0 && word[0] == '-' {
			if end > maxOption {
				return nil, false
			}
			for i := 1; i < end; i++ {
				paths = append(paths, word[i:end], word[i:])
			}
		}
		start = end + 1
	}
	return paths, len(paths) <= maxPaths
}

// partLength returns the length of the first part of a text.
func partLength(text string) int {
	i := strings.IndexFunc(text, func(r rune) bool {
		return r < 0x80 && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._/~-", r))
	})
	if i < 0 {
		return len(text)
	}
	return i
}
