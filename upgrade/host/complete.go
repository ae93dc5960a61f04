package host

import (
	"cmp"
	"context"
	"crypto/md5"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/upgrade"
	"github.com/nidoit/blunux-ai/upgrade/database"
)

// complete adds what pacman does not print about a transaction.
func (p *preview) complete(ctx context.Context, printed []machine.TransactionPackage) error {
	if len(printed) == 0 {
		return nil
	}
	lists := p.filesOf(ctx, printed)
	lost, err := p.trans.Losses(func(pkg *database.Package) ([]string, bool) {
		paths, ok := lists[pkg.Name+" "+pkg.Version]
		return paths, ok
	})
	if err != nil {
		return err
	}
	if p.out.Broken, p.out.Unknown, err = p.trans.Broken(p.conf.Root, lost); err != nil {
		return err
	}
	if p.out.Units, err = p.trans.Units(p.conf.Root, lost); err != nil {
		return err
	}
	p.out.Settings = p.trans.Settings(p.conf.Root, p.newDigests(ctx, printed))
	p.out.Mounts = p.mounts()
	p.out.Keyring = p.keyring()
	return nil
}

// filesOf asks pacman for the files of the new versions, by "NAME VERSION". Without lists of files there are none. They are only
// needed for packages of no repository.
func (p *preview) filesOf(ctx context.Context, printed []machine.TransactionPackage) map[string][]string {
	out := map[string][]string{}
	have, _ := filepath.Glob(filepath.Join(p.copy, "sync", "*.files"))
	if len(have) == 0 || !p.hasForeign() {
		return out
	}
	argv := p.pacman("-Fl", "--machinereadable", "--dbpath", p.copy, "--")
	for _, t := range printed {
		argv = append(argv, t.Repository+"/"+t.Name)
	}
	r := p.run(ctx, nil, argv...)                  // it fails if a list lacks a package, and prints the others
	files, _ := machine.ParseListedFiles(r.stdout) // none if it printed only messages
	for _, f := range files {
		key := f.Name + " " + f.Version
		out[key] = append(out[key], f.Path)
	}
	return out
}

// hasForeign reports whether a package of no repository is installed.
func (p *preview) hasForeign() bool {
	for name := range p.local.Packages {
		if !p.trans.Sync.Names[name] {
			return true
		}
	}
	return false
}

// newDigests returns a function that finds the MD5 of a configuration file in the new version of a package, if that is on this
// computer already.
func (p *preview) newDigests(ctx context.Context, printed []machine.TransactionPackage) func(*database.Package, string) (string, bool) {
	files := map[string]string{}
	for _, t := range printed {
		places := []string{}
		if local, ok := strings.CutPrefix(t.Location, "file://"); ok {
			places = append(places, local)
		}
		for _, dir := range p.conf.Caches {
			places = append(places, filepath.Join(dir, filepath.Base(t.Location)))
		}
		for _, file := range places {
			if _, err := os.Stat(file); err == nil {
				files[t.Name] = file
				break
			}
		}
	}
	return func(pkg *database.Package, path string) (string, bool) {
		file := files[pkg.Name]
		if _, err := exec.LookPath("bsdtar"); file == "" || err != nil {
			return "", false
		}
		r := p.run(ctx, nil, "bsdtar", "-xOf", file, path)
		if r.err != nil {
			return "", strings.Contains(string(r.stderr), "Not found in archive")
		}
		sum := md5.Sum(r.stdout) // what the database has
		return hex.EncodeToString(sum[:]), true
	}
}

// mount is a file system of this computer.
type mount struct{ target, source string }

// mounts returns the file systems that the upgrade changes.
func (p *preview) mounts() []upgrade.Mount {
	all := readMounts()
	out := map[string]*upgrade.Mount{}
	at := func(file string) *upgrade.Mount {
		m := mountOf(all, file)
		if out[m.source] == nil {
			out[m.source] = &upgrade.Mount{Target: m.target, Free: freeBytes(m.target)}
		}
		return out[m.source]
	}
	home := at(filepath.Join(p.conf.Root, "usr"))
	home.Change = p.out.Growth
	for _, pkg := range p.trans.Adds {
		old := p.local.Packages[pkg.Name]
		if old == nil || old.Installed == 0 {
			continue
		}
		for m, bytes := range p.elsewhere(old, at, home) {
			moved := int64(float64(bytes)/float64(old.Installed)*float64(pkg.Installed)) - bytes
			m.Change += moved
			home.Change -= moved
		}
	}
	if len(p.conf.Caches) > 0 {
		at(p.conf.Caches[0]).Fetch += p.out.Download
	}
	p.addImages(at)
	list := make([]upgrade.Mount, 0, len(out))
	for _, m := range out {
		list = append(list, *m)
	}
	sorting.By(list, func(a, b upgrade.Mount) int { return cmp.Compare(a.Target, b.Target) })
	return list
}

