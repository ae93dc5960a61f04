package config

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
)

// maxFingerprint bounds how much of a file is hashed, in bytes. For longer files, the size and the modification
// time are hashed too.
const maxFingerprint = 1 << 20

// Fingerprint hashes everything that [Load] would read, and the files of further directories: contents, owners
// and modes. It changes when any of them does and does not reveal the contents.
func Fingerprint(src Source, dirs ...string) [sha256.Size]byte {
	h := sha256.New()
	sum(h, src.Distribution, open)
	sum(h, src.System, open)
	drop, err := dropIns(filepath.Join(src.Paths.Home, "config.d"))
	fmt.Fprintf(h, "%d %v\n", len(drop), err)
	for _, file := range append(drop, src.Paths.Config()) {
		sum(h, file, openOwn)
	}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		fmt.Fprintf(h, "%q %d %v\n", dir, len(entries), err)
		for _, e := range entries {
			sum(h, filepath.Join(dir, e.Name()), openOwn)
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// sum adds a file to a hash, or the error if it cannot be read.
func sum(h hash.Hash, file string, open func(string) (*os.File, error)) {
	f, err := open(file)
	if err != nil {
		fmt.Fprintf(h, "%q %v\n", file, err)
		return
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		fmt.Fprintf(h, "%q %v\n", file, err)
		return
	}
	fmt.Fprintf(h, "%q %o %d %d\n", file, fi.Mode(), ownerOf(fi), fi.Size())
	if fi.Size() > maxFingerprint {
		fmt.Fprintf(h, "%d\n", fi.ModTime().UnixNano())
	}
	_, err = io.CopyN(h, f, maxFingerprint)
	fmt.Fprintf(h, "\n%v\n", err) // io.EOF on success
}
