package diagnose

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
)

const (
	transactions = `grep -E '\[ALPM\] transaction (started|completed|failed|interrupted)' /var/log/pacman.log | tail -n 4`
	programs     = "ps -C pacman,yay,paru,pikaur,trizen,pamac,pamac-daemon,pamac-manager,packagekitd,makepkg -o pid=,comm="
	downloads    = "pacman -Sup --print-format '%n %v %s'"
	lockLook     = "ls -l --time-style=long-iso /var/lib/pacman/db.lck"
	lockLine     = "-rw-r--r-- 1 root root 0 2026-11-22 08:44 /var/lib/pacman/db.lck\n"
	absentFile   = ">stat: cannot statx: No such file or directory\n"
	holdLines    = `grep -nE '^[[:space:]]*IgnorePkg[[:space:]]*=' -- /etc/pacman.conf`
	listsFetched = `grep -E '\[PACMAN\] (synchronizing package lists|starting full system upgrade)' /var/log/pacman.log | tail -n 2`
	fetchedNow   = "[2026-11-27T09:12:33+0900] [PACMAN] synchronizing package lists\n[2026-11-27T09:12:35+0900] [PACMAN] starting full system upgrade\n"
	roomLook     = "df -B1 --output=avail,target -- /var/cache/pacman/pkg"
)

// updatable is a machine that can be updated.
func updatable() world {
	return world{
		"pacman-conf": "[options]\nRootDir = /\n", "pacman-conf --repo-list": "core\nextra\n", "pacman-conf --repo=core Server": "https://mirror.example/core/os/x86_64\n",
		"pacman-conf CacheDir": "/var/cache/pacman/pkg/\n", downloads: "linux 6.12-1 140000000\n", roomLook: "     Avail Mounted on\n900000000 /\n",
		"pacman-conf IgnorePkg": "", "pacman -Qmq": "aurthing\n", "paccache -dk2": "==> no candidate packages found for pruning\n",
	}
}

