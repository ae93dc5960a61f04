package tools

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/tools/action"
)

// startSleeper starts a real process that waits, with an environment, and returns its number. It runs once it has printed a line.
func startSleeper(t *testing.T, env ...string) string {
	t.Helper()
	cmd := exec.Command("cat")
	cmd.Env = env
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	_, err = in.Write([]byte("x"))
	require.NoError(t, err)
	_, err = out.Read(make([]byte, 1))
	require.NoError(t, err)
	return strconv.Itoa(cmd.Process.Pid)
}

// TestOnlyInputVariablesOfAnEnvironmentComeOut: of a real process with secrets in its environment.
func TestOnlyInputVariablesOfAnEnvironmentComeOut(t *testing.T) {
	const secret = "hunter2"
	pid := startSleeper(
		t, "API_KEY="+secret, "GTK_IM_MODULE=fcitx", "XMODIFIERS=@im=fcitx", "QT_IM_MODULE=sk-"+strings.Repeat(secret, 9),
		"WAYLAND_DISPLAY="+secret, "MY_IM_MODULE="+secret, "XGTK_IM_MODULE="+secret, "GDK_BACKEND=x11", "XDG_SESSION_TYPE=A "+secret,
		"gtk_im_module="+secret, secret+"=GTK_IM_MODULE=a", "NOTE=a\nGTK_IM_MODULE="+secret, "SDL_IM_MODULE=",
	)
	for _, program := range []string{pid, "cat", "CAT"} {
		a, ok := environmentOf(machine.InputEnvironmentProbe(program).String())
		require.True(t, ok)
		var out bytes.Buffer
		_, err := a.Do(context.Background(), action.Services{}, action.Call{}, &out)
		require.NoError(t, err)
		require.Contains(t, out.String(), pid+" GDK_BACKEND=x11 GTK_IM_MODULE=fcitx QT_IM_MODULE WAYLAND_DISPLAY XDG_SESSION_TYPE XMODIFIERS=@im=fcitx\n")
		require.NotContains(t, out.String(), secret)
		all, err := machine.ParseInputEnvironments(out.Bytes())
		require.NoError(t, err)
		require.NotEmpty(t, all)
	}
}

// TestProcessesOfOthersTellNothing: other programs, other users, and words that are no name.
func TestProcessesOfOthersTellNothing(t *testing.T) {
	pid := startSleeper(t, "GTK_IM_MODULE=fcitx")
	a := environmentAction{Program: "another"}
	_, err := a.variablesOf(pid)
	require.ErrorIs(t, err, errOther)
	if os.Getuid() != 0 {
		_, err = environmentAction{Program: "1"}.variablesOf("1")
		require.Error(t, err)
	}
	for _, bad := range []string{"blunux-aictl environment", "blunux-aictl environment a b", "blunux-aictl environment ../1", "blunux-aictl environment $(id)", "cat /proc/1/environ", "blunux-aictl environment 'a;b'"} {
		_, ok := environmentOf(bad)
		require.False(t, ok, bad)
	}
}
