package boot

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/machine"
)

const (
	release = "6.17.8-arch1-1"
	older   = "6.17.1-arch1-1"
	uuid    = "3f0d3a1e-94f2-4a6e-9a2b-2f5d1f0d8c11"
)

// world is a machine as files: path to content. A name that ends in "/" is a directory.
type world map[string]string

// write writes the files below a new directory.
func (w world) write(t *testing.T) string {
	root := t.TempDir()
	for name, text := range w {
		at := filepath.Join(root, name)
		if strings.HasSuffix(name, "/") {
			require.NoError(t, os.MkdirAll(at, 0o755))
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
		require.NoError(t, os.WriteFile(at, []byte(text), 0o644))
	}
	return root
}

// without returns the machine without the files that begin with a prefix.
func (w world) without(prefix string) world {
	out := maps.Clone(w)
	maps.DeleteFunc(out, func(name, _ string) bool { return strings.HasPrefix(name, prefix) })
	return out
}

// with returns the machine with other files.
func (w world) with(files world) world {
	out := maps.Clone(w)
	maps.Copy(out, files)
	return out
}

// kernel returns an x86 kernel of a release: a header and nothing that runs.
func kernel(release string) string {
	const sectors, size = 4, 4096
	b := make([]byte, (sectors+1)*512+size)
	b[0x1f1] = sectors
	binary.LittleEndian.PutUint32(b[0x1f4:], size/16)
	copy(b[0x202:], "HdrS")
	binary.LittleEndian.PutUint16(b[0x20e:], 0x300-0x200)
	copy(b[0x300:], release+" (linux@archlinux) #1 SMP PREEMPT_DYNAMIC\x00")
	return string(b)
}

// archive returns files as an archive in cpio's format "newc".
func archive(names ...string) string {
	var b strings.Builder
	for _, name := range append(names, "TRAILER!!!") {
		content := strings.Repeat(name+"\n", 300)
		if name == "TRAILER!!!" {
			content = ""
		}
		fmt.Fprintf(&b, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%s\x00",
			0, 0o100644, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name)+1, 0, name)
		pad(&b)
		b.WriteString(content)
		pad(&b)
	}
	return b.String()
}

func pad(b *strings.Builder) {
	for b.Len()%4 != 0 {
		b.WriteByte(0)
	}
}

