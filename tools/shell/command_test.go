package shell_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools/shell"
)

func TestACommandIsShownAsAPersonWouldTypeIt(t *testing.T) {
	for want, argv := range map[string][]string{
		"ps aux --sort=-%mem":                 {"ps", "aux", "--sort=-%mem"},
		"systemd-analyze time":                {"systemd-analyze", "time"},
		"yay -S --noconfirm -- htop":          {"yay", "-S", "--noconfirm", "--", "htop"},
		"journalctl --since '1 hour ago'":     {"journalctl", "--since", "1 hour ago"},
		"'a=b' c":                             {"a=b", "c"},
		"echo '' '~' '*' 'a;b' '$x' \"it's\"": {"echo", "", "~", "*", "a;b", "$x", "it's"},
		"pgrep 크롬":                            {"pgrep", "크롬"},
	} {
		require.Equal(t, want, shell.Command{Argv: argv}.String())
	}
	require.Equal(t, "df  -h", shell.Command{Shell: "df  -h"}.String())
	require.Equal(t, `echo $'a\x00b'`, shell.Command{Argv: []string{"echo", "a\x00b"}}.String(), "never run, but never two lines either")
}
