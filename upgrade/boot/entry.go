package boot

import (
	"cmp"
	"context"
	"debug/pe"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

// weight returns what a fault of the entry means: a spare entry may be broken.
func weight(e machine.BootEntry) machine.BootWeight {
	if e.Spare {
		return machine.BootNote
	}
	return machine.BootRed
}

// places are where the partition with the boot loader is mounted.
var places = []string{"/efi", "/boot/efi", "/boot"}

// readEntries returns the entries of all boot loaders.
func (t *tree) readEntries() (all []machine.BootEntry) {
	var units []machine.BootEntry
	for _, place := range places {
		all = append(all, t.readLoader(place)...)
		units = append(units, t.readUnified(place)...)
	}
	all = append(all, units...)
	t.chooseDefault(all)
	for _, place := range places {
		all = append(all, t.readLimine(place)...)
	}
	return append(all, t.readGRUB()...)
}

// readLoader reads the entries of systemd-boot: UAPI Group, Boot Loader Specification, "Type #1 Boot Loader Entries".
func (t *tree) readLoader(place string) (all []machine.BootEntry) {
	dir := path.Join(place, "loader/entries")
	for _, name := range t.list(dir) {
		if !strings.HasSuffix(name, ".conf") {
			continue
		}
		e := machine.BootEntry{Loader: "systemd-boot", File: path.Join(dir, name)}
		for line := range strings.Lines(t.read(e.File)) {
			key, value, _ := strings.Cut(strings.Join(strings.Fields(line), " "), " ")
			switch key {
			case "title":
				e.Title = value
			case "linux":
				e.Kernel = t.find(place, value)
			case "initrd":
				e.Images = append(e.Images, t.find(place, value))
			case "options":
				e.Options = strings.TrimSpace(e.Options + " " + value)
			}
		}
		if e.Kernel != "" {
			all = append(all, e)
		}
	}
	return all
}

// find returns the path of a file that a loader names from the root of its partition. The partition is mounted at place, or is
// the one of /boot.
func (t *tree) find(place, name string) string {
	name = path.Join("/", name)
	for _, candidate := range []string{path.Join(place, name), path.Join("/boot", name), name} {
		if t.exists(candidate) {
			return candidate
		}
	}
	return path.Join(place, name)
}

// chooseDefault marks the entries that systemd-boot does not start by itself: loader.conf(5), "default". Without a
// setting that matches, all entries count but the fallback ones.
func (t *tree) chooseDefault(all []machine.BootEntry) {
	for i := range all {
		all[i].Spare = strings.Contains(strings.ToLower(path.Base(all[i].File)+" "+all[i].Title), "fallback")
	}
	for _, place := range places {
		for line := range strings.Lines(t.read(path.Join(place, "loader/loader.conf"))) {
			words := strings.Fields(line)
			if len(words) != 2 || words[0] != "default" {
				continue
			}
			is := func(e machine.BootEntry) bool { return matches(words[1], path.Base(e.File)) }
			if slices.ContainsFunc(all, is) {
				for i := range all {
					all[i].Spare = !is(all[i])
				}
				return
			}
		}
	}
}

// matches reports whether an entry's file is meant by a pattern of loader.conf.
func matches(pattern, file string) bool {
	ok, err := path.Match(pattern, file)
	return err == nil && ok || pattern == strings.TrimSuffix(file, ".conf")
}

// readUnified reads the unified kernel images of a partition: Boot Loader Specification, "Type #2 EFI Unified Kernel Images".
func (t *tree) readUnified(place string) (all []machine.BootEntry) {
	dir := path.Join(place, "EFI/Linux")
	for _, name := range t.list(dir) {
		if strings.HasSuffix(strings.ToLower(name), ".efi") {
			file := path.Join(dir, name)
			all = append(all, machine.BootEntry{Loader: "uki", File: file, Kernel: file})
		}
	}
	return all
}

// checkUnified checks a unified kernel image. Its sections: UAPI Group, Unified Kernel Image.
func (t *tree) checkUnified(ctx context.Context, e *machine.BootEntry, kernels []machine.Kernel) error {
	file, err := os.Open(t.at(e.Kernel))
	if err != nil {
		t.missing(e.Kernel, err, *e)
		return nil
	}
	defer file.Close()
	image, err := pe.NewFile(file)
	if err != nil {
		t.add(weight(*e), machine.KernelCut, e.Kernel, "", e.File)
		return nil
	}
	linux, packed := image.Section(".linux"), image.Section(".initrd")
	if linux == nil {
		return nil // another program of EFI
	}
	if section := image.Section(".cmdline"); section != nil {
		text, _ := section.Data()
		e.Options = strings.Trim(string(text), "\x00\n ")
	}
	if e.Release, err = readRelease(linux, int64(linux.Size)); errors.Is(err, errCut) || err == nil && isCut(file, image) {
		t.add(weight(*e), machine.KernelCut, e.Kernel, "", e.File)
		return nil
	}
	t.checkRelease(*e, kernels)
	if packed == nil {
		t.add(weight(*e), machine.ImageMissing, e.Kernel, "", e.File)
		return nil
	}
	c, err := readImage(ctx, io.LimitReader(packed.Open(), int64(min(packed.Size, cmp.Or(packed.VirtualSize, packed.Size)))))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errCut):
		t.add(weight(*e), machine.ImageCut, e.Kernel, "", e.File)
	case err == nil && e.Release != "" && !c.releases[e.Release] && t.exists(path.Join(modules, e.Release)):
		t.add(weight(*e), machine.ImageOther, e.Kernel, e.Release, e.File)
	}
	return nil
}