func TestWhyTheSystemCannotBeUpdated(t *testing.T) {
	const breaks = "!error: failed to prepare transaction (could not satisfy dependencies)\n:: installing htop (3.4-1) breaks dependency 'htop=3.3' required by aurthing\n"
	for name, c := range map[string]struct {
		text           string
		world          world
		cause          string
		repair, advice string
	}{
		"a repository without a server": {"", updatable().with(world{"pacman-conf --repo=core Server": ""}), "no-server", "", "mirrorlist"},
		"a foreign package":             {"", updatable().with(world{downloads: breaks, "pacman -Rp -- aurthing": "aurthing-1-1\n"}), "dependency", "remove aurthing", "yay -S aurthing"},
		"a foreign package that another needs": {"", updatable().with(world{
			downloads: breaks, "pacman -Rp -- aurthing": "!:: removing aurthing breaks dependency 'aurthing' required by aurtool\n",
		}), "dependency", "", "aurtool would lose"},
		"a package that is held": {"", updatable().with(world{
			downloads: breaks, "pacman-conf IgnorePkg": "aurthing\n", holdLines: "25:IgnorePkg = linux aurthing\n",
		}), "dependency", "edit_file", "IgnorePkg"},
		"a package that is held somewhere else": {"", updatable().with(world{downloads: breaks, "pacman-conf IgnorePkg": "aurthing\n"}), "dependency", "", "IgnorePkg"},
		"another package":                       {"", updatable().with(world{downloads: breaks, "pacman -Qmq": ""}), "dependency", "", "pacman -Syu"},
		"two that exclude each other": {"", updatable().with(world{
			"blunux-ai preview --json --brief --offline": `{"digest":"d","refusals":[{"conflict":["linux","b"],"installing":"linux","removing":"b"}]}`,
		}), "conflict", "upgrade b", "To keep b, say no"},
		"two that a preview named": {"update refused: linux and b can't be installed together", updatable().with(world{
			"blunux-ai preview --json --brief": `{"digest":"d","refusals":[{"conflict":["b","linux"],"installing":"linux","removing":"b"}]}`,
		}), "conflict", "upgrade b", "To keep b, say no"},
		"one that another needs": {"", updatable().with(world{
			"blunux-ai preview --json --brief --offline": `{"digest":"d","refusals":[{"conflict":["linux","b"],"installing":"linux","removing":"b","needed":["c"]}]}`,
		}), "conflict", "", "c would lose"},
		"two new ones": {"", updatable().with(world{"blunux-ai preview --json --brief --offline": `{"digest":"d","refusals":[{"conflict":["linux","b"]}]}`}), "conflict", "", "decision"},
		"two conflicts": {"", updatable().with(world{
			"blunux-ai preview --json --brief --offline": `{"digest":"d","refusals":[{"conflict":["linux","b"],"installing":"linux","removing":"b"},{"conflict":["linux","c"],"installing":"linux","removing":"c"}]}`,
		}), "conflict", "", "decision"},
		"a full cache": {"", updatable().with(world{roomLook: "Avail Mounted on\n1000000 /var/cache/pacman/pkg\n"}), "no-room", "", "takes space"},
		"old versions in the cache": {"", updatable().with(world{
			roomLook: "Avail Mounted on\n1000000 /\n", "paccache -dk2": "==> finished dry run: 3 candidates (disk space saved: 120.5 MiB)\n",
		}), "no-room", "paccache -rk2", ""},
		"a file of no package": {"error: tool: /usr/bin/tool exists in filesystem", updatable().with(world{
			"pacman -Qo -- /usr/bin/tool": "!", "stat -c '%U %G %u %g %a %F:%n' -- /usr/bin/tool": fine,
		}), "file-exists", "mv -n -- /usr/bin/tool /usr/bin/tool.old", ""},
		"the version before is not old": {"", updatable().with(world{
			roomLook: "Avail Mounted on\n1000000 /\n", "paccache -dk1": "==> finished dry run: 1 candidates (disk space saved: 20.5 MiB)\n",
		}), "no-room", "", "takes space"},
		"old versions, and no paccache": {"", updatable().with(world{
			roomLook:                  "Avail Mounted on\n1000000 /var\n",
			"pacman -Q --color never": "htop 3.3.0-1\nlinux 6.11-1\n",
			"find /var/cache/pacman/pkg -maxdepth 1 -type f -name '[!.]*.pkg.tar.*' -not -name '[!.]*.sig' -printf '%s %p\\n'": "900000 /var/cache/pacman/pkg/htop-3.1.0-1-x86_64.pkg.tar.zst\n900000 /var/cache/pacman/pkg/htop-3.2.0-1-x86_64.pkg.tar.zst\n" +
				"800000 /var/cache/pacman/pkg/htop-3.3.0-1-x86_64.pkg.tar.zst\n700000 /var/cache/pacman/pkg/linux-6.12-1-x86_64.pkg.tar.zst\n600000 /var/cache/pacman/pkg/gone-1-1-any.pkg.tar.zst\n",
		}), "no-room", "rm -- /var/cache/pacman/pkg/htop-3.1.0-1-x86_64.pkg.tar.zst", ""},
		"a lock that a program holds": {"", updatable().with(world{lockLook: lockLine, programs: "2311 pacman\n"}), "busy", "", ""},
		"a lock that is open":         {"", updatable().with(world{lockLook: lockLine, programs: "!", "fuser /var/lib/pacman/db.lck": " 2311\n"}), "lock-open", "", ""},
		"a lock that was left":        {"unable to lock database", updatable().with(world{lockLook: lockLine, programs: "!", "fuser /var/lib/pacman/db.lck": "!"}), "lock-left", "run " + programs, "never be removed"},
		"no keyring": {"", updatable().with(world{
			"pacman -Q --color never": "linux 6.11-1\n", "pacman-conf SigLevel": "PackageRequired\nDatabaseOptional\n", "stat -c '%U %G %u %g %a %F:%n' -- /etc/pacman.d/gnupg/pubring.gpg": absentFile,
		}), "keyring-missing", "pacman-key --init", ""},
		"an old keyring": {"error: linux: signature from \"x\" is unknown trust", updatable().with(world{
			"pacman -Qu --color never": "archlinux-keyring 20250101-1 -> 20261101-1\n",
		}), "keyring-old", "install", ""},
		"no list":    {"", updatable().with(world{"stat -c '%U %G %u %g %a %F:%n' -- /var/lib/pacman/sync/core.db": absentFile}), "list-missing", "upgrade", ""},
		"a bad list": {"", updatable().with(world{downloads: "!error: database 'extra' is not valid (invalid or corrupted database (PGP signature))\n"}), "list-damaged", "rm -- /var/lib/pacman/sync/extra.db", ""},
		"a list that is a web page": {"", updatable().with(world{
			downloads: "!error: database 'extra' is not valid (unrecognized archive format)\n", "head -c 64 -- /var/lib/pacman/sync/extra.db": "<!DOCTYPE html>\n<html><head><title>Login",
		}), "list-damaged", "rm -- /var/lib/pacman/sync/extra.db", "log in"},
		"a mirror that is not found": {"error: failed retrieving file 'core.db' from old.example.org : Could not resolve host: old.example.org", updatable().with(world{
			"getent hosts -- old.example.org": "!2", "getent hosts archlinux.org": "95.217.163.246 archlinux.org\n",
			"pacman-conf --repo=core Server":                        "https://old.example.org/core/os/x86_64\nhttps://mirror.example/core/os/x86_64\n",
			"grep -nHF -- old.example.org /etc/pacman.d/mirrorlist": "/etc/pacman.d/mirrorlist:7:Server = https://old.example.org/$repo/os/$arch\n",
		}), "mirror-gone", "edit_file", "living mirror"},
		"the only mirror is not found": {"", updatable().with(world{
			"getent hosts -- mirror.example": "!2", "getent hosts archlinux.org": "95.217.163.246 archlinux.org\n",
		}), "mirror-gone", "", "living mirror"},
		"without sudo": {"error: you cannot perform this operation unless you are root.", updatable().with(world{"id": "uid=1000(kim) gid=1000(kim) groups=1000(kim)\n"}), "not-root", "", "sudo pacman -Syu"},
		"a root file system that became read-only": {"", updatable().with(world{
			"findmnt -n -r -o TARGET,SOURCE,OPTIONS -T /var/lib/pacman": "/ /dev/sda2 ro,relatime\n",
		}), "read-only", "", "journalctl -k"},
		"a damaged entry": {"", updatable().with(world{
			"pacman -Dk": ">error: 'htop-3.3.0-1': description file is missing\n", "pacman -Si -- htop": "Name : htop\n",
		}), "damaged-entry", "mv -n -- /var/lib/pacman/local/htop-3.3.0-1 /var/lib/pacman/htop-3.3.0-1.damaged", ""},
		"an update that was interrupted": {"", updatable().with(world{
			transactions: "[2026-11-20T09:12:33+0900] [ALPM] transaction completed\n[2026-11-27T09:12:33+0900] [ALPM] transaction started\n", programs: "",
		}), "interrupted", "upgrade", ""},
		"a clock in the past": {"", updatable().with(world{"date +%s": "1000000000\n", "stat -c %Y -- /var/lib/pacman/local": "1764000000\n"}), "clock-behind", "set-ntp true", ""},
		"old lists": {"error: failed retrieving file 'htop-3.3.0-1-x86_64.pkg.tar.zst' from mirror.example : The requested URL returned error: 404", updatable().with(world{
			"date +%s": "1764000000\n", "stat -c %Y -- /var/lib/pacman/sync/core.db": "1760000000\n",
		}), "lists-old", "upgrade", ""},
		"a mirror that is behind": {"", updatable().with(world{
			listsFetched: fetchedNow, "stat -c %Y -- /var/lib/pacman/sync/extra.db": "1795000000\n", "readlink -e -- /usr/bin/reflector": "/usr/bin/reflector\n",
		}), "mirror-behind", "/etc/pacman.d/mirrorlist.old", ""},
		"a mirror that is behind now": {"is my mirror too old?", updatable().with(world{
			"blunux-ai preview --json --brief": `{"digest":"d","stale_days":5}`,
		}), "mirror-behind", "", "living mirror"},
		"no user to download as": {"", updatable().with(world{"pacman-conf DownloadUser": "alpm\n", "getent passwd -- alpm": "!2"}), "no-sandbox-user", "systemd-sysusers", ""},
		"multilib is off":        {"error: target not found: lib32-mesa", updatable(), "multilib-off", "", "[multilib]"},
		"a held package":         {"why is linux not updated?", updatable().with(world{"pacman-conf IgnorePkg": "linux\n", holdLines: "25:IgnorePkg = linux\n"}), "held", "edit_file", "IgnorePkg"},
		"no connection": {"error: failed retrieving file 'core.db': Could not resolve host: mirror.example", updatable().with(world{
			"ip -j -4 route show default": "[]\n",
		}), "server-unknown", "", "internet"},
		"a file of another package": {"tool: /usr/bin/tool exists in filesystem (owned by other)", updatable().with(world{
			"pacman -Qo -- /usr/bin/tool": "/usr/bin/tool is owned by other 1-1\n",
		}), "file-exists", "", "other or tool"},
	} {
		t.Run(name, func(t *testing.T) {
			f := NewFacts("")
			f.Text = c.text
			found := c.world.conclude(t, Update(), f)
			require.Len(t, found, 1)
			require.Equal(t, c.cause, found[0].Cause)
			require.True(t, found[0].Certain)
			require.Contains(t, found[0].Advice.In(i18n.English), c.advice)
			require.Equal(t, c.repair != "", found[0].Repair != nil)
			if c.repair != "" {
				first := found[0].Repair.Steps[0]
				require.Contains(t, first.Verb+" "+first.Args["command"]+first.Args["name"]+first.Args["replaces"], c.repair)
			}
			for _, e := range found[0].Evidence { // without one of them, it is not told as certain
				if e.Look.String() == "pacman -Qmq" || slices.Contains([]string{"pacman-conf IgnorePkg", holdLines}, e.Look.String()) || slices.Contains([]string{"paccache", "find", "head"}, e.Look[0]) {
					continue // they only choose the advice
				}
				f := NewFacts("")
				f.Text = c.text
				for _, left := range c.world.with(world{e.Look.String(): "?"}).conclude(t, Update(), f) {
					require.False(t, left.Certain, "%s", e.Look)
				}
			}
		})
	}
}

