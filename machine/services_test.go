package machine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnitWithItsCommands(t *testing.T) {
	u, err := ParseUnit(recorded(t, "unit-show.txt"))
	require.NoError(t, err)
	require.Equal(t, "exit-code", u.Values["Result"])
	require.Equal(t, []Exec{
		{"ExecStartPre", "/usr/bin/nothere2", "/usr/bin/nothere2", "exited", "203"},
		{"ExecStart", "/bin/sleep", "/bin/sleep 100", "(null)", "0/0"},
	}, u.Commands)
	files, err := ParseUnitFiles(recorded(t, "unit-cat.txt"))
	require.NoError(t, err)
	require.Equal(t, UnitSetting{"/etc/systemd/system/f-dropin.service.d/override.conf", 3, "ExecStart", "/opt/old/bin/x"}, files[2])
}

func TestLastRunIsTheLastStartThatSaidAnything(t *testing.T) {
	lines, err := ParseLog(recorded(t, "unit-log.txt"))
	require.NoError(t, err)
	run := LastRun(lines)
	require.Contains(t, run, LogLine{"sh", "cannot open database: Permission denied"})
	require.Less(t, len(run), 8)
	none, err := ParseLog([]byte("-- No entries --\n"))
	require.NoError(t, err)
	require.Empty(t, LastRun(none))
}

func TestHoldersOfPorts(t *testing.T) {
	all, err := ParseHolders(recorded(t, "ss-cgroup.txt"))
	require.NoError(t, err)
	require.Equal(t, []Holder{{"tcp", "0.0.0.0", "8200", "python3 (PID 167)", "f-port2.service"}}, all)
	require.Equal(t, "python3 (PID 167), f-port2.service", all[0].Name())
	require.True(t, Holder{Address: "127.0.0.53%lo"}.IsLocal())
}

func TestParents(t *testing.T) {
	require.Equal(t, []string{"/", "/var", "/var/lib"}, Parents("/var/lib"))
	require.Equal(t, []string{"/"}, Parents("/"))
}
