package machine

import (
	"path/filepath"
	"strings"
)

// DownloadDir returns the directory for downloads in the text of user-dirs.dirs (xdg-user-dir(1)), or "" if it has
// none. A directory that is the home itself means that there is none.
func DownloadDir(text, home string) string {
	for line := range strings.Lines(text) {
		value, ok := strings.CutPrefix(strings.TrimSpace(line), "XDG_DOWNLOAD_DIR=")
		if !ok {
			continue
		}
		value = strings.Trim(value, `"`)
		if below, ok := strings.CutPrefix(value, "$HOME"); ok {
			value = home + below
		}
		if value = filepath.Clean(value); filepath.IsAbs(value) && value != filepath.Clean(home) {
			return value
		}
	}
	return ""
}
