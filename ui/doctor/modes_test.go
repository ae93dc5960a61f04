package doctor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestD8cLooseFilesAreReportedAndClosed(t *testing.T) {
	p := healthy(t)
	in := func(name string) string { return filepath.Join(p.Paths.Home, name) }
	for name, mode := range map[string]os.FileMode{
		"config.toml": 0o644, "automations.toml": 0o644, "config.d/20-mine.toml": 0o644, // modes that editors use
		"credentials/claude": 0o600, "sessions/a.jsonl": 0o600, "logs/commands.log": 0o600,
	} {
		write(t, in(name), "x", mode)
	}
	for _, dir := range []string{"credentials", "sessions", "logs"} {
		require.NoError(t, os.Chmod(in(dir), 0o700))
	}
	require.Equal(t, OK, modes(t.Context(), p).State)

	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	write(t, elsewhere, "x", 0o644)
	require.NoError(t, os.Symlink(elsewhere, in("sessions/link")))
	require.NoError(t, os.Chmod(in("credentials/claude"), 0o644)) // reported by the check of keys
	require.Equal(t, OK, modes(t.Context(), p).State, "no link is followed")

	require.NoError(t, os.Chmod(in("config.d/20-mine.toml"), 0o664))
	require.NoError(t, os.Chmod(in("sessions"), 0o750))
	require.NoError(t, os.Chmod(in("sessions/a.jsonl"), 0o604))
	f := modes(t.Context(), p)
	require.Equal(t, Warn, f.State)
	require.Equal(t, []string{"chmod", "go-rwx", in("config.d/20-mine.toml"), in("sessions"), in("sessions/a.jsonl")}, f.Fix)
	require.Equal(t, CommandLine(f.Fix), f.Help)

	s := operate(t, p, true, nil)
	n, err := s.OfferFixes(t.Context(), []Finding{f})
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, [][]string{f.Fix}, s.ran)

	require.NoError(t, os.Remove(in("sessions/a.jsonl")))
	require.NoError(t, os.Symlink(elsewhere, in("sessions/a.jsonl")))
	n, err = s.OfferFixes(t.Context(), []Finding{f})
	require.NoError(t, err)
	require.Zero(t, n, "a link stands there by now")
}

func TestD8cManyLooseFilesAreClosedWithTheirDirectory(t *testing.T) {
	p := healthy(t)
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		write(t, filepath.Join(p.Paths.Home, "memory", name), "x", 0o644)
	}
	f := modes(t.Context(), p)
	require.Equal(t, []string{"chmod", "-R", "go-rwx", p.Paths.Home}, f.Fix)
	s := operate(t, p, true, nil)
	n, err := s.OfferFixes(t.Context(), []Finding{f})
	require.NoError(t, err)
	require.Equal(t, 1, n)
	for _, fix := range [][]string{
		{"chmod", "-R", "go-rwx", filepath.Dir(p.Paths.Home)},
		{"chmod", "-R", "go-rwx", p.Paths.Home, "/etc"},
		{"chmod", "-R", "go-rwx"},
		{"chmod", "go-rwx", p.Paths.Home + "/../x"},
		{"chmod", "go-rwx", "memory"},
		{"chmod", "go+rwx", p.Paths.Home},
	} {
		require.False(t, s.isHarmless(fix), "%v", fix)
	}
}
