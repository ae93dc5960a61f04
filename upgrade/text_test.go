package upgrade_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/upgrade"
)

var update = flag.Bool("update", false, "write the golden files anew")

// whole is a preview in which there is something to say about everything.
func whole() upgrade.Report {
	r := upgrade.Report{Preview: upgrade.Preview{
		Digest: "x",
		Packages: []upgrade.Change{
			{Name: "linux", Repository: "core", From: "6.9.1.arch1-1", To: "6.10.2.arch1-1", Download: 140 << 20, Size: 3 << 20, Kind: upgrade.Kernel},
			{Name: "pipewire-jack", From: "1.0-1", To: "1.2-1", Download: 1 << 20, Size: -(5 << 20)},
			{Name: "qt6-shadertools", To: "6.8-1", Download: 2 << 20, Size: 9 << 20},
		},
		Download: 143 << 20,
		Replaced: []upgrade.Replacement{{Name: "jack2", Version: "1-1", By: "pipewire-jack", Size: 1 << 20}},
		Held:     []upgrade.Change{{Name: "mesa", From: "24-1", To: "25-1"}},
		Mounts: []upgrade.Mount{
			{Target: "/", Free: 90 << 30, Change: 6 << 20, Fetch: 143 << 20},
			{Target: "/boot", Free: 300 << 20, Image: 60 << 20},
			{Target: "/home", Free: 1 << 30},
		},
		Reboot:   []string{"linux"},
		Units:    []upgrade.Unit{{Name: "pipewire.service", User: true}, {Name: "sshd.service"}},
		Broken:   []upgrade.Broken{{Package: "ffmpeg-git", File: "/usr/bin/ffmpeg", Needs: "libjack.so.0", Because: "jack2"}},
		Unknown:  []upgrade.Broken{{Package: "obs-git", Needs: "libx.so.1"}, {Package: "obs-git", Needs: "liby.so.1"}},
		Settings: []upgrade.Setting{{Path: "/etc/mkinitcpio.conf", Certain: true}, {Path: "/etc/pacman.conf"}},
		Keyring:  &upgrade.Keyring{Package: "archlinux-keyring", Age: 200, Unsigned: []string{"my"}},
		Damaged:  []string{"htop-3-1"},
	}}
	r.Totals()
	r.Guard = slices.Clone(found)
	r.Guard = append(r.Guard, upgrade.Finding{Level: upgrade.Pass, Reason: upgrade.Unseen})
	r.Boot = []machine.BootFinding{{Code: "image-cut", Weight: machine.BootRed, Subject: "/boot/initramfs-linux.img"}}
	r.Recipes = []string{"yay-bin"}
	for day := 4; day > 0; day-- {
		r.News = append(r.News, machine.NewsItem{Date: fmt.Sprintf("2026-03-0%d", day), Title: fmt.Sprintf("News %d", day), Address: "https://archlinux.org/news/"})
	}
	return r
}

// found is a finding of each reason.
var found = []upgrade.Finding{
	{Level: upgrade.Stop, Reason: upgrade.NoRoomThere, Subject: "/boot", Detail: "1.0 GiB"},
	{Level: upgrade.Warn, Reason: upgrade.LittleRoom, Subject: "/", Detail: "1.0 GiB"},
	{Level: upgrade.Stop, Reason: upgrade.PacmanRuns, Subject: "pacman"},
	{Level: upgrade.Stop, Reason: upgrade.LockLeft},
	{Level: upgrade.Hold, Reason: upgrade.BatteryLow, Subject: "12%"},
	{Level: upgrade.Hold, Reason: upgrade.Metered, Subject: "wlan0"},
	{Level: upgrade.Hold, Reason: upgrade.Recording, Subject: "Zoom"},
	{Level: upgrade.Hold, Reason: upgrade.CameraInUse, Subject: "cheese"},
	{Level: upgrade.Warn, Reason: upgrade.OtherSession, Subject: "kim"},
	{Level: upgrade.Warn, Reason: upgrade.RebootDue, Subject: "6.9.1-arch1-1"},
}

// refused is a preview of what pacman will not do.
func refused() upgrade.Report {
	r := upgrade.Report{Preview: upgrade.Preview{Digest: "x", Packages: []upgrade.Change{{Name: "a", From: "1-1", To: "2-1"}}, Refusals: []upgrade.Refusal{
		{Conflict: []string{"a", "b"}}, {Package: "c", Dependency: "libd", Removing: "d"}, {Package: "e", Dependency: "f=1", Installing: "f"}, {Package: "g", Dependency: "h"},
	}}}
	r.Totals()
	return r
}

// many is a preview with more of everything than a person reads.
func many() upgrade.Report {
	r := upgrade.Report{Preview: upgrade.Preview{Digest: "x"}}
	for i := range 60 {
		name := fmt.Sprintf("p%d", i)
		r.Packages = append(r.Packages, upgrade.Change{Name: name, From: "1-1", To: "2-1"})
		if i < 14 {
			r.Settings = append(r.Settings, upgrade.Setting{Path: "/etc/" + name, Certain: true})
		}
	}
	r.Totals()
	return r
}

// TestTheLinesOfAPreview compares what a person reads, and what is in a question, with the golden files.
func TestTheLinesOfAPreview(t *testing.T) {
	t.Parallel()
	for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
		var b strings.Builder
		section := func(name, text string) { fmt.Fprintf(&b, "== %s ==\n%s\n\n", name, text) }
		section("all there is to say", whole().Text(lang))
		section("in a question", whole().Short(lang))
		section("refused", refused().Text(lang))
		section("refused by what pacman counts nothing for", upgrade.Preview{Digest: "x", Refusals: refused().Refusals[3:]}.Short(lang))
		section("many packages", many().Text(lang))
		section("many in a question", many().Short(lang))
		section("nothing to do", upgrade.Preview{Digest: "x", Held: []upgrade.Change{{Name: "mesa"}}}.Text(lang))
		for _, code := range []upgrade.ProblemCode{
			upgrade.NoProgram, upgrade.BadSettings, upgrade.NoFetch, upgrade.NotDatabase, upgrade.HalfDatabase, upgrade.LargeDatabase, upgrade.NoRoom,
			upgrade.Unreadable, upgrade.Refused, upgrade.TimedOut,
		} {
			section(string(code), upgrade.Problem{Code: code, Subject: "SUBJECT", Detail: "DETAIL"}.Text(lang))
		}
		file := filepath.Join("testdata", string(lang)+".txt")
		if *update {
			require.NoError(t, os.MkdirAll("testdata", 0o755))
			require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(want), b.String())
	}
}