// elsewhere returns how many bytes of an installed package are on other file systems than most.
func (p *preview) elsewhere(pkg *database.Package, at func(string) *upgrade.Mount, home *upgrade.Mount) map[*upgrade.Mount]int64 {
	out := map[*upgrade.Mount]int64{}
	_ = p.local.Files(pkg, func(file string) { // what cannot be read counts to the others
		full := filepath.Join(p.conf.Root, file)
		if strings.HasSuffix(file, "/") {
			return
		}
		if m := at(full); m != home {
			if fi, err := os.Lstat(full); err == nil && fi.Mode().IsRegular() {
				out[m] += fi.Size()
			}
		}
	})
	return out
}

// bootDirs are where boot loaders find images: mkinitcpio(8), dracut(8), systemd-boot(7).
var bootDirs = []string{"boot", "boot/efi/EFI/Linux", "boot/EFI/Linux", "efi", "efi/EFI/Linux"}

// addImages adds the largest boot image to its file system if the upgrade makes new ones.
func (p *preview) addImages(at func(string) *upgrade.Mount) {
	makes := slices.ContainsFunc(p.out.Packages, func(c upgrade.Change) bool {
		return slices.Contains([]upgrade.Kind{upgrade.Kernel, upgrade.Module, upgrade.Firmware}, c.Kind) || c.Name == "mkinitcpio" || c.Name == "dracut"
	})
	if !makes {
		return
	}
	for _, dir := range bootDirs {
		dir = filepath.Join(p.conf.Root, dir)
		entries, _ := os.ReadDir(dir) // a boot partition can be closed to other users
		for _, e := range entries {
			isImage := strings.HasPrefix(e.Name(), "initramfs") || strings.HasPrefix(e.Name(), "initrd") || strings.HasSuffix(e.Name(), ".efi")
			if fi, err := e.Info(); isImage && err == nil && fi.Mode().IsRegular() {
				m := at(dir)
				m.Image = max(m.Image, fi.Size())
			}
		}
	}
}

// readMounts reads the mounts of this process: proc_pid_mountinfo(5).
func readMounts() []mount {
	text, _ := os.ReadFile("/proc/self/mountinfo") // the root counts without it
	all := []mount{{"/", "/"}}
	for line := range strings.Lines(string(text)) {
		head, tail, ok := strings.Cut(line, " - ")
		f, g := strings.Fields(head), strings.Fields(tail)
		if !ok || len(f) < 5 || len(g) < 2 {
			continue
		}
		m := mount{strings.NewReplacer(`\040`, " ", `\011`, "\t", `\134`, `\`).Replace(f[4]), f[4]}
		if strings.HasPrefix(g[1], "/") { // subvolumes share their room
			m.source = g[1]
		}
		all = append(all, m)
	}
	return all
}

// mountOf returns the mount of a file, with the shortest path among those of the same file system.
func mountOf(all []mount, file string) mount {
	best := all[0]
	for _, m := range all {
		inside := m.target == "/" || file == m.target || strings.HasPrefix(file, m.target+"/")
		if inside && len(m.target) >= len(best.target) {
			best = m
		}
	}
	for _, m := range all {
		if m.source == best.source && len(m.target) < len(best.target) {
			best = m
		}
	}
	return best
}

// freeBytes returns the room that root's programs have: statfs(2).
func freeBytes(dir string) int64 {
	var fs unix.Statfs_t
	if unix.Statfs(dir, &fs) != nil {
		return 0
	}
	return int64(fs.Bavail) * fs.Bsize
}

// keyrings are the packages with keys, the most important one first.
var keyrings = []string{"archlinux-keyring", "endeavouros-keyring", "manjaro-keyring", "cachyos-keyring", "chaotic-keyring"}

// keyring returns the state of the keys with which packages are signed, nil if there is nothing to say.
func (p *preview) keyring() *upgrade.Keyring {
	k := &upgrade.Keyring{}
	for _, name := range keyrings {
		if pkg := p.local.Packages[name]; pkg != nil {
			k.Package, k.Age = name, daysSince(pkg.BuiltAt)
			if p.out.Inputs != nil {
				p.out.Inputs.KeysBuilt = pkg.BuiltAt
			}
			break
		}
	}
	k.Newer = slices.ContainsFunc(p.out.Packages, func(c upgrade.Change) bool { return c.Name == k.Package })
	never := func(levels []string) bool { return slices.Contains(levels, "PackageNever") }
	for _, r := range p.conf.Repositories {
		if never(r.SigLevel) || r.SigLevel == nil && never(p.conf.SigLevel) {
			k.Unsigned = append(k.Unsigned, r.Name)
		}
	}
	if k.Package == "" && k.Unsigned == nil {
		return nil
	}
	return k
}
