// Package boot reads whether a machine will start again: its boot entries, the kernels and images that they name, and
// what these need. It reads a directory tree, starts no program and changes nothing.
package boot

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/machine"
)

// tree is the directory tree that is read.
type tree struct {
	root     string
	mounts   []mount
	findings []machine.BootFinding
}

// Read reads the tree below root, "/" for this machine. It is a long look of some hundred milliseconds: images are
// decompressed to their end. An error is only that of ctx; what cannot be read is a finding.
func Read(ctx context.Context, root string) (machine.NextStart, error) {
	t := &tree{root: root}
	t.mounts = t.readMounts()
	r := machine.NextStart{Kernels: t.readKernels()}
	t.checkMounts()
	r.Entries = t.readEntries()
	for i := range r.Entries {
		if err := t.checkEntry(ctx, &r.Entries[i], r.Kernels); err != nil {
			return machine.NextStart{}, err
		}
	}
	t.checkSizes(r.Entries)
	t.checkPackages(r)
	t.checkModules(r.Kernels)
	t.checkRoom(r)
	r.Findings = unique(t.findings)
	return r, nil
}

// unique returns the findings without repetitions, gravest first. A finding of several entries is listed once.
func unique(all []machine.BootFinding) (out []machine.BootFinding) {
	for _, weight := range []machine.BootWeight{machine.BootRed, machine.BootUnknown, machine.BootNote} {
		for _, f := range all {
			same := func(o machine.BootFinding) bool {
				return o.Code == f.Code && o.Subject == f.Subject && o.Detail == f.Detail
			}
			if f.Weight == weight && !slices.ContainsFunc(out, same) {
				out = append(out, f)
			}
		}
	}
	return out
}

func (t *tree) add(weight machine.BootWeight, code machine.BootCode, subject, detail, entry string) {
	t.findings = append(t.findings, machine.BootFinding{Code: code, Weight: weight, Subject: subject, Detail: detail, Entry: entry})
}

// at returns the place of an absolute path on this system.
func (t *tree) at(name string) string { return path.Join(t.root, name) }

func (t *tree) exists(name string) bool {
	_, err := os.Stat(t.at(name))
	return err == nil
}

// read returns a small file of the tree, "" if it cannot be read. Without rights that is a finding.
func (t *tree) read(name string) string {
	const limit = 1 << 20
	info, err := os.Stat(t.at(name))
	if err == nil && (!info.Mode().IsRegular() || info.Size() > limit) {
		return ""
	}
	text, err := os.ReadFile(t.at(name))
	t.noteDenied(name, err)
	return string(text)
}

// list returns the names in a directory of the tree, sorted. Without rights that is a finding.
func (t *tree) list(name string) (names []string) {
	entries, err := os.ReadDir(t.at(name))
	t.noteDenied(name, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// noteDenied adds a finding if err is about rights.
func (t *tree) noteDenied(name string, err error) {
	if errors.Is(err, fs.ErrPermission) {
		t.add(machine.BootUnknown, machine.BootUnreadable, name, "permission denied", "")
	}
}

// checkRoom notes a boot directory without room for the largest image and a fifth more: an update would fail there.
func (t *tree) checkRoom(r machine.NextStart) {
	largest, dir := int64(0), ""
	for _, e := range r.Entries {
		for _, image := range append(slices.Clone(e.Images), e.Kernel) {
			if info, err := os.Stat(t.at(image)); err == nil && image != "" && info.Size() > largest {
				largest, dir = info.Size(), path.Dir(image)
			}
		}
	}
	var s unix.Statfs_t
	if largest == 0 || unix.Statfs(t.at(dir), &s) != nil {
		return
	}
	needed := largest + largest/5
	if free := int64(min(s.Bavail, 1<<40)) * s.Bsize; free < needed {
		t.add(machine.BootNote, machine.BootNoRoom, dir, sizes(free, needed), "")
	}
}

// checkPackages checks that each installed kernel is started by an entry.
func (t *tree) checkPackages(r machine.NextStart) {
	if len(r.Kernels) == 0 {
		weight := machine.BootRed
		if isRoot := func(m mount) bool { return m.Target == "/" }; !slices.ContainsFunc(machine.ParseFSTab([]byte(t.read("/etc/fstab"))), isRoot) {
			weight = machine.BootNote // a container: its kernel is the host's
		}
		t.add(weight, machine.NoKernel, "", "", "")
		return
	}
	blind := slices.ContainsFunc(t.findings, func(f machine.BootFinding) bool { return f.Code == machine.BootUnreadable })
	if len(r.Entries) == 0 {
		if !blind {
			t.add(machine.BootRed, machine.NoEntry, "", "", "")
		}
		return
	}
	for _, k := range r.Kernels {
		starts := slices.ContainsFunc(r.Entries, func(e machine.BootEntry) bool {
			return e.Release == k.Release || strings.Contains(path.Base(e.Kernel), k.Package)
		})
		if !starts && !blind {
			t.add(machine.BootNote, machine.KernelMissing, k.Package, k.Release, "")
		}
	}
	if len(r.Kernels) == 1 {
		t.add(machine.BootNote, machine.OneKernel, r.Kernels[0].Package, "", "")
	}
}