// isCut reports whether a file ends before its last section.
func isCut(file *os.File, image *pe.File) bool {
	info, err := file.Stat()
	return err != nil || slices.ContainsFunc(image.Sections, func(s *pe.Section) bool {
		return int64(s.Offset)+int64(s.Size) > info.Size()
	})
}

// readGRUB reads the menu of GRUB: GNU GRUB manual, "menuentry", "linux", "initrd". Only the first entry counts, which
// GRUB starts by itself unless it is set otherwise.
func (t *tree) readGRUB() (all []machine.BootEntry) {
	const file = "/boot/grub/grub.cfg"
	for line := range strings.Lines(t.read(file)) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		switch last := len(all) - 1; {
		case words[0] == "menuentry":
			_, title, _ := strings.Cut(line, "'")
			title, _, _ = strings.Cut(title, "'")
			all = append(all, machine.BootEntry{Loader: "grub", File: file, Title: title})
		case last < 0:
		case words[0] == "linux":
			all[last].Kernel, all[last].Options = t.findGRUB(words[1]), strings.Join(words[2:], " ")
		case words[0] == "initrd":
			for _, name := range words[1:] {
				all[last].Images = append(all[last].Images, t.findGRUB(name))
			}
		}
	}
	all = slices.DeleteFunc(all, func(e machine.BootEntry) bool { return e.Kernel == "" })
	for i := range all {
		all[i].Spare = i > 0
	}
	return all
}

// findGRUB returns the path of a file that GRUB names from the root of its file system, with a subvolume on btrfs.
func (t *tree) findGRUB(name string) string {
	for rest := path.Join("/", name); ; {
		for _, candidate := range []string{path.Join("/boot", rest), rest} {
			if strings.HasPrefix(candidate, "/boot/") && t.exists(candidate) {
				return candidate
			}
		}
		_, inner, found := strings.Cut(rest[1:], "/")
		if !found {
			return path.Join("/boot", path.Base(name))
		}
		rest = "/" + inner
	}
}

// limineFiles are where Limine looks for its configuration: Limine, CONFIG.md, "Location of the config file".
var limineFiles = []string{"limine.conf", "limine/limine.conf", "boot/limine.conf", "boot/limine/limine.conf", "EFI/BOOT/limine.conf", "EFI/limine/limine.conf"}

// readLimine reads the entries of Limine: Limine, CONFIG.md. The first one that starts a kernel is the default.
func (t *tree) readLimine(place string) (all []machine.BootEntry) {
	for _, name := range limineFiles {
		file := path.Join(place, name)
		for line := range strings.Lines(t.read(file)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "/") {
				all = append(all, machine.BootEntry{Loader: "limine", File: file, Title: strings.TrimLeft(line, "/+ ")})
				continue
			}
			key, value, ok := strings.Cut(line, ":")
			if last := len(all) - 1; ok && last >= 0 {
				t.readLimineValue(&all[last], place, strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value))
			}
		}
	}
	all = slices.DeleteFunc(all, func(e machine.BootEntry) bool {
		return e.Kernel == "" || e.Program && !strings.Contains(e.Kernel, "/EFI/Linux/")
	})
	for i := range all {
		all[i].Spare = i > 0
	}
	return all
}

func (t *tree) readLimineValue(e *machine.BootEntry, place, key, value string) {
	switch key {
	case "protocol":
		e.Program = strings.HasPrefix(value, "efi")
	case "path", "kernel_path":
		e.Kernel = t.findLimine(place, value)
	case "module_path":
		e.Images = append(e.Images, t.findLimine(place, value))
	case "cmdline", "kernel_cmdline":
		e.Options = value
	}
}

// findLimine returns the path of "boot():/file#hash".
func (t *tree) findLimine(place, value string) string {
	if _, name, ok := strings.Cut(value, "):"); ok {
		value = name
	}
	value, _, _ = strings.Cut(value, "#")
	return t.find(place, value)
}

// checkEntry checks the files of an entry and the root file system that it names.
func (t *tree) checkEntry(ctx context.Context, e *machine.BootEntry, kernels []machine.Kernel) error {
	if isUnified(*e) {
		if err := t.checkUnified(ctx, e, kernels); err != nil {
			return err
		}
	} else {
		t.checkKernel(e, kernels)
		if err := t.checkImages(ctx, *e); err != nil {
			return err
		}
	}
	t.checkRoot(*e)
	return nil
}

// isUnified reports whether the kernel of an entry has its image in it.
func isUnified(e machine.BootEntry) bool {
	return e.Loader == "uki" || strings.HasSuffix(strings.ToLower(e.Kernel), ".efi")
}
