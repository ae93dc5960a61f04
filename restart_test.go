package layout

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	// powerCommand matches a command that restarts the machine or switches it off.
	powerCommand = regexp.MustCompile(`\b(?:systemctl|loginctl)\s+(?:-\S+\s+)*(?:reboot|poweroff|halt|kexec|soft-reboot)\b|\bshutdown\s+(?:-[a-zA-Z]+|now|\+\d)|\binit\s+[06]\b|\bsudo\s+(?:reboot|poweroff|halt|shutdown)\b|["` + "`" + `](?:reboot|poweroff)["` + "`" + `]\s*\)`)
	// restartAdvice matches advice to restart.
	restartAdvice = regexp.MustCompile(`(?i)\breboot (?:after|now|afterwards|the (?:machine|computer))\b|\brestart (?:the|your) (?:machine|computer)\b|재부팅(?:을\s*)?(?:하세요|해\s*주세요|해야 해요|하십시오)|다시 시작\(재부팅\)|请(?:重启|重新启动)(?:电脑|系统|机器|这台|后|。|"|”)|安装后需(?:要)?重启`)
	// bootLook matches the request for the check of the next boot.
	bootLook = regexp.MustCompile(`can I reboot\?|helper\.ready\.|HelperReady|helper\.updates\.ask_reboot|HelperUpdatesAskReboot`)
)

// seesTheBootFirst lists the files that may name such a command: ready.go offers it after the check of the next
// boot, action.go reports one that the user confirmed, reboot.go and desktop.go recognise one and offer none, and session.go offers one
// only if the diagnosis of the boot proves no fault.
var seesTheBootFirst = map[string]bool{
	"providers/offline/report/ready.go":  true,
	"providers/offline/report/action.go": true,
	"agent/plan/reboot.go":               true,
	"agent/plan/desktop.go":              true,
	"desktop/session.go":                 true,
}

// TestH2NothingOffersARestartUnseen searches all programs, documents and texts: none advises a restart or a
// power-off without a check that the machine will boot again.
func TestH2NothingOffersARestartUnseen(t *testing.T) {
	skipped := map[string]bool{".git": true, "testdata": true, "safety": true, "phrases": true, "data": true, "dist": true, "testenv": true, "intent": true}
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && skipped[d.Name()] {
			return fs.SkipDir
		}
		ext := filepath.Ext(path)
		if d.IsDir() || ext == "" || strings.HasSuffix(path, "_test.go") || !strings.Contains(".go .md .tsv .json .toml .sh .install .service .hook", ext) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		unit := "\n"
		if ext == ".toml" {
			unit = "\n\n" // a row of the catalogue: its key says who asks
		}
		for i, line := range strings.Split(string(text), unit) {
			named := powerCommand.MatchString(line) && !seesTheBootFirst[filepath.ToSlash(path)]
			if named || restartAdvice.MatchString(line) && !bootLook.MatchString(line) {
				t.Errorf("%s:%d: %s", path, i+1, strings.TrimSpace(line))
			}
		}
		return nil
	}))
	for _, bad := range []string{`Fix: "systemctl reboot"`, "run `shutdown -r now`", "sudo reboot", "systemctl -i poweroff"} {
		require.True(t, powerCommand.MatchString(bad), bad)
	}
	require.True(t, restartAdvice.MatchString("업데이트한 뒤 재부팅하세요."))
}
