package web

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// cachedHosts are the hosts whose pages are kept: those that the built-in helper reads.
var cachedHosts = []string{"wiki.archlinux.org", "archlinux.org"}

// CacheAge is how long a page is read from the cache, and StaleAge how long if its server cannot be reached.
const (
	CacheAge = 24 * time.Hour
	StaleAge = 30 * 24 * time.Hour
)

// maxCached bounds the number of kept pages.
const maxCached = 200

// cacheVersion is the version of a kept page's file.
const cacheVersion = 1

// keptPage is the file of a page.
type keptPage struct {
	Version int       `json:"v"`
	URL     string    `json:"url"`
	At      time.Time `json:"at"`
	Answer  Answer    `json:"answer"`
}

// isCached reports whether the answer to a request is kept.
func (w *Web) isCached(r Request) bool {
	_, host, err := Parse(r.URL)
	return err == nil && w.Cache != "" && r.Method == "" && r.Name == "" && slices.Contains(cachedHosts, host)
}

func (w *Web) cacheFile(r Request) string {
	sum := sha256.Sum256([]byte(r.URL))
	return filepath.Join(w.Cache, hex.EncodeToString(sum[:16])+".json")
}

// unreached are the codes of failures to reach a server at all.
var unreached = []string{CodeOffline, CodePortal, CodeName, CodeUnreachable, CodeTimeout}

// kept returns the answer to a request that was read not longer ago than an age.
func (w *Web) kept(r Request, within time.Duration) (Answer, bool) {
	data, err := os.ReadFile(w.cacheFile(r))
	if err != nil {
		return Answer{}, false
	}
	var p keptPage
	if json.Unmarshal(data, &p) != nil || p.Version != cacheVersion || p.URL != r.URL {
		return Answer{}, false
	}
	if age := w.Now().Sub(p.At); age < 0 || age >= within {
		return Answer{}, false
	}
	p.Answer.ReadAt = p.At
	return p.Answer, true
}

// keep stores an answer. It ignores errors: the page is then read again.
func (w *Web) keep(r Request, a Answer) {
	data, err := json.Marshal(keptPage{cacheVersion, r.URL, w.Now(), a})
	if err != nil || os.MkdirAll(w.Cache, 0o700) != nil {
		return
	}
	w.prune()
	f, err := os.CreateTemp(w.Cache, ".page-*")
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), w.cacheFile(r))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
}

// prune removes old pages, and all if there are too many.
func (w *Web) prune() {
	files, _ := os.ReadDir(w.Cache) // none if it cannot be read
	for _, f := range files {
		fi, err := f.Info()
		if err == nil && (len(files) >= maxCached || w.Now().Sub(fi.ModTime()) >= StaleAge) {
			_ = os.Remove(filepath.Join(w.Cache, f.Name()))
		}
	}
}