// pack compresses a text.
func pack(t require.TestingT, text string, open func(io.Writer) (io.WriteCloser, error)) string {
	var b bytes.Buffer
	w, err := open(&b)
	require.NoError(t, err)
	_, err = io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

// compressions are those of images: mkinitcpio.conf(5), COMPRESSION.
var compressions = map[string]func(io.Writer) (io.WriteCloser, error){
	"zstd": func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
	"gzip": func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
	"xz":   func(w io.Writer) (io.WriteCloser, error) { return xz.WriterConfig{CheckSum: xz.CRC32}.NewWriter(w) },
	"lz4": func(w io.Writer) (io.WriteCloser, error) {
		z := lz4.NewWriter(w)
		return z, z.Apply(lz4.LegacyOption(true))
	},
	"cat": func(w io.Writer) (io.WriteCloser, error) { return stored{w}, nil },
}

type stored struct{ io.Writer }

func (stored) Close() error { return nil }

// image returns an image with modules of a release: microcode first, then the compressed rest.
func image(t require.TestingT, compression, release string) string {
	early := archive("kernel/x86/microcode/GenuineIntel.bin")
	early += strings.Repeat("\x00", 512-len(early)%512)
	return early + pack(t, archive("init", "usr/lib/modules/"+release+"/modules.dep", "usr/lib/modules/"+release+"/kernel/ext4.ko.zst"), compressions[compression])
}

// installed are the files of a machine besides those for booting.
func installed() world {
	return world{
		"usr/lib/modules/" + release + "/pkgbase":     "linux\n",
		"usr/lib/modules/" + release + "/modules.dep": "\n",
		"dev/disk/by-uuid/" + uuid:                    "",
		"dev/disk/by-uuid/1A2B-3C4D":                  "",
		"etc/fstab":                                   "UUID=" + uuid + " / ext4 rw,relatime 0 1\nUUID=1A2B-3C4D /boot vfat rw,fmask=0022 0 2\n",
		"proc/self/mountinfo": "22 1 8:2 / / rw,relatime - ext4 /dev/sda2 rw\n" +
			"23 22 8:1 / /boot rw,relatime - vfat /dev/sda1 rw\n",
	}
}

// loader is a machine with systemd-boot, as archinstall makes it.
func loader(t require.TestingT) world {
	return installed().with(world{
		"boot/vmlinuz-linux":                kernel(release),
		"boot/initramfs-linux.img":          image(t, "zstd", release),
		"boot/initramfs-linux-fallback.img": image(t, "zstd", release),
		"boot/loader/loader.conf":           "timeout 3\ndefault arch.conf\n",
		"boot/loader/entries/arch.conf":     entry("initramfs-linux.img"),
		"boot/loader/entries/arch-fb.conf":  entry("initramfs-linux-fallback.img"),
	})
}

func entry(initrd string) string {
	return "title Arch Linux\nlinux /vmlinuz-linux\ninitrd /" + initrd + "\noptions root=UUID=" + uuid + " rw quiet\n"
}

// grub is a machine with GRUB on a btrfs subvolume.
func grub(t require.TestingT) world {
	w := loader(t).without("boot/loader")
	w["boot/grub/grub.cfg"] = "menuentry 'Arch Linux' --class arch {\n\tload_video\n\tlinux\t/@/boot/vmlinuz-linux root=UUID=" + uuid +
		" rw rootflags=subvol=@\n\tinitrd\t/@/boot/initramfs-linux.img\n}\nsubmenu 'Advanced' {\n\tmenuentry 'Arch Linux (fallback)' {\n\t\tlinux /@/boot/vmlinuz-linux root=UUID=" + uuid +
		" rw\n\t\tinitrd /@/boot/initramfs-linux-fallback.img\n\t}\n}\n"
	return w
}

// limine is a machine with Limine.
func limine(t require.TestingT) world {
	w := loader(t).without("boot/loader")
	w["boot/limine/limine.conf"] = "timeout: 5\n\n/Arch Linux\n    protocol: linux\n    path: boot():/vmlinuz-linux\n    cmdline: root=UUID=" + uuid +
		" rw\n    module_path: boot():/initramfs-linux.img\n\n/Windows\n    protocol: efi\n    path: uuid(1A2B-3C4D):/EFI/Microsoft/Boot/bootmgfw.efi\n"
	return w
}

// unified is a machine with a unified kernel image on a partition at /efi.
func unified(t require.TestingT) world {
	w := installed().with(world{
		"efi/EFI/Linux/arch-linux.efi": portable(map[string]string{
			".linux": kernel(release), ".initrd": image(t, "zstd", release), ".cmdline": "root=UUID=" + uuid + " rw\x00", ".osrel": "ID=arch\n",
		}),
	})
	w["etc/fstab"] = "UUID=" + uuid + " / ext4 rw 0 1\nUUID=1A2B-3C4D /efi vfat rw 0 2\n"
	w["proc/self/mountinfo"] = "22 1 8:2 / / rw,relatime - ext4 /dev/sda2 rw\n23 22 8:1 / /efi rw - vfat /dev/sda1 rw\n"
	return w
}

// portable returns a program in the format PE32+ with sections: Microsoft, PE Format.
func portable(sections map[string]string) string {
	names := slices.Sorted(maps.Keys(sections))
	head := make([]byte, 1024)
	copy(head, "MZ")
	binary.LittleEndian.PutUint32(head[0x3c:], 0x80)
	copy(head[0x80:], "PE\x00\x00")
	binary.LittleEndian.PutUint16(head[0x84:], 0x8664)
	binary.LittleEndian.PutUint16(head[0x86:], uint16(len(names)))
	binary.LittleEndian.PutUint16(head[0x94:], 240)
	binary.LittleEndian.PutUint16(head[0x98:], 0x20b)
	binary.LittleEndian.PutUint32(head[0x98+108:], 16)
	body := string(head)
	for i, name := range names {
		row := 0x98 + 240 + i*40
		text := sections[name] + strings.Repeat("\x00", -len(sections[name])&511)
		copy(head[row:], name)
		binary.LittleEndian.PutUint32(head[row+8:], uint32(len(sections[name])))
		binary.LittleEndian.PutUint32(head[row+16:], uint32(len(text)))
		binary.LittleEndian.PutUint32(head[row+20:], uint32(len(body)))
		body += text
	}
	return string(head) + body[1024:]
}

// codes returns the findings of a weight as "code subject".
func codes(r machine.NextStart, weights ...machine.BootWeight) (out []string) {
	for _, f := range r.Findings {
		if slices.Contains(weights, f.Weight) {
			out = append(out, strings.TrimSpace(string(f.Code)+" "+f.Subject))
		}
	}
	return out
}

func TestASoundMachineHasNothingAgainstTheNextStart(t *testing.T) {
	none := loader(t)
	delete(none, "boot/loader/loader.conf")
	two := loader(t).with(world{
		"usr/lib/modules/6.12.58-1-lts/pkgbase": "linux-lts\n", "boot/vmlinuz-linux-lts": kernel("6.12.58-1-lts"),
		"boot/initramfs-linux-lts.img":      image(t, "gzip", "6.12.58-1-lts"),
		"boot/loader/entries/arch-lts.conf": strings.ReplaceAll(entry("initramfs-linux-lts.img"), "vmlinuz-linux", "vmlinuz-linux-lts"),
	})
	spare := loader(t).with(world{"boot/initramfs-linux-fallback.img": "cut"})
	crypt := loader(t).with(world{"boot/loader/entries/arch.conf": "linux /vmlinuz-linux\ninitrd /initramfs-linux.img\noptions cryptdevice=UUID=" + uuid + ":root root=/dev/mapper/root rw\n"})
	ucode := loader(t).with(world{
		"boot/intel-ucode.img":          archive("kernel/x86/microcode/GenuineIntel.bin"),
		"boot/loader/entries/arch.conf": "linux /vmlinuz-linux\ninitrd /intel-ucode.img\ninitrd /initramfs-linux.img\noptions root=UUID=" + uuid + "\n",
	})
	optional := loader(t)
	optional["etc/fstab"] += "UUID=0000-0000 /media/old vfat nofail 0 0\nUUID=1111 none swap sw 0 0\n"
	dkms := loader(t).with(world{"var/lib/dkms/v4l2loopback/0.15.1/source/": "", "var/lib/dkms/v4l2loopback/0.15.1/" + release + "/x86_64/": ""})
	nvidia := loader(t).with(world{
		"var/lib/pacman/local/nvidia-open-580.105.08-3/desc": "", "var/lib/pacman/local/nvidia-utils-580.105.08-1/desc": "",
		"usr/lib/modules/" + release + "/extramodules/nvidia.ko.zst": "x",
	})
	for name, w := range map[string]world{
		"systemd-boot": loader(t), "systemd-boot without a default": none, "GRUB on btrfs": grub(t), "Limine": limine(t), "unified image": unified(t),
		"two kernels": two, "a spare image that is cut": spare, "encrypted": crypt, "microcode": ucode, "optional mounts": optional, "dkms": dkms, "nvidia": nvidia,
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Read(t.Context(), w.write(t))
			require.NoError(t, err)
			require.Empty(t, codes(r, machine.BootRed, machine.BootUnknown))
			require.NotEmpty(t, r.Entries)
		})
	}
}

