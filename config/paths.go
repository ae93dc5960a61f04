package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/nidoit/blunux-ai/i18n"
)

// Paths are the places of the program's files, all below one directory of the user.
type Paths struct {
	Home string // $BLUNUX_AI_HOME, the directory itself
	// Caches is the directory of files that can be rebuilt. "" means below Home.
	Caches string

	conversations string // "" means below Home
}

// FindPaths returns $BLUNUX_AI_HOME, else $XDG_CONFIG_HOME/blunux-ai, else ~/.config/blunux-ai. Caches are in
// $XDG_CACHE_HOME/blunux-ai or ~/.cache/blunux-ai, or below $BLUNUX_AI_HOME if that is set, to separate instances
// completely. It fails if none of the variables is set.
func FindPaths(getenv func(string) string) (Paths, error) {
	home := getenv("BLUNUX_AI_HOME")
	if home == "" {
		if base := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(base) {
			home = filepath.Join(base, "blunux-ai")
		} else if base := getenv("HOME"); base != "" {
			home = filepath.Join(base, ".config", "blunux-ai")
		}
	}
	if home == "" {
		return Paths{}, i18n.PlaceNone.WithCause(nil)
	}
	if !filepath.IsAbs(home) {
		return Paths{}, i18n.PlaceHalf(home).WithCause(nil)
	}
	return Paths{Home: filepath.Clean(home), Caches: caches(getenv)}, nil
}

func caches(getenv func(string) string) string {
	if getenv("BLUNUX_AI_HOME") != "" {
		return ""
	}
	if base := getenv("XDG_CACHE_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, "blunux-ai")
	}
	if base := getenv("HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, ".cache", "blunux-ai")
	}
	return ""
}

// Recall is the directory of the search index of notes, one for each home.
func (p Paths) Recall() string {
	if p.Caches == "" {
		return filepath.Join(p.Home, "cache", "recall")
	}
	sum := sha256.Sum256([]byte(p.Home))
	return filepath.Join(p.Caches, "recall-"+hex.EncodeToString(sum[:4]))
}

// WebCache is the directory of the pages that are kept for a day.
func (p Paths) WebCache() string {
	if p.Caches == "" {
		return filepath.Join(p.Home, "cache", "web")
	}
	return filepath.Join(p.Caches, "web")
}

// Pictures is the directory of the last pictures of web pages.
func (p Paths) Pictures() string {
	if p.Caches == "" {
		return filepath.Join(p.Home, "cache", "pictures")
	}
	return filepath.Join(p.Caches, "pictures")
}

// Preview is the file of the last preview of an upgrade. It is "" for an instance of $BLUNUX_AI_HOME, because commands do not have
// that variable and would read another one's.
func (p Paths) Preview() string {
	if p.Caches == "" {
		return ""
	}
	return filepath.Join(p.Caches, "preview.json")
}

// Config is the user's settings file.
func (p Paths) Config() string { return filepath.Join(p.Home, "config.toml") }

// Setup is the settings file that the set-up writes. config.toml is left to the person.
func (p Paths) Setup() string { return filepath.Join(p.Home, "config.d", "50-setup.toml") }

// ChatHistory is the input history of the terminal chat.
func (p Paths) ChatHistory() string { return filepath.Join(p.Home, "chat_history") }

// Credentials is the directory of API keys.
func (p Paths) Credentials() string { return filepath.Join(p.Home, "credentials") }

// Offline is the directory of files with additional words for the built-in helper.
func (p Paths) Offline() string { return filepath.Join(p.Home, "offline") }

// Logs is the directory of the command log and the daemon's own log.
func (p Paths) Logs() string { return filepath.Join(p.Home, "logs") }

// CommandLog is the log of every command.
func (p Paths) CommandLog() string { return filepath.Join(p.Logs(), "commands.log") }

// LogWitness is the second copy of the command log's head, stored with the tasks.
func (p Paths) LogWitness() string { return filepath.Join(p.Home, "tasks", "audit.head") }

// Memory is the directory of the notes about machine and person.
func (p Paths) Memory() string { return filepath.Join(p.Home, "memory") }

// Sessions is the directory of conversations, [Storage.PathsFor] that of the settings.
func (p Paths) Sessions() string { return cmp.Or(p.conversations, filepath.Join(p.Home, "sessions")) }

// Approvals is the directory of pending approvals.
func (p Paths) Approvals() string { return filepath.Join(p.Home, "approvals") }

// Receipts is the directory of what approved changes did.
func (p Paths) Receipts() string { return filepath.Join(p.Home, "receipts") }

// Usage is the ledger of model requests and their costs.
func (p Paths) Usage() string { return filepath.Join(p.Home, "usage", "usage.jsonl") }

// Figures is the file of what was measured of the machine's health, a line a day.
func (p Paths) Figures() string { return filepath.Join(p.Home, "figures.jsonl") }

// Misses is the file of what the built-in helper did not understand.
func (p Paths) Misses() string { return filepath.Join(p.Home, "misses.jsonl") }

// FileList is the file of what was in /etc and ~/.config when it was last compared.
func (p Paths) FileList() string { return filepath.Join(p.Home, "files.json") }

// Packages is the directory of what is remembered of the packages of the AUR that were built.
func (p Paths) Packages() string { return filepath.Join(p.Home, "aur") }

// Outbox is the directory of texts that wait for a client.
func (p Paths) Outbox() string { return filepath.Join(p.Home, "outbox") }

