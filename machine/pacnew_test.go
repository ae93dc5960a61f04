package machine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDirectoriesOfBackupFiles(t *testing.T) {
	const sum = "\td41d8cd98f00b204e9800998ecf8427e\n"
	require.Equal(t, []string{"/boot/loader", "/usr/lib/demo"}, ParseBackupDirs([]byte(
		"usr/lib/demo/a.conf"+sum+"boot/loader/loader.conf"+sum+"usr/lib/demo/b.conf"+sum+
			"top.conf"+sum+"usr/lib/\x1b[2K/c.conf"+sum+"grep: /var/lib/pacman/local/x/files: Permission denied\n",
	)))
	require.Empty(t, ParseBackupDirs(nil))
}
