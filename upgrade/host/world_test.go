package host_test

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pkg is a package that a test makes.
type pkg struct {
	name, version string
	files         map[string]string
	depends       []string
	provides      []string
	conflicts     []string
	replaces      []string
	backup        []string
	built         int64 // Unix time; 0 for a usual one
}

func (p pkg) file() string { return p.name + "-" + p.version + "-any.pkg.tar.gz" }

func (p pkg) size() (bytes int) {
	for _, text := range p.files {
		bytes += len(text)
	}
	return bytes
}

// world is a private root with pacman's databases and one repository.
type world struct{ dir, config string }

// newWorld makes a world. It skips the test without the real pacman.
func newWorld(t testing.TB) world {
	t.Helper()
	for _, program := range []string{"pacman", "pacman-conf", "fakeroot", "bsdtar"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	w := world{dir: t.TempDir()}
	for _, dir := range []string{"root/var/lib/pacman", "repo", "cache", "old", "gnupg"} {
		require.NoError(t, os.MkdirAll(filepath.Join(w.dir, dir), 0o755))
	}
	w.config = filepath.Join(w.dir, "pacman.conf")
	w.configure(t, "", "Server = file://"+w.dir+"/repo")
	return w
}

func (w world) configure(t testing.TB, options, server string) {
	t.Helper()
	text := fmt.Sprintf(`[options]
RootDir = %[1]s/root/
DBPath = %[1]s/root/var/lib/pacman/
CacheDir = %[1]s/cache/
LogFile = %[1]s/pacman.log
GPGDir = %[1]s/gnupg/
HookDir = %[1]s/hooks/
SigLevel = Never
Architecture = x86_64
%[2]s
[test]
%[3]s
`, w.dir, options, server)
	require.NoError(t, os.WriteFile(w.config, []byte(text), 0o644))
}

// pacman runs pacman on the world, with the rights that it needs there.
func (w world) pacman(words ...string) (string, error) {
	argv := append([]string{"pacman", "--config", w.config, "--noconfirm"}, words...)
	if os.Geteuid() != 0 {
		argv = append([]string{"fakeroot", "--"}, argv...)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// install installs packages.
func (w world) install(t testing.TB, all ...pkg) {
	t.Helper()
	words := []string{"-U"}
	for _, p := range all {
		words = append(words, w.pack(t, "old", p))
	}
	out, err := w.pacman(words...)
	require.NoError(t, err, out)
}

// archive is a gzipped tar.
func archive(t testing.TB, entries func(add func(name, text string))) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	packed := tar.NewWriter(zipped)
	dirs := map[string]bool{}
	entries(func(name, text string) {
		for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
			if !dirs[dir] {
				dirs[dir] = true
				require.NoError(t, packed.WriteHeader(&tar.Header{Name: dir + "/", Typeflag: tar.TypeDir, Mode: 0o755}))
			}
		}
		require.NoError(t, packed.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o644, Format: tar.FormatUSTAR}))
		_, err := packed.Write([]byte(text))
		require.NoError(t, err)
	})
	require.NoError(t, packed.Close())
	require.NoError(t, zipped.Close())
	return out.Bytes()
}

// pack writes a package's file: PKGBUILD(5), .PKGINFO.
func (w world) pack(t testing.TB, dir string, p pkg) string {
	t.Helper()
	info := fmt.Sprintf("pkgname = %s\npkgbase = %s\npkgver = %s\npkgdesc = test\nbuilddate = %d\nsize = %d\narch = any\n", p.name, p.name, p.version, cmp.Or(p.built, 1700000000), p.size())
	for field, values := range map[string][]string{
		"depend": p.depends, "provides": p.provides, "conflict": p.conflicts, "replaces": p.replaces, "backup": p.backup,
	} {
		for _, v := range values {
			info += field + " = " + v + "\n"
		}
	}
	file := filepath.Join(w.dir, dir, p.file())
	require.NoError(t, os.WriteFile(file, archive(t, func(add func(string, string)) {
		add(".PKGINFO", info)
		for _, name := range slices.Sorted(maps.Keys(p.files)) {
			add(name, p.files[name])
		}
	}), 0o644))
	return file
}