func TestADamagedMachineIsFoundBeforeItsNextStart(t *testing.T) {
	cut := func(w world, name string) world { return w.with(world{name: w[name][:len(w[name])*2/3]}) }
	for name, c := range map[string]struct {
		world world
		want  []string
	}{
		"kernel without modules": {
			loader(t).without("usr/lib/modules/" + release).with(world{"usr/lib/modules/" + older + "/pkgbase": "linux-lts\n"}),
			[]string{"modules-missing /boot/vmlinuz-linux"},
		},
		"old kernel on the partition": {loader(t).with(world{"boot/vmlinuz-linux": kernel(older)}), []string{"kernel-other /boot/vmlinuz-linux"}},
		"kernel is cut":               {cut(loader(t), "boot/vmlinuz-linux"), []string{"kernel-cut /boot/vmlinuz-linux"}},
		"kernel is empty":             {loader(t).with(world{"boot/vmlinuz-linux": ""}), []string{"kernel-cut /boot/vmlinuz-linux"}},
		"kernel is missing":           {loader(t).without("boot/vmlinuz"), []string{"file-missing /boot/vmlinuz-linux"}},
		"image is cut":                {cut(loader(t), "boot/initramfs-linux.img"), []string{"image-cut /boot/initramfs-linux.img"}},
		"image is empty":              {loader(t).with(world{"boot/initramfs-linux.img": ""}), []string{"image-cut /boot/initramfs-linux.img"}},
		"image is missing":            {loader(t).without("boot/initramfs-linux.img"), []string{"file-missing /boot/initramfs-linux.img"}},
		"image of another kernel": {
			loader(t).with(world{"boot/initramfs-linux.img": image(t, "zstd", older)}),
			[]string{"image-other /boot/initramfs-linux.img"},
		},
		"entry without an image": {
			loader(t).with(world{"boot/loader/entries/arch.conf": "linux /vmlinuz-linux\noptions root=UUID=" + uuid + "\n"}),
			[]string{"image-missing /boot/vmlinuz-linux"},
		},
		"wrong root=": {
			loader(t).with(world{"boot/loader/entries/arch.conf": strings.ReplaceAll(entry("initramfs-linux.img"), uuid, "0000-dead")}),
			[]string{"root-missing UUID=0000-dead"},
		},
		"wrong encrypted volume": {
			loader(t).with(world{"boot/loader/entries/arch.conf": strings.ReplaceAll(entry("initramfs-linux.img"), "root=UUID="+uuid, "rd.luks.name=0000-dead=root root=/dev/mapper/root")}),
			[]string{"root-missing UUID=0000-dead"},
		},
		"/boot is not mounted": {
			loader(t).without("boot").with(world{"boot/": "", "proc/self/mountinfo": "22 1 8:2 / / rw - ext4 /dev/sda2 rw\n"}),
			[]string{"not-mounted /boot", "no-entry"},
		},
		"fstab names a disk that is gone": {loader(t).with(world{"etc/fstab": loader(t)["etc/fstab"] + "UUID=beef /data ext4 defaults 0 2\n"}), []string{"mount-missing /data"}},
		"module of DKMS is not built":     {loader(t).with(world{"var/lib/dkms/zfs/2.3.4/source/": "", "var/lib/dkms/zfs/2.3.4/" + older + "/x86_64/": ""}), []string{"module-unbuilt zfs/2.3.4"}},
		"NVIDIA without its module": {
			loader(t).with(world{"var/lib/pacman/local/nvidia-open-580.105.08-3/desc": "", "var/lib/pacman/local/nvidia-utils-580.105.08-1/desc": ""}),
			[]string{"nvidia-missing " + release},
		},
		"NVIDIA in two versions": {loader(t).with(world{
			"var/lib/pacman/local/nvidia-open-580.95.05-9/desc": "", "var/lib/pacman/local/nvidia-utils-580.105.08-1/desc": "",
			"usr/lib/modules/" + release + "/extramodules/nvidia.ko.zst": "x",
		}), []string{"nvidia-other 580.95.05"}},
		"no kernel is installed":           {loader(t).without("usr/lib/modules"), []string{"modules-missing /boot/vmlinuz-linux", "no-kernel"}},
		"no entry":                         {loader(t).without("boot/loader"), []string{"no-entry"}},
		"GRUB names a kernel that is gone": {grub(t).without("boot/vmlinuz"), []string{"file-missing /boot/vmlinuz-linux"}},
		"GRUB's image is cut":              {cut(grub(t), "boot/initramfs-linux.img"), []string{"image-cut /boot/initramfs-linux.img"}},
		"Limine's image is of another kernel": {
			limine(t).with(world{"boot/initramfs-linux.img": image(t, "xz", older)}),
			[]string{"image-other /boot/initramfs-linux.img"},
		},
		"unified image is cut": {cut(unified(t), "efi/EFI/Linux/arch-linux.efi"), []string{"kernel-cut /efi/EFI/Linux/arch-linux.efi"}},
		"unified image of a kernel without modules": {
			unified(t).without("usr/lib/modules/" + release).with(world{"usr/lib/modules/" + older + "/pkgbase": "linux-lts\n"}),
			[]string{"modules-missing /efi/EFI/Linux/arch-linux.efi"},
		},
		"unified image with a wrong root=": {unified(t).with(world{"efi/EFI/Linux/arch-linux.efi": portable(map[string]string{
			".linux": kernel(release), ".initrd": image(t, "zstd", release), ".cmdline": "root=UUID=0000-dead",
		})}), []string{"root-missing UUID=0000-dead"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Read(t.Context(), c.world.write(t))
			require.NoError(t, err)
			require.ElementsMatch(t, c.want, codes(r, machine.BootRed))
			require.Equal(t, machine.BootRed, r.Worst())
		})
	}
}

