package host

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/upgrade"
	"github.com/nidoit/blunux-ai/upgrade/database"
)

// A preview is used again while everything that it was computed from is the same: the lists by their contents, after they were
// fetched, and other files by their state. The room on the disks and ages are looked at each time. News, what speaks against
// an upgrade now, and what the next start needs are no part of a preview.

// maxEarlier bounds the file of an earlier preview, in bytes.
const maxEarlier = 1 << 20

// maxWatched bounds how many packages an earlier preview names whose files it depends on.
const maxWatched = 100

// reuse takes an earlier preview if it was computed from the same. Where it cannot be read, there is none.
func (p *preview) reuse() bool {
	fi, err := os.Stat(p.o.Earlier)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > maxEarlier {
		return false
	}
	text, err := os.ReadFile(p.o.Earlier)
	if err != nil {
		return false
	}
	earlier, err := upgrade.Read(text)
	if err != nil || earlier.Problem != nil || earlier.Inputs == nil || sealOf(earlier) != earlier.Inputs.Seal {
		return false
	}
	if digest, err := p.digest(*earlier.Inputs); err != nil || digest != earlier.Inputs.Digest {
		return false
	}
	for i := range earlier.Mounts {
		earlier.Mounts[i].Free = freeBytes(earlier.Mounts[i].Target)
	}
	if earlier.Keyring != nil && earlier.Inputs.KeysBuilt != 0 {
		earlier.Keyring.Age = daysSince(earlier.Inputs.KeysBuilt)
	}
	p.out = earlier
	return true
}

// daysSince returns how many days ago a Unix time was.
func daysSince(at int64) int { return max(0, int(time.Since(time.Unix(at, 0)).Hours()/24)) }

// sealOf returns the digest of a whole preview, "" if it has no inputs.
func sealOf(out upgrade.Preview) string {
	if out.Inputs == nil {
		return ""
	}
	in := *out.Inputs
	in.Seal, out.Inputs = "", &in
	text, err := json.Marshal(out)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// brief returns the preview with bounded lists, which can be used again.
func (p *preview) brief() upgrade.Preview {
	out := p.out.Brief()
	if out.Inputs != nil {
		out.Inputs.Seal = sealOf(out)
	}
	return out
}

// watch notes the packages whose files the preview depends on, before those are read.
func (p *preview) watch() {
	in := &upgrade.Inputs{}
	for name, pkg := range p.local.Packages {
		if !p.trans.Sync.Names[name] {
			in.Foreign = append(in.Foreign, name+"-"+pkg.Version)
		}
	}
	for _, pkg := range p.trans.Adds {
		if old := p.local.Packages[pkg.Name]; old != nil && len(old.Backup) > 0 {
			in.Configured = append(in.Configured, old.Name+"-"+old.Version)
		}
	}
	if len(in.Foreign) > maxWatched || len(in.Configured) > maxWatched {
		return
	}
	slices.Sort(in.Foreign)
	slices.Sort(in.Configured)
	if digest, err := p.digest(*in); err == nil {
		in.Digest = digest
		p.out.Inputs = in
	}
}

// digest returns the digest of all inputs: those of before the look at the lists, and those that its result names.
func (p *preview) digest(in upgrade.Inputs) (string, error) {
	if p.before == "" {
		return "", errors.New("the inputs cannot be read")
	}
	s := state{sha256.New()}
	fmt.Fprintln(s, p.before)
	installed := filepath.Join(p.copy, "local")
	for _, entry := range in.Foreign {
		if err := database.Files(installed, entry, func(file string) {
			if !strings.HasSuffix(file, "/") {
				s.add(file, filepath.Join(p.conf.Root, file))
			}
		}); err != nil {
			return "", err
		}
	}
	for _, entry := range in.Configured {
		backups, err := database.Backups(installed, entry)
		if err != nil {
			return "", err
		}
		for _, b := range backups {
			s.add(b.Path, filepath.Join(p.conf.Root, b.Path))
		}
	}
	return "sha256:" + hex.EncodeToString(s.Sum(nil)), nil
}

// digestBefore returns the digest of what is known before the lists are looked at.
func (p *preview) digestBefore(settings []byte) (string, error) {
	s := state{sha256.New()}
	fmt.Fprintf(s, "%q\n", settings)
	s.addPrograms()
	if err := s.addLists(p); err != nil {
		return "", err
	}
	installed := filepath.Join(p.copy, "local")
	entries, err := os.ReadDir(installed)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		s.add(e.Name(), filepath.Join(installed, e.Name(), "desc"))
		s.add("", filepath.Join(installed, e.Name(), "files"))
	}
	s.addDownloads(p)
	for _, dir := range bootDirs {
		s.addEntries(filepath.Join(p.conf.Root, dir))
	}
	database.EachService(p.conf.Root, func(unit database.Service) {
		s.add(unit.File, unit.File)
		s.add(unit.Program, filepath.Join(p.conf.Root, unit.Program))
	})
	for _, m := range readMounts() {
		fmt.Fprintf(s, "%q %q\n", m.target, m.source)
	}
	return hex.EncodeToString(s.Sum(nil)), nil
}

// state hashes the state of files.
type state struct{ hash.Hash }

// add adds what changes with a file, by any program: stat(2). A missing file has a state too.
func (s state) add(label, file string) {
	var st unix.Stat_t
	err := unix.Stat(file, &st)
	fmt.Fprintf(s, "%q %v %d %o %d %d.%d\n", label, err, st.Ino, st.Mode, st.Size, st.Ctim.Sec, st.Ctim.Nsec)
}

// addEntries adds the files in a directory.
func (s state) addEntries(dir string) {
	entries, err := os.ReadDir(dir)
	fmt.Fprintf(s, "%q %d %v\n", dir, len(entries), err != nil)
	for _, e := range entries {
		s.add(e.Name(), filepath.Join(dir, e.Name()))
	}
}

// addPrograms adds this program and those that it asks.
func (s state) addPrograms() {
	own, _ := os.Executable() // "" has a state too
	s.add("", own)
	for _, name := range []string{"pacman", "bsdtar"} {
		file, _ := exec.LookPath(name)
		s.add(name, cmp.Or(file, name))
	}
}

// addLists adds the copies of the repositories' databases with their signatures, and the lists of files.
func (s state) addLists(p *preview) error {
	for _, r := range p.conf.Repositories {
		name := filepath.Join(p.copy, "sync", r.Name)
		for _, file := range []string{name + ".db", name + ".db.sig"} {
			in, err := os.Open(file)
			fmt.Fprintf(s, "%q %v\n", filepath.Base(file), err != nil)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			_, err = io.Copy(s, in)
			if err := errors.Join(err, in.Close()); err != nil {
				return err
			}
		}
		s.add(r.Name, name+".files")
	}
	return nil
}

// addDownloads adds the directories in which new packages can be already, with the downloads that were cut off.
func (s state) addDownloads(p *preview) {
	dirs := slices.Clone(p.conf.Caches)
	for _, r := range p.conf.Repositories {
		for _, server := range r.Servers {
			if dir, ok := strings.CutPrefix(server, "file://"); ok {
				dirs = append(dirs, dir)
			}
		}
	}
	for _, dir := range dirs {
		s.add(dir, dir)
		parts, _ := filepath.Glob(filepath.Join(dir, "*.part")) // fails only for a wrong pattern
		for _, part := range parts {
			s.add(part, part)
		}
	}
}