// TestAHoldEndsInItsLine: the other words of the line stay.
func TestAHoldEndsInItsLine(t *testing.T) {
	for lines, want := range map[string][2]string{
		"25:IgnorePkg = linux\n":                             {"IgnorePkg = linux", "#IgnorePkg = linux"},
		"3:IgnorePkg   = foo\n25:IgnorePkg = a  linux bar\n": {"IgnorePkg = a  linux bar", "IgnorePkg = a bar"},
		"25:IgnorePkg = linux 'x\n":                          {},
	} {
		f := NewFacts("")
		f.Text = "why is linux not updated?"
		found := updatable().with(world{"pacman-conf IgnorePkg": "linux\nbar\n", holdLines: lines}).conclude(t, Update(), f)
		require.NotEmpty(t, found)
		if want[0] == "" {
			require.Nil(t, found[0].Repair)
			continue
		}
		step := found[0].Repair.Steps[0]
		require.Equal(t, want, [2]string{step.Args["old"], step.Args["new"]})
		require.Equal(t, "upgrade", found[0].Repair.Steps[1].Verb)
	}
}

// TestFilesOfNoPackageAreMovedTogether: what pacman refused follows, and one file of a package stops it.
func TestFilesOfNoPackageAreMovedTogether(t *testing.T) {
	const text = "tool: /usr/bin/tool exists in filesystem\ntool: /usr/share/tool exists in filesystem\nErrors occurred"
	w := updatable().with(world{
		"pacman -Q --color never": "linux 6.11-1\n", "pacman -Si -- tool": "Name : tool\n", "pacman -Qo -- /usr/bin/tool": "!", "pacman -Qo -- /usr/share/tool": "!",
		"stat -c '%U %G %u %g %a %F:%n' -- /usr/bin/tool": fine, "stat -c '%U %G %u %g %a %F:%n' -- /usr/share/tool": strings.ReplaceAll(fine, "bin", "share"),
	})
	verbs := func(w world, text string) (all []string) {
		f := NewFacts("")
		f.Text = text
		for _, found := range w.conclude(t, Update(), f) {
			if found.Cause == "file-exists" && found.Repair != nil {
				for _, s := range found.Repair.Steps {
					all = append(all, s.Verb+" "+s.Args["name"])
				}
			}
		}
		return all
	}
	require.Equal(t, []string{"run ", "run ", "install tool"}, verbs(w, text))
	require.Equal(t, []string{"run ", "run "}, verbs(w.with(world{"pacman -Si -- tool": "!"}), text), "it is of the AUR")
	require.Equal(t, []string{"run ", "run ", "upgrade "}, verbs(w.with(world{"pacman -Q --color never": "tool 1-1\n"}), text))
	require.Empty(t, verbs(w.with(world{"pacman -Qo -- /usr/share/tool": "/usr/share/tool is owned by other 1-1\n"}), text))
	require.Empty(t, verbs(w.with(world{"pacman -Qo -- /usr/share/tool": "?"}), text))
}

