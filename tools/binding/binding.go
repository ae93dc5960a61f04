// Package binding finds the files and directories that decide what a command does, so that an approval of the command
// covers their content.
package binding

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/nidoit/blunux-ai/tools/shell"
)

// File is a file whose content decides what a command does, as it was when the person was asked.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // hex
}

// maxScriptBytes is the size up to which a script's content is compared.
const maxScriptBytes = 64 << 20

// binder finds the files that decide what commands do.
type binder struct {
	reader
	Binding
	seen map[string]bool
}

// Binding is what an approval of a command covers.
type Binding struct {
	// ProgramFiles are the files of the programs, sorted.
	ProgramFiles []string
	// Files are the executed scripts with their current digests.
	Files []File
	// Dirs are the directories it works in, with device and inode.
	Dirs []string
	// Uncovered are the programs and scripts that read more than Files. An approval does not cover what they read.
	Uncovered []string
}

// Of returns the contents of the scripts that commands run, and the directories that they work in. Programs that
// depend on more are listed in Uncovered. programs are those that the checker found.
func Of(commands []shell.Command, programs []string, dir, home string) Binding {
	b := &binder{
		reader: reader{home: home, places: []string{dir}, values: map[string][]string{}, programs: slices.Clone(programs)},
		seen:   map[string]bool{},
	}
	for _, c := range commands {
		if c.Shell != "" {
			b.readText(c.Shell)
		} else {
			b.readCall(c.Argv)
		}
	}
	dirs := append([]string{dir}, b.entered...)
	if len(b.paths) > 0 || slices.ContainsFunc(b.programs, readsText) {
		dirs = b.places
		for _, w := range slices.Concat(b.paths, b.words) {
			b.addFile(w)
		}
		b.bindImplicit()
		b.nameUncovered()
	}
	for _, dir := range dirs {
		if id := dirIdentity(dir); !slices.Contains(b.Dirs, id) {
			b.Dirs = append(b.Dirs, id)
		}
	}
	return b.Binding
}

// dirIdentity identifies a directory by device and inode, because another directory can get the same name.
func dirIdentity(dir string) string {
	fi, err := os.Stat(dir)
	if err != nil {
		return dir + " absent"
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%s %d:%d", dir, st.Dev, st.Ino)
	}
	return dir
}

// bindImplicit binds the files that programs read by default.
func (b *binder) bindImplicit() {
	for _, program := range b.programs {
		for name := range strings.FieldsSeq(implicitFiles[shell.BaseProgram(program)]) {
			for _, dir := range b.places {
				found, _ := filepath.Glob(b.absolute(name, quoteGlob(dir)))
				for _, p := range found {
					b.addFile(p)
				}
			}
		}
	}
}

// quoteGlob escapes a path for use in a glob pattern.
func quoteGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// addFile binds the contents of a word's file in each directory that has it.
func (b *binder) addFile(word string) {
	for _, dir := range b.places {
		path := b.absolute(word, dir)
		if b.seen[path] {
			continue
		}
		b.seen[path] = true
		sum, ok := hashFile(path)
		if !ok {
			continue
		}
		if len(b.Files) == maxScripts {
			b.incomplete = true
			return
		}
		b.Files = append(b.Files, File{Path: path, SHA256: sum})
	}
}

// nameUncovered lists the programs that read more than the bound files: modules, included files, their configuration.
func (b *binder) nameUncovered() {
	for _, p := range b.programs {
		name := shell.BaseProgram(p)
		switch {
		case strings.Contains(p, "/"):
			if !isSystemProgram(p) && b.isProgram(p) {
				b.addUncovered(filepath.Base(p))
			}
		case readsText(p) && (b.incomplete && p != "sudo" || !slices.Contains(starterPrograms, name) && !slices.Contains(coveredReaders, name) && name != ""):
			b.addUncovered(name)
		}
	}
	for _, f := range b.Files {
		if looksLikeScript(f.Path) {
			b.addUncovered(filepath.Base(f.Path))
		}
	}
	slices.Sort(b.Uncovered)
}

// looksLikeScript reports whether a file looks like a script, which can read other files.
func looksLikeScript(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer f.Close()
	start := make([]byte, 2)
	n, _ := io.ReadFull(f, start)
	return string(start[:n]) == "#!" || slices.Contains([]string{".sh", ".bash", ".zsh", ".fish", ".py", ".pl", ".rb", ".js", ".lua", ".mk"}, filepath.Ext(path))
}

func (b *binder) addUncovered(name string) {
	if !slices.Contains(b.Uncovered, name) {
		b.Uncovered = append(b.Uncovered, name)
	}
}

// hashFile returns the digest of a regular file's content, or false if there is no such file. For a file that
// is unreadable or too large for a script, it uses size and modification time.
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
