package ollama

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnotherPersonsServerIsNotFoundByItself(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "proc/net"), 0o755))
	table := "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n" +
		"   0: 0100007F:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 21 1 0 100 0 0 10 0\n" +
		"   1: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000   969        0 22 1 0 100 0 0 10 0\n" +
		"   2: 0100007F:2CAB 0100007F:2CAA 01 00000000:00000000 00:00000000 00000000  1002        0 23 1 0 100 0 0 10 0\n"
	require.NoError(t, os.WriteFile(filepath.Join(root, "proc/net/tcp"), []byte(table), 0o600))
	for name, c := range map[string]struct {
		server string
		uid    int
		want   bool
	}{
		"mine":                {"http://127.0.0.1:11434", 1001, true},
		"somebody else's":     {"http://127.0.0.1:11434", 1000, false},
		"by another name":     {"http://localhost:11434/v1", 1000, false},
		"a service's":         {"http://127.0.0.1:8080", 1000, true},
		"nobody's":            {"http://127.0.0.1:11435", 1000, true},
		"in the neighborhood": {"http://192.168.0.2:11434", 1000, true},
		"no port":             {"http://127.0.0.1", 1000, false},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, IsTrusted(root, c.server, c.uid)) })
	}
	require.False(t, IsTrusted(t.TempDir(), "http://127.0.0.1:11434", 1001), "nobody's owner can be read")
}