// TestAMirrorThatStopsNothingIsNoCause: pacman goes on with the next server, and a name in a message is no server here.
func TestAMirrorThatStopsNothingIsNoCause(t *testing.T) {
	w := updatable().with(world{
		"getent hosts -- mirror.example": "!2", "getent hosts -- evil.example": "!2", "getent hosts archlinux.org": "95.217.163.246 archlinux.org\n",
		"pacman-conf --repo=core Server": "https://mirror.example/core/os/x86_64\nhttps://other.example/core/os/x86_64\n",
	})
	for _, text := range []string{"", "error: failed retrieving file 'core.db' from evil.example : Connection refused"} {
		f := NewFacts("")
		f.Text = text
		require.Empty(t, w.conclude(t, Update(), f))
		require.NotContains(t, f.seen, "getent hosts -- evil.example")
	}
}

// TestMirrorsAreRankedWithTheListKept: by what is installed, and undo has the list as it was.
func TestMirrorsAreRankedWithTheListKept(t *testing.T) {
	const silent = "error: failed retrieving file 'core.db' from mirror.example : Operation too slow. Less than 1 bytes/sec transferred the last 10 seconds"
	resolves := world{"getent hosts -- mirror.example": "192.0.2.1 mirror.example\n"}
	for name, c := range map[string]struct {
		world         world
		step, program string
	}{
		"reflector":   {world{"readlink -e -- /usr/bin/reflector": "/usr/bin/reflector\n"}, "sudo -n reflector --protocol https", "reflector"},
		"rankmirrors": {world{"readlink -e -- /usr/bin/rankmirrors": "/usr/bin/rankmirrors\n"}, "rankmirrors -n 6 /etc/pacman.d/mirrorlist.old >", "rankmirrors"},
		"neither":     {world{}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := NewFacts("")
			f.Text = silent
			found := updatable().with(resolves).with(c.world).conclude(t, Update(), f)
			require.Len(t, found, 1)
			require.Equal(t, "mirror-silent", found[0].Cause)
			require.False(t, found[0].Certain)
			if c.step == "" {
				require.Nil(t, found[0].Repair)
				require.Contains(t, found[0].Advice.In(i18n.English), "pacman-contrib")
				return
			}
			steps := found[0].Repair.Steps
			require.Len(t, steps, 3)
			require.Equal(t, "sudo -n cp -a -- /etc/pacman.d/mirrorlist /etc/pacman.d/mirrorlist.old", steps[0].Args["command"])
			require.Contains(t, steps[1].Args["command"], c.step)
			require.Equal(t, "sudo -n cp -a -- /etc/pacman.d/mirrorlist.old /etc/pacman.d/mirrorlist", steps[1].Undo)
			require.Equal(t, "upgrade", steps[2].Verb)
		})
	}
	f := NewFacts("")
	f.Text = strings.Replace(silent, "mirror.example", "evil.example", 1)
	require.Empty(t, updatable().with(resolves).conclude(t, Update(), f))
}

