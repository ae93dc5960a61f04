package unit_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools/unit"
)

func TestWhereThereIsNoManagerItSaysSo(t *testing.T) {
	dir := t.TempDir()
	env := func(values map[string]string) func(string) string {
		return func(name string) string { return values[name] }
	}
	silent := filepath.Join(dir, "systemd", "private")
	require.NoError(t, os.Mkdir(filepath.Dir(silent), 0o700))
	l, err := net.Listen("unix", silent)
	require.NoError(t, err)
	l.Close() // a socket without a listener
	for name, getenv := range map[string]func(string) string{
		"nothing is known": env(nil),
		"no bus":           env(map[string]string{"XDG_RUNTIME_DIR": dir}),
		"a bad address":    env(map[string]string{"DBUS_SESSION_BUS_ADDRESS": "unix:path=" + dir + "/none"}),
		"autolaunch":       env(map[string]string{"DBUS_SESSION_BUS_ADDRESS": "autolaunch:"}),
	} {
		t.Run(name, func(t *testing.T) {
			m := unit.NewUserManager(getenv)
			require.ErrorContains(t, m.Available(t.Context()), "the user's service manager does not answer")
			require.Error(t, m.Start(t.Context(), unit.Service{Name: "x.service"}))
			require.Error(t, m.Stop(t.Context(), "x.service"))
		})
	}
}

func TestARecorderThatIsNotThereIsTold(t *testing.T) {
	r := unit.New(unit.Options{Dir: t.TempDir(), Recorder: "/there/is/none", Manager: newBench(t).manager})
	require.ErrorContains(t, r.Available(t.Context()), "recorder")
}
