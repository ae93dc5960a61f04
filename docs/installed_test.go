package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// installed is the document that is followed on a machine that has systemd and
// pacman, as whoever runs the tests and with what that document has one install;
// packaging/system sets it, where one is booted. Else it is empty.
var installed = os.Getenv("BLUNUX_AI_DOCS_INSTALLED")

// account is the machine as this person has it.
func account(lang string) *machine {
	if strings.HasPrefix(lang, "en") {
		lang = "C.UTF-8" // all that a fresh Arch has
	}
	m := &machine{home: os.Getenv("HOME"), codes: map[string]string{}}
	for _, name := range []string{"HOME", "USER", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"} {
		m.env = append(m.env, name+"="+os.Getenv(name))
	}
	m.env = append(m.env, "LANG="+lang, "TERM=dumb", "NO_COLOR=1", "TZ=UTC", "EDITOR=true", "PATH=/usr/local/bin:/usr/bin:/bin")
	return m
}

// install types what stands in the document's block that begins with what it
// needs, up to where our own programs are used, and says yes to pacman.
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
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(strings.Repeat("y\n", 100)) // as yes(1) does
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s:%d: %s\n%s", p.path, l.line, l.text, out)
		}
	}
	require.GreaterOrEqual(t, steps, 5, "%s has no block that installs", p.path)
}