// TestNoMirrorIsBehindWithoutProof: lists are old too if nobody fetches them, or if a mirror sends nothing.
func TestNoMirrorIsBehindWithoutProof(t *testing.T) {
	old := world{listsFetched: fetchedNow, "stat -c %Y -- /var/lib/pacman/sync/extra.db": "1795000000\n"}
	for name, w := range map[string]world{
		"the lists are new":            old.with(world{"stat -c %Y -- /var/lib/pacman/sync/extra.db": "1795700000\n"}),
		"they were fetched when new":   old.with(world{listsFetched: strings.ReplaceAll(fetchedNow, "2026-11-27", "2026-11-18")}),
		"the mirror did not send them": old.with(world{listsFetched: fetchedNow[strings.Index(fetchedNow, "\n")+1:] + fetchedNow[:strings.Index(fetchedNow, "\n")+1]}),
		"no log":                       old.with(world{listsFetched: "?"}),
		"no list":                      old.with(world{"stat -c %Y -- /var/lib/pacman/sync/extra.db": "!"}),
		"no repository of Arch Linux":  old.with(world{"pacman-conf --repo-list": "mine\n"}),
	} {
		t.Run(name, func(t *testing.T) { require.Empty(t, updatable().with(w).conclude(t, Update(), NewFacts(""))) })
	}
}

