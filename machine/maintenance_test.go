package machine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatSpeaksAgainstAnUpgradeIsRead(t *testing.T) {
	metered, err := ParseMetered(recorded(t, "metered.txt"))
	require.NoError(t, err)
	require.Equal(t, []string{"wlan0"}, metered)

	recordings, err := ParseRecordings(recorded(t, "recordings.txt"))
	require.NoError(t, err)
	require.Equal(t, []string{"Firefox"}, recordings, "a volume meter does not record")
	none, err := ParseRecordings(nil)
	require.NoError(t, err)
	require.Empty(t, none)

	sessions, err := ParseSessions(recorded(t, "sessions.txt"))
	require.NoError(t, err)
	require.Equal(t, []Session{{"2", "1000", "blu", "seat0"}, {"c1", "971", "sddm", ""}, {"5", "1001", "kim", "seat0"}}, sessions)
}

func TestATransactionIsRead(t *testing.T) {
	rows, err := ParseTransaction(recorded(t, "transaction.txt"))
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.Equal(t, TransactionPackage{"htop", "3.4.1-1", "blunux", 1506, "file:///srv/repo/htop-3.4.1-1-any.pkg.tar.gz"}, rows[0])
	for _, text := range []string{"<html>", "a 1-1 core x y", "a 1-1 core -5 y", "a 1-1 core 5"} {
		_, err := ParseTransaction([]byte(text))
		require.Error(t, err, text)
	}
	rows, err = ParseTransaction([]byte(":: Starting full system upgrade...\nwarning: x: local (2) is newer than core (1)\n there is nothing to do\n"))
	require.NoError(t, err)
	require.Empty(t, rows)
}

func TestPacmansSettingsAreRead(t *testing.T) {
	conf, err := ParsePacmanConf(recorded(t, "pacman-conf.txt"))
	require.NoError(t, err)
	require.Equal(t, "/srv/root/", conf.Root)
	require.Equal(t, "/srv/root/var/lib/pacman/", conf.Database)
	require.Equal(t, []string{"/srv/cache/"}, conf.Caches)
	require.Equal(t, []string{"PackageNever", "DatabaseNever"}, conf.SigLevel)
	require.Equal(t, []PacmanRepository{{"blunux", nil, []string{"file:///srv/repo"}}}, conf.Repositories)
}