// Runs is the directory of confirmed commands that are running or have an unreported result.
func (p Paths) Runs() string { return filepath.Join(p.Home, "runs") }

// Automations is the person's file of rules.
func (p Paths) Automations() string { return filepath.Join(p.Home, "automations.toml") }

// ManagedAutomations is the drop-in that commands write.
func (p Paths) ManagedAutomations() string {
	return filepath.Join(p.Home, "automations.d", "50-managed.toml")
}

// AutomationState is the directory of the automations' state: the ledger, the last valid files, signatures.
func (p Paths) AutomationState() string { return filepath.Join(p.Home, "automations") }

// Ensure creates the directory for the user only. An existing directory must belong to the user; permissions of
// others are removed.
func (p Paths) Ensure() error {
	if err := os.MkdirAll(p.Home, 0o700); err != nil {
		return i18n.PlaceNotMade(p.Home, err).WithCause(err)
	}
	fi, err := os.Stat(p.Home)
	if err != nil {
		return i18n.PlaceBad(p.Home, err).WithCause(err)
	}
	if uid := ownerOf(fi); uid != os.Getuid() {
		return i18n.PlaceForeign(p.Home, uid).WithCause(nil)
	}
	if fi.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(p.Home, 0o700); err != nil {
			return i18n.PlaceOpen(p.Home, err).WithCause(err)
		}
	}
	return nil
}

// HomeDir returns the user's home directory: $HOME or the entry in the user database.
func HomeDir(getenv func(string) string) string {
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Clean(home)
	}
	if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) {
		return u.HomeDir
	}
	return "/"
}

// open opens a regular file for reading. It does not block, as opening a named pipe would.
func open(file string) (*os.File, error) { return openWith(file, 0) }

// openOwn is [open] for a file in the user's own directory, where a link could turn any file of the machine into
// a setting or a key (security, threat 15).
func openOwn(file string) (*os.File, error) {
	f, err := openWith(file, syscall.O_NOFOLLOW)
	if errors.Is(err, syscall.ELOOP) {
		return nil, errLink
	}
	return f, err
}

var (
	errLink       = i18n.FileLink.WithCause(nil)
	errNotRegular = i18n.FileOdd.WithCause(nil)
)

func openWith(file string, flags int) (*os.File, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK|flags, 0)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// checkWritable returns an error if others can change a settings file: its owner is neither the user nor root, or
// its mode lets others write.
func checkWritable(f *os.File) error {
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	if uid := ownerOf(fi); uid != 0 && uid != os.Getuid() {
		return i18n.FileForeign(uid, quote(f.Name())).WithCause(nil)
	}
	if fi.Mode().Perm()&0o022 != 0 {
		return i18n.FileOpen(fi.Mode().Perm(), quote(f.Name())).WithCause(nil)
	}
	return nil
}

func ownerOf(fi fs.FileInfo) int {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return os.Getuid()
}

// quote quotes a file name for a shell, because suggested commands are copied and pasted.
func quote(file string) string {
	if !strings.ContainsFunc(file, func(r rune) bool { return !plain(r) }) {
		return file
	}
	return "'" + strings.ReplaceAll(file, "'", `'\''`) + "'"
}

func plain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._+-", r)
}

// maxLooked bounds how many files [Paths.InsecureFiles] visits.
const maxLooked = 20_000

// InsecureFiles returns the person's files and directories among the program's that group or others can read or change,
// except for the home itself. Settings contain no secrets, and editors leave them readable, so they count only if
// others can change them.
func (p Paths) InsecureFiles() []string {
	var found []string
	looked := 0
	for _, root := range []string{p.Home, p.Recall()} {
		_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if looked++; looked > maxLooked {
				return fs.SkipAll
			}
			if err != nil || path == p.Home || !e.Type().IsRegular() && !e.IsDir() {
				return nil
			}
			fi, err := e.Info()
			if err == nil && ownerOf(fi) == os.Getuid() && fi.Mode().Perm()&p.forbiddenMode(path) != 0 && !slices.Contains(found, path) {
				found = append(found, path)
			}
			return nil
		})
	}
	return found
}

// forbiddenMode returns the permissions that a path must not have.
func (p Paths) forbiddenMode(path string) fs.FileMode {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, p.Home+"/"), "/")
	if slices.Contains([]string{"config.toml", "config.d", "automations.toml", "automations.d", "offline"}, first) {
		return 0o022
	}
	return 0o077
}

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

// Imported is the settings file that an import writes.
func (p Paths) Imported() string { return filepath.Join(p.Home, "config.d", "60-imported.toml") }

// WithText returns a source that reads text instead of one of the person's own files, which need not exist. With a
// nil text the file does not exist.
func (s Source) WithText(file string, text []byte) Source {
	s.overrides = maps.Clone(s.overrides)
	if s.overrides == nil {
		s.overrides = map[string][]byte{}
	}
	s.overrides[file] = text
	return s
}

// ownFiles returns the person's files in the order of reading.
func (s Source) ownFiles() ([]string, error) {
	dir := filepath.Join(s.Paths.Home, "config.d")
	drop, err := dropIns(dir)
	if err != nil {
		return nil, err
	}
	for file := range s.overrides {
		if filepath.Dir(file) == dir && strings.HasSuffix(file, ".toml") && !slices.Contains(drop, file) {
			drop = append(drop, file)
		}
	}
	slices.Sort(drop)
	return append([]string{s.Paths.Config()}, drop...), nil
}