// TestTheCacheKeepsWhatTakesAChangeBack: no package file that a receipt names is offered for removal.
func TestTheCacheKeepsWhatTakesAChangeBack(t *testing.T) {
	const dir = "/var/cache/pacman/pkg/"
	find := "find /var/cache/pacman/pkg -maxdepth 1 -type f -name '[!.]*.pkg.tar.*' -not -name '[!.]*.sig' -printf '%s %p\\n'"
	files := ""
	for _, version := range []string{"2.9-1", "3.0-1", "3.1-1", "3.2-1", "3.3.0-1"} {
		files += "900000 " + dir + "htop-" + version + "-x86_64.pkg.tar.zst\n"
	}
	full := updatable().with(world{roomLook: "Avail Mounted on\n1000000 /var\n", "pacman -Q --color never": "htop 3.3.0-1\nlinux 6.11-1\n", find: files})
	repair := func(w world, pins ...string) string {
		f := NewFacts("")
		f.Pins = pins
		found := w.conclude(t, Update(), f)
		require.NotEmpty(t, found)
		require.NotNil(t, found[0].Repair)
		return found[0].Repair.Steps[0].Step.Args["command"]
	}
	require.Equal(t, "sudo -n rm -- "+dir+"htop-2.9-1-x86_64.pkg.tar.zst "+dir+"htop-3.0-1-x86_64.pkg.tar.zst "+dir+"htop-3.1-1-x86_64.pkg.tar.zst", repair(full))
	require.Equal(t, "sudo -n rm -- "+dir+"htop-2.9-1-x86_64.pkg.tar.zst "+dir+"htop-3.1-1-x86_64.pkg.tar.zst", repair(full, "htop-3.0-1", "vim-9-1"))
	old := "==> finished dry run: 3 candidates (disk space saved: 120.5 MiB)\n"
	require.Equal(t, "sudo -n paccache -rk2 --ignore htop,vim", repair(full.with(world{"paccache -dk2 --ignore htop,vim": old}), "htop-3.0-1", "htop-3.1-1", "vim-9-1"))
}

// TestAQuotedMessageMovesNoFileOfTheMachine: what a message names is not proved.
func TestAQuotedMessageMovesNoFileOfTheMachine(t *testing.T) {
	for _, file := range []string{"/boot/vmlinuz-linux", "/etc/machine-id", "/usr/lib/modules/6.1/modules.dep", "/home/kim/x", "/usr/share/../../boot/vmlinuz-linux", "/usr/local/bin/x"} {
		f := NewFacts("")
		f.Text = "tool: " + file + " exists in filesystem"
		w := updatable().with(world{"pacman -Qo -- " + file: "!", "stat -c '%U %G %u %g %a %F:%n' -- " + file: "root root 0 0 644 regular file:" + file + "\n"})
		for _, found := range w.conclude(t, Update(), f) {
			require.Nil(t, found.Repair, file)
		}
	}
}

func TestAWrongConfigurationIsQuoted(t *testing.T) {
	f := NewFacts("")
	for {
		found := Update().Conclude(f)
		needed := f.Needed()
		if len(needed) == 0 {
			require.Equal(t, "configuration", found[0].Cause)
			require.Contains(t, found[0].Evidence[0].Text.In(i18n.English), "line 95")
			return
		}
		for _, look := range needed {
			out := Output{Exit: 1}
			if look[0] == "pacman-conf" && len(look) == 1 {
				out.Stderr = "error: config file /etc/pacman.conf, line 95: All directives must belong to a section.\n"
			}
			f.Add(look, out)
		}
	}
}

func TestAMachineThatCanBeUpdatedHasNoCause(t *testing.T) {
	for name, w := range map[string]world{
		"as it is": updatable(), "nothing can be looked at": {}, "without a list of what is fetched": updatable().with(world{downloads: "?"}),
		"with a cut list": updatable().with(world{roomLook: "?"}),
	} {
		t.Run(name, func(t *testing.T) { require.Empty(t, w.conclude(t, Update(), NewFacts(""))) })
	}
}
