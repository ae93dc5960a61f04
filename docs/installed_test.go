package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// installed is the document to follow on a machine with systemd and pacman, as the user who runs the tests,
// with what the document installs. packaging/system sets it on a booted system. Otherwise it is empty.
var installed = os.Getenv("BLUNUX_AI_DOCS_INSTALLED")

// account returns the machine with the present user's account.
func account(lang string) *machine {
	if strings.HasPrefix(lang, "en") {
		lang = "C.UTF-8" // the only locale of a fresh Arch
	}
	m := &machine{home: os.Getenv("HOME"), codes: map[string]string{}}
	for _, name := range []string{"HOME", "USER", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"} {
		m.env = append(m.env, name+"="+os.Getenv(name))
	}
	m.env = append(m.env, "LANG="+lang, "TERM=dumb", "NO_COLOR=1", "TZ=UTC", "EDITOR=true", "PATH=/usr/local/bin:/usr/bin:/bin")
	return m
}

// install runs the document's block of installation commands, up to the first use of our programs, and confirms
// for pacman.
func (m *machine) install(t *testing.T, p *page) {
	t.Helper()
	dir, steps := m.home, 0
	for _, b := range p.blocks {
		lines := b.commands()
		if b.lang != "sh" || !strings.HasPrefix(lines[0].text, "sudo pacman -S ") {
			continue
		}
		for _, l := range lines {
			if strings.HasPrefix(l.text, "blunux-") {
				break
			}
			steps++
			if to, ok := strings.CutPrefix(l.text, "cd "); ok {
				dir = filepath.Join(dir, to)
				require.DirExists(t, dir, "%s:%d", p.path, l.line)
				continue
			}
			cmd := m.command(l.text)
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(strings.Repeat("y\n", 100)) // like yes(1)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s:%d: %s\n%s", p.path, l.line, l.text, out)
		}
	}
	require.GreaterOrEqual(t, steps, 5, "%s has no block that installs", p.path)
}
