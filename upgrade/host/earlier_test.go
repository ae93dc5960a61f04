package host_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/upgrade"
	"github.com/nidoit/blunux-ai/upgrade/host"
)

// countedWorld is a world in which each start of pacman is counted, with a place for the last preview.
type countedWorld struct {
	world
	earlier, log string
}

func newCountedWorld(t *testing.T) countedWorld {
	w := countedWorld{world: newWorld(t)}
	pacman, err := exec.LookPath("pacman")
	require.NoError(t, err)
	bin := t.TempDir()
	w.earlier, w.log = filepath.Join(bin, "preview.json"), filepath.Join(bin, "log")
	script := "#!/bin/sh\necho \"$*\" >>'" + w.log + "'\nexec " + pacman + " \"$@\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "pacman"), []byte(script), 0o755))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	return w
}

// preview makes a preview as the daemon does, which keeps what was printed. used reports that it is the earlier one, for which
// pacman only fetches the lists.
func (w countedWorld) preview(t *testing.T) (p upgrade.Preview, used bool) {
	t.Helper()
	_ = os.Remove(w.log)
	p = host.Preview(t.Context(), host.Options{Config: w.config, Brief: true, Earlier: w.earlier})
	require.Nil(t, p.Problem, "%+v", p.Problem)
	text, err := json.Marshal(p)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(w.earlier, append(text, '\n'), 0o600))
	log, err := os.ReadFile(w.log)
	require.NoError(t, err)
	require.Contains(t, string(log), "--refresh", "the servers are asked each time")
	return p, !strings.Contains(string(log), "-Sup")
}

// newUsedWorld returns a world with one update and a package of no repository, whose preview is kept.
func newUsedWorld(t *testing.T) countedWorld {
	w := newCountedWorld(t)
	w.install(t,
		pkg{name: "a", version: "1-1", files: map[string]string{"etc/a.conf": "one", "usr/bin/a": "1"}, backup: []string{"etc/a.conf"}},
		pkg{name: "archlinux-keyring", version: "1-1", files: map[string]string{"usr/share/k": "1"}, built: time.Now().Add(-49 * time.Hour).Unix()},
		pkg{name: "foreign", version: "1-1", files: map[string]string{"usr/bin/foreign": program("libc.so.6")}})
	w.publish(t, true, pkg{name: "a", version: "2-1", files: map[string]string{"etc/a.conf": "two"}, backup: []string{"etc/a.conf"}},
		pkg{name: "archlinux-keyring", version: "1-1", files: map[string]string{"usr/share/k": "1"}})
	w.write(t, "more.conf", "")
	w.configure(t, "Include = "+w.dir+"/more.conf", "Server = file://"+w.dir+"/repo")
	for _, dir := range []string{"root/boot", "root/etc/systemd/system"} {
		require.NoError(t, os.MkdirAll(filepath.Join(w.dir, dir), 0o755))
	}
	_, used := w.preview(t)
	require.False(t, used, "there is none")
	return w
}

func (w countedWorld) write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o755))
}

// TestAnUnchangedPreviewIsUsedAgain: what changes by itself is looked at each time.
func TestAnUnchangedPreviewIsUsedAgain(t *testing.T) {
	w := newUsedWorld(t)
	first, used := w.preview(t)
	require.True(t, used)
	require.Equal(t, 1, first.Count)
	require.Empty(t, first.Settings)
	require.NotEmpty(t, first.Mounts)
	require.Positive(t, first.Mounts[0].Free)
	require.Equal(t, 2, first.Keyring.Age)

	full := host.Preview(t.Context(), host.Options{Config: w.config, Earlier: w.earlier})
	require.Nil(t, full.Problem)
	log, err := os.ReadFile(w.log)
	require.NoError(t, err)
	require.Contains(t, string(log), "-Sup", "the whole lists are not in a brief one")
}

// TestAChangedInputMakesAnotherPreview: for each kind of input, the answer is that of a first look.
func TestAChangedInputMakesAnotherPreview(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, w countedWorld){
		"the servers have more": func(t *testing.T, w countedWorld) {
			w.publish(t, true, pkg{name: "a", version: "3-1", files: map[string]string{"etc/a.conf": "three"}})
		},
		"a package is installed": func(t *testing.T, w countedWorld) {
			w.install(t, pkg{name: "b", version: "1-1", files: map[string]string{"usr/bin/b": "1"}})
		},
		"the update is done": func(t *testing.T, w countedWorld) {
			w.install(t, pkg{name: "a", version: "2-1", files: map[string]string{"etc/a.conf": "two"}})
		},
		"a package is held": func(t *testing.T, w countedWorld) {
			w.configure(t, "IgnorePkg = a", "Server = file://"+w.dir+"/repo")
		},
		"an included file":     func(t *testing.T, w countedWorld) { w.write(t, "more.conf", "IgnorePkg = a\n") },
		"a configuration file": func(t *testing.T, w countedWorld) { w.write(t, "root/etc/a.conf", "my") },
		"a program of no repository": func(t *testing.T, w countedWorld) {
			w.write(t, "root/usr/bin/foreign", program("libm.so.6"))
		},
		"a list of files": func(t *testing.T, w countedWorld) {
			require.NoError(t, os.Remove(filepath.Join(w.dir, "root/var/lib/pacman/sync/test.files")))
		},
		"a service": func(t *testing.T, w countedWorld) {
			w.write(t, "root/etc/systemd/system/a.service", "[Service]\nExecStart=/usr/bin/a\n")
		},
		"a boot image":  func(t *testing.T, w countedWorld) { w.write(t, "root/boot/initramfs-linux.img", "image") },
		"a download":    func(t *testing.T, w countedWorld) { w.pack(t, "cache", pkg{name: "a", version: "2-1"}) },
		"a damaged one": func(t *testing.T, w countedWorld) { w.damage(t, `"count":1`, `"count":7`) },
		"half of one":   func(t *testing.T, w countedWorld) { w.damage(t, `"count"`, "\x00") },
		"one that is no file": func(t *testing.T, w countedWorld) {
			require.NoError(t, os.Remove(w.earlier))
			require.NoError(t, exec.Command("mkfifo", w.earlier).Run())
			t.Cleanup(func() { _ = os.Remove(w.earlier) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newUsedWorld(t)
			change(t, w)
			want := host.Preview(t.Context(), host.Options{Config: w.config, Brief: true})
			_ = os.Remove(w.log)
			got := host.Preview(t.Context(), host.Options{Config: w.config, Brief: true, Earlier: w.earlier})
			log, err := os.ReadFile(w.log)
			require.NoError(t, err)
			require.Contains(t, string(log), "-Sup")
			for _, p := range []*upgrade.Preview{&want, &got} {
				p.Inputs = nil
				for i := range p.Mounts {
					p.Mounts[i].Free = 0
				}
			}
			require.Equal(t, want, got)
		})
	}
}

// damage changes the kept preview.
func (w countedWorld) damage(t *testing.T, old, damaged string) {
	t.Helper()
	text, err := os.ReadFile(w.earlier)
	require.NoError(t, err)
	require.Contains(t, string(text), old)
	require.NoError(t, os.WriteFile(w.earlier, []byte(strings.Replace(string(text), old, damaged, 1)), 0o600))
}