// publish makes the repository consist of packages, with the lists of files if it has them: repo-add(8).
func (w world) publish(t testing.TB, withFiles bool, all ...pkg) {
	t.Helper()
	sizes := map[string]int64{}
	for _, p := range all {
		fi, err := os.Stat(w.pack(t, "repo", p))
		require.NoError(t, err)
		sizes[p.name] = fi.Size()
	}
	write := func(name string, lists bool) {
		data := archive(t, func(add func(string, string)) {
			for _, p := range all {
				desc := fmt.Sprintf("%%FILENAME%%\n%s\n\n%%NAME%%\n%s\n\n%%VERSION%%\n%s\n\n%%CSIZE%%\n%d\n\n%%ISIZE%%\n%d\n\n%%ARCH%%\nany\n\n", p.file(), p.name, p.version, sizes[p.name], p.size())
				for field, values := range map[string][]string{
					"DEPENDS": p.depends, "PROVIDES": p.provides, "CONFLICTS": p.conflicts, "REPLACES": p.replaces,
				} {
					if len(values) > 0 {
						desc += "%" + field + "%\n" + strings.Join(values, "\n") + "\n\n"
					}
				}
				add(p.name+"-"+p.version+"/desc", desc)
				if lists {
					add(p.name+"-"+p.version+"/files", "%FILES%\n"+strings.Join(slices.Sorted(maps.Keys(p.files)), "\n")+"\n")
				}
			}
		})
		file := filepath.Join(w.dir, "repo", name)
		require.NoError(t, os.WriteFile(file, data, 0o644))
		old := time.Unix(1_700_000_000+int64(len(data)), 0)
		require.NoError(t, os.Chtimes(file, old, old))
	}
	write("test.db", false)
	if withFiles {
		write("test.files", true)
		require.NoError(t, os.MkdirAll(filepath.Join(w.dir, "root/var/lib/pacman/sync"), 0o755))
		data, err := os.ReadFile(filepath.Join(w.dir, "repo/test.files"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(w.dir, "root/var/lib/pacman/sync/test.files"), data, 0o644))
	}
}

// program returns an ELF file that needs libraries: elf(5), with a dynamic section and its strings only.
func program(needs ...string) string {
	names, dynamic := []byte{0}, []byte{}
	for _, library := range needs {
		dynamic = binary.LittleEndian.AppendUint64(dynamic, uint64(elf.DT_NEEDED))
		dynamic = binary.LittleEndian.AppendUint64(dynamic, uint64(len(names)))
		names = append(append(names, library...), 0)
	}
	dynamic = append(dynamic, make([]byte, 16)...)
	var out bytes.Buffer
	const header, section = 64, 64
	at := uint64(header)
	must := func(v any) { _ = binary.Write(&out, binary.LittleEndian, v) }
	must(elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Version: 1, Ehsize: header, Shentsize: section, Shnum: 4, Shstrndx: 3,
		Shoff: at + uint64(len(names)+len(dynamic)+1),
	})
	out.Write(names)
	out.Write(dynamic)
	out.WriteByte(0)
	must(elf.Section64{})
	must(elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: at, Size: uint64(len(names))})
	must(elf.Section64{Type: uint32(elf.SHT_DYNAMIC), Off: at + uint64(len(names)), Size: uint64(len(dynamic)), Link: 1, Entsize: 16})
	must(elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: at + uint64(len(names)+len(dynamic)), Size: 1})
	return out.String()
}

// installed returns the installed packages with their versions.
func (w world) installed(t testing.TB) map[string]string {
	t.Helper()
	out, err := w.pacman("-Q")
	require.NoError(t, err, out)
	all := map[string]string{}
	for line := range strings.Lines(out) {
		name, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name != "warning:" {
			all[name] = version
		}
	}
	return all
}
