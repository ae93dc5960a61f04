package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/licensecheck"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/licenses.md anew")

const (
	root  = "../.."
	table = root + "/docs/licenses.md"
)

// modules lists the project's modules, and where each is used.
var modules = []struct{ dir, in string }{{"", "main"}, {"bridge/whatsapp", "blunux-wa-bridge"}, {"test/interop", "tests"}, {"fleet", "blunux-fleet"}}

// requiredModules returns every module in our go.mod files, with its version and where it is used.
func requiredModules(t *testing.T) map[string]part {
	t.Helper()
	all := map[string]part{}
	for _, m := range modules {
		out, err := exec.Command("go", "-C", filepath.Join(root, m.dir), "mod", "edit", "-json").Output()
		require.NoError(t, err)
		var mod struct {
			Require []struct{ Path, Version string }
		}
		require.NoError(t, json.Unmarshal(out, &mod))
		for _, r := range mod.Require {
			if _, there := all[r.Path]; !there && r.Path != "github.com/nidoit/blunux-ai" {
				all[r.Path] = part{path: r.Path, version: r.Version, sum: m.in}
			}
		}
	}
	return all
}

// determined lists the modules whose licence was determined by hand, because the detector reports more than the
// licence. detects is the detector's result, so that a changed text is noticed.
var determined = map[string]struct{ licence, detects string }{
	// Dual licensed; we choose this one.
	"kernel.org/pub/linux/libs/security/libcap/psx": {"BSD-3-Clause", "GPL-2.0"},
	// "How to apply" below the licence mentions later versions; the sources do not.
	"go.mau.fi/libsignal": {"GPL-3.0-only", "GPL-3.0-only AND GPL-3.0-or-later"},
	// Its file describes further licences, of directories that our programs do not link; zstd is BSD-3-Clause, its xxhash MIT.
	"github.com/klauspost/compress": {"BSD-3-Clause AND MIT", "Apache-2.0 AND BSD-3-Clause AND MIT"},
	// SQLite itself is in the public domain, sqlite-vec is MIT. LICENSE-3RD-PARTY.md contains Apache-2.0 and
	// MPL-2.0 for tools and tests, which our programs do not link.
	"modernc.org/sqlite": {"BSD-3-Clause AND blessing AND MIT", "Apache-2.0 AND BSD-3-Clause AND MIT AND MPL-2.0"},
}

// detectLicence returns the licence detected in a module's root, or "" if the module is not on this machine.
func detectLicence(t *testing.T, p part, cache string) string {
	t.Helper()
	entries, err := os.ReadDir(p.dir(cache))
	if err != nil {
		return ""
	}
	found := map[string]bool{}
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) || strings.HasPrefix(e.Name(), "PATENTS") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(p.dir(cache), e.Name()))
		require.NoError(t, err)
		for _, m := range licensecheck.Scan(text).Match {
			if !m.IsURL {
				found[spdx(m.ID)] = true
			}
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), " AND ")
}

// spdx translates the detector's own identifiers to SPDX.
func spdx(id string) string {
	switch id {
	case "GPL-3.0":
		return "GPL-3.0-only"
	case "BSD-2-Clause-FreeBSD":
		return "BSD-2-Clause"
	}
	return id
}

// TestEveryModulesLicenceIsKnown: every module in a go.mod has a line in docs/licenses.md with its version and
// licence.
func TestEveryModulesLicenceIsKnown(t *testing.T) {
	cache, err := moduleCache()
	require.NoError(t, err)
	known, err := readTable(table)
	require.NoError(t, err)
	var rows strings.Builder
	for _, p := range sortParts(requiredModules(t)) {
		licence := detectLicence(t, p, cache)
		if person, there := determined[p.path]; there {
			require.Contains(t, []string{person.detects, ""}, licence, "%s has other words now: read them", p.path)
			licence = person.licence
		}
		if licence == "" {
			licence = known[p.path] // only used by tests, and not on this machine
		}
		require.NotEmpty(t, licence, "the licence of %s is not known: read it and write it into docs/licenses.md", p.path)
		fmt.Fprintf(&rows, "| %s | %s | %s | %s |\n", p.path, p.version, licence, p.sum)
	}
	text, err := os.ReadFile(table)
	require.NoError(t, err)
	head, _, ok := strings.Cut(string(text), "|---|---|---|---|\n")
	require.True(t, ok)
	want := head + "|---|---|---|---|\n" + rows.String()
	if *update {
		require.NoError(t, os.WriteFile(table, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(text), "go test ./packaging/bill -update writes it anew; read the difference")
}

// TestWhatIsLinkedMayBe: no linked licence requires more than the packages provide, and copyleft licences are
// only where docs/licenses.md says.
func TestWhatIsLinkedMayBe(t *testing.T) {
	known, err := readTable(table)
	require.NoError(t, err)
	free := []string{"MIT", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "ISC", "blessing"}
	for _, m := range modules[:2] {
		out, err := exec.Command("go", "-C", filepath.Join(root, m.dir), "list", "-mod=readonly", "-deps",
			"-f", "{{with .Module}}{{.Path}}{{end}}", "./cmd/...").Output()
		require.NoError(t, err)
		allowed := free
		if m.in == "blunux-wa-bridge" {
			allowed = append(slices.Clone(free), "MPL-2.0", "GPL-3.0-only")
		}
		for path := range strings.FieldsSeq(string(out)) {
			if strings.HasPrefix(path, "github.com/nidoit/blunux-ai") {
				continue
			}
			for id := range strings.SplitSeq(known[path], " AND ") {
				require.Contains(t, allowed, id, "%s in %s", path, m.in)
			}
		}
	}
}

// TestTheBill: each part of a program is in the bill with its licence and the licence's text. The output is
// reproducible.
func TestTheBill(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "blunux-aictl")
	out, err := exec.Command("go", "build", "-C", root, "-mod=readonly", "-trimpath", "-o", program, "./cmd/blunux-aictl").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, to := range []string{"one", "two"} {
		require.NoError(t, run("1.2.3", filepath.Join(dir, to), table, []string{"thin=" + program}))
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, "one/thin", name))
		require.NoError(t, err)
		again, err := os.ReadFile(filepath.Join(dir, "two/thin", name))
		require.NoError(t, err)
		require.Equal(t, string(text), string(again))
		return string(text)
	}
	var d document
	require.NoError(t, json.Unmarshal([]byte(read("sbom.cdx.json")), &d))
	notices := read("THIRD-PARTY")
	var names []string
	for _, c := range d.Components {
		names = append(names, c.Name)
		require.Contains(t, notices, "\n"+strings.TrimSpace(c.Name+" "+c.Version)+": "+c.Licences[0].Expression+"\n")
	}
	require.Subset(t, names, []string{"std", "github.com/spf13/cobra"})
	require.NotContains(t, names, "modernc.org/sqlite")

	require.ErrorContains(t, run("1", dir, filepath.Join(root, "docs/sizes.md"), []string{"thin=" + program}), "licence of")
}