func TestWhatCannotBeReadIsUnknown(t *testing.T) {
	root := loader(t).write(t)
	for dir := root; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		require.NoError(t, os.Chmod(dir, 0o755))
	}
	require.NoError(t, os.Chmod(filepath.Join(root, "boot"), 0))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(root, "boot"), 0o755) })
	read := make(chan machine.NextStart)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if os.Geteuid() == 0 {
			_, _ = unix.SetfsuidRetUid(65534) // root may read everything
		}
		r, err := Read(t.Context(), root)
		assert.NoError(t, err)
		read <- r
	}()
	require.Equal(t, machine.BootUnknown, (<-read).Worst())
}

func TestAnImageIsReadInEachCompression(t *testing.T) {
	for name := range compressions {
		t.Run(name, func(t *testing.T) {
			whole := image(t, name, release)
			c, err := readImage(t.Context(), strings.NewReader(whole))
			require.NoError(t, err)
			require.Equal(t, map[string]bool{release: true}, c.releases)
		})
	}
}

func TestACutImageIsNeverWhole(t *testing.T) {
	wholes := map[string]string{}
	for name := range compressions {
		wholes[name] = image(t, name, release)
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(compressions))).Draw(t, "compression")
		whole := wholes[name]
		length := rapid.IntRange(0, len(whole)-8).Draw(t, "length")
		c, err := readImage(context.Background(), strings.NewReader(whole[:length]))
		if err == nil {
			// A cut between the archives leaves the microcode alone: the modules are missing then.
			require.False(t, c.releases[release])
		}
	})
}

