package boot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

const modules = "/usr/lib/modules"

// readKernels returns the installed kernels: the module trees that name their package (mkinitcpio, 90-mkinitcpio-install.hook).
func (t *tree) readKernels() (all []machine.Kernel) {
	for _, release := range t.list(modules) {
		if name := strings.TrimSpace(t.read(path.Join(modules, release, "pkgbase"))); name != "" && machine.IsKernelRelease(release) {
			all = append(all, machine.Kernel{Package: name, Release: release})
		}
	}
	return all
}

// errCut reports a file that ends before its format says.
var errCut = errors.New("the file ends too early")

// readRelease returns the release of an x86 kernel, "" if it has another format. The error is [errCut] if the file is
// shorter than its header says. Format: Linux, Documentation/arch/x86/boot.rst, "The Real-Mode Kernel Header".
func readRelease(r io.ReaderAt, size int64) (string, error) {
	const setupSectors, sysSize, magic, version = 0x1f1, 0x1f4, 0x202, 0x20e
	head := make([]byte, 0x264)
	if n, err := r.ReadAt(head, 0); err != nil && n < len(head) {
		return "", errCut
	}
	if string(head[magic:magic+4]) != "HdrS" {
		return "", nil
	}
	sectors := int64(head[setupSectors])
	if sectors == 0 {
		sectors = 4
	}
	if whole := (sectors+1)*512 + int64(binary.LittleEndian.Uint32(head[sysSize:]))*16; size < whole {
		return "", errCut
	}
	text := make([]byte, 128)
	n, err := r.ReadAt(text, int64(binary.LittleEndian.Uint16(head[version:]))+0x200)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("cannot read the kernel: %w", err)
	}
	release, _, _ := strings.Cut(string(text[:n]), " ")
	if !machine.IsKernelRelease(release) {
		return "", nil
	}
	return release, nil
}

// checkKernel checks the kernel of an entry and sets the entry's release.
func (t *tree) checkKernel(e *machine.BootEntry, kernels []machine.Kernel) {
	file, err := os.Open(t.at(e.Kernel))
	if err != nil {
		t.missing(e.Kernel, err, *e)
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.add(machine.BootUnknown, machine.BootUnreadable, e.Kernel, err.Error(), e.File)
		return
	}
	if e.Release, err = readRelease(file, info.Size()); errors.Is(err, errCut) {
		t.add(weight(*e), machine.KernelCut, e.Kernel, "", e.File)
		return
	} else if err != nil {
		t.add(machine.BootUnknown, machine.BootUnreadable, e.Kernel, err.Error(), e.File)
		return
	}
	t.checkRelease(*e, kernels)
}

// checkRelease checks that the modules of an entry's kernel are there, and that its package did not move on. A signed
// kernel differs from the package's file (sbctl(8)), so releases are compared.
func (t *tree) checkRelease(e machine.BootEntry, kernels []machine.Kernel) {
	if e.Release == "" {
		return
	}
	own := slices.IndexFunc(kernels, func(k machine.Kernel) bool { return isNamed(path.Base(e.Kernel), k.Package) })
	switch {
	case own >= 0 && kernels[own].Release != e.Release:
		t.add(weight(e), machine.KernelOther, e.Kernel, e.Release+" "+kernels[own].Release, e.File)
	case !t.exists(path.Join(modules, e.Release)):
		t.add(weight(e), machine.ModulesMissing, e.Kernel, e.Release, e.File)
	}
}

// isNamed reports whether a file of booting is that of a package by its name: vmlinuz-linux-zen, arch-linux-zen.efi.
func isNamed(file, name string) bool {
	base := strings.TrimSuffix(strings.TrimSuffix(file, ".efi"), ".img")
	return base == "vmlinuz-"+name || base == "arch-"+name || base == name
}

// missing adds the finding for a file of an entry that cannot be opened.
func (t *tree) missing(name string, err error, e machine.BootEntry) {
	if os.IsNotExist(err) {
		t.add(weight(e), machine.FileMissing, name, "", e.File)
		return
	}
	t.add(machine.BootUnknown, machine.BootUnreadable, name, "permission denied", e.File)
}
