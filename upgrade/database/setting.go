package database

import (
	"crypto/md5"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"

	"github.com/nidoit/blunux-ai/upgrade"
)

// Settings returns the configuration files that the person changed and whose package changes. newDigest returns the MD5 of the
// file in the new version, "" if that has none; ok is false if it is not known. pacman keeps the person's file and writes a
// .pacnew if the three texts differ (libalpm, lib/libalpm/add.c, try_extract_backup).
func (t *Transaction) Settings(root string, newDigest func(p *Package, path string) (digest string, ok bool)) (all []upgrade.Setting) {
	for _, p := range t.Adds {
		old := t.Local.Packages[p.Name]
		if old == nil {
			continue
		}
		for _, b := range old.Backup {
			current := digestOf(filepath.Join(root, b.Path), b, old)
			if current == b.Digest || current == "" {
				continue
			}
			digest, known := newDigest(p, b.Path)
			if known && (digest == "" || digest == b.Digest || digest == current) {
				continue
			}
			all = append(all, upgrade.Setting{Path: "/" + b.Path, Package: p.Name, Certain: known})
		}
	}
	return all
}

// maxSetting bounds a configuration file, in bytes.
const maxSetting = 64 << 20

// digestOf returns the MD5 of a file, "" if there is none. Of a file that only root can read it returns "?" if it was changed
// after its package was built, whose time packed files keep.
func digestOf(file string, b Backup, old *Package) string {
	fi, err := os.Stat(file)
	if err != nil || !fi.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(file)
	if err != nil && fi.ModTime().Unix() <= old.BuiltAt {
		return b.Digest
	}
	if err != nil {
		return "?"
	}
	defer f.Close()
	sum := md5.New() // what the database has
	if _, err := io.Copy(sum, io.LimitReader(f, maxSetting)); err != nil {
		return "?"
	}
	return hex.EncodeToString(sum.Sum(nil))
}