func TestAnImageOfUnknownCompressionIsJudgedByItsAge(t *testing.T) {
	root := loader(t).with(world{"boot/initramfs-linux.img": "\x89LZO\x00\r\n\x1a\nrest"}).write(t)
	then := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(root, "boot/initramfs-linux.img"), then, then))
	r, err := Read(t.Context(), root)
	require.NoError(t, err)
	require.Equal(t, []string{"image-old /boot/initramfs-linux.img"}, codes(r, machine.BootRed))
}

func FuzzReadImage(f *testing.F) {
	for name := range compressions {
		f.Add([]byte(image(f, name, release)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = readImage(t.Context(), bytes.NewReader(data))
		_, _ = readRelease(bytes.NewReader(data), int64(len(data)))
	})
}

// TestAnImageMuchSmallerThanTheOthersIsAQuestion: it is whole and has its kernel's modules, and still lacks most of what the
// other kernel's image has.
func TestAnImageMuchSmallerThanTheOthersIsAQuestion(t *testing.T) {
	const lts = "6.12.58-1-lts"
	large := func(release string) string {
		names := []string{"init", "usr/lib/modules/" + release + "/modules.dep"}
		for i := range 400 { // what does not compress well is its size
			names = append(names, fmt.Sprintf("usr/lib/modules/%s/kernel/%x.ko", release, sha256.Sum256([]byte{byte(i), byte(i >> 8)})))
		}
		return pack(t, archive(names...), compressions["zstd"])
	}
	two := func(first, second string) world {
		return loader(t).with(world{
			"usr/lib/modules/" + lts + "/pkgbase": "linux-lts\n", "boot/vmlinuz-linux-lts": kernel(lts),
			"boot/initramfs-linux.img": first, "boot/initramfs-linux-lts.img": second,
			"boot/loader/entries/arch-lts.conf": strings.ReplaceAll(entry("initramfs-linux-lts.img"), "vmlinuz-linux", "vmlinuz-linux-lts"),
		})
	}
	small := func(release string) string {
		return pack(t, archive("init", "usr/lib/modules/"+release+"/modules.dep"), compressions["zstd"])
	}
	for name, c := range map[string]struct {
		world world
		worst machine.BootWeight
		want  []string
	}{
		"the one that starts":               {two(small(release), large(lts)), machine.BootUnknown, []string{"image-small /boot/initramfs-linux.img"}},
		"a spare one":                       {two(large(release), small(lts)), machine.BootNote, []string{"image-small /boot/initramfs-linux-lts.img"}},
		"both alike":                        {two(large(release), large(lts)), machine.BootNote, nil},
		"a fallback image with all drivers": {loader(t).with(world{"boot/initramfs-linux-fallback.img": large(release)}), machine.BootNote, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Read(t.Context(), c.world.write(t))
			require.NoError(t, err)
			require.Equal(t, c.worst, r.Worst(), "%+v", r.Findings)
			found := slices.DeleteFunc(codes(r, machine.BootUnknown, machine.BootNote), func(f string) bool { return !strings.HasPrefix(f, "image-small") })
			require.ElementsMatch(t, c.want, found)
		})
	}
}
