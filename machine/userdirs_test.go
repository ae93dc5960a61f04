package machine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/machine"
)

func TestTheDownloadsDirectoryIsThatOfTheDesktop(t *testing.T) {
	for text, want := range map[string]string{
		"# made by xdg-user-dirs-update\nXDG_DESKTOP_DIR=\"$HOME/바탕화면\"\nXDG_DOWNLOAD_DIR=\"$HOME/다운로드\"\n": "/home/blu/다운로드",
		"XDG_DOWNLOAD_DIR=\"/data/in/\"":      "/data/in",
		"XDG_DOWNLOAD_DIR=\"$HOME/\"":         "",
		"XDG_DOWNLOAD_DIR=\"relative\"":       "",
		"#XDG_DOWNLOAD_DIR=\"$HOME/Other\"\n": "",
		"":                                    "",
	} {
		require.Equal(t, want, machine.DownloadDir(text, "/home/blu"), text)
	}
}
