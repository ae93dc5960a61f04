package quick_test

import (
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ui/quick"
)

// machine is a machine with programs and an environment.
func machine(env map[string]string, programs ...string) quick.Machine {
	return quick.Machine{
		Getenv: func(name string) string { return env[name] },
		LookPath: func(program string) (string, error) {
			if !slices.Contains(programs, program) {
				return "", exec.ErrNotFound
			}
			return "/usr/bin/" + program, nil
		},
	}
}

func TestTheChosenTerminalComesFirst(t *testing.T) {
	x := map[string]string{"DISPLAY": ":0"}
	with := func(more ...string) map[string]string {
		env := map[string]string{"DISPLAY": ":0"}
		for i := 0; i < len(more); i += 2 {
			env[more[i]] = more[i+1]
		}
		return env
	}
	for name, c := range map[string]struct {
		env      map[string]string
		programs []string
		want     string
		err      error
	}{
		"chosen":                {with("TERMINAL", "xterm"), []string{"konsole", "xterm"}, "/usr/bin/xterm", nil},
		"chosen, not installed": {with("TERMINAL", "kitty"), []string{"konsole", "xterm"}, "/usr/bin/konsole", nil},
		"the person's default":  {x, []string{"konsole", "xdg-terminal-exec"}, "/usr/bin/xdg-terminal-exec", nil},
		"of the desktop":        {with("XDG_CURRENT_DESKTOP", "ubuntu:GNOME"), []string{"konsole", "kgx"}, "/usr/bin/kgx", nil},
		"only for Wayland":      {x, []string{"foot", "xterm"}, "/usr/bin/xterm", nil},
		"only for X":            {map[string]string{"WAYLAND_DISPLAY": "wayland-0"}, []string{"foot", "xterm"}, "/usr/bin/foot", nil},
		"none":                  {x, nil, "", quick.ErrNoTerminal},
		"no display":            {nil, []string{"xterm"}, "", quick.ErrNoDisplay},
	} {
		argv, err := machine(c.env, c.programs...).Find("title", []string{"/usr/bin/blunux-ai"})
		require.ErrorIs(t, err, c.err, name)
		if c.err == nil {
			require.Equal(t, c.want, argv[0], name)
			require.Equal(t, "/usr/bin/blunux-ai", argv[len(argv)-1], name)
		}
	}
}

func TestTheWindowIsSmallAndTheCommandIsAListOfArguments(t *testing.T) {
	command := []string{"/usr/bin/blunux-ai", "chat", "--plain", "--", "$(x); 'y'"}
	for program, want := range map[string][]string{
		"xterm":    {"/usr/bin/xterm", "-geometry", "80x20", "-class", "org.blunux.ai.quick", "-T", "창", "-e"},
		"konsole":  {"/usr/bin/konsole", "--hide-menubar", "--hide-tabbar", "-p", "TerminalColumns=80", "-p", "TerminalRows=20", "-p", "tabtitle=창", "-e"},
		"foot":     {"/usr/bin/foot", "--window-size-chars=80x20", "--app-id=org.blunux.ai.quick", "--title=창"},
		"kgx":      {"/usr/bin/kgx", "--title=창", "--"},
		"strange":  {"/usr/bin/strange", "-e"},
		"wezterm":  {"/usr/bin/wezterm", "--config", "initial_cols=80", "--config", "initial_rows=20", "start", "--class", "org.blunux.ai.quick", "--"},
		"xdg-term": {"/usr/bin/xdg-term", "-e"},
	} {
		env := map[string]string{"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0", "TERMINAL": program}
		argv, err := machine(env, program).Find("창", command)
		require.NoError(t, err)
		require.Equal(t, slices.Concat(want, command), argv)
	}
}

func TestAPageIsShownByTheChat(t *testing.T) {
	require.Equal(t, []string{"chat", "--plain"}, quick.Page{}.Args())
	require.Equal(t, []string{"chat", "--plain", "--", "-x"}, quick.Page{Words: "-x"}.Args())
	require.Equal(t, []string{"chat", "--plain", "--approvals"}, quick.Page{Approvals: true}.Args())
	require.Equal(t, []string{"chat", "--plain", "--approvals=K7QX"}, quick.Page{Approvals: true, Code: "K7QX"}.Args())
}
