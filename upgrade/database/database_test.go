package database_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/upgrade/database"
)

// FuzzRead: no bytes of a server end the program, or become a package without a name.
func FuzzRead(f *testing.F) {
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	packed := tar.NewWriter(zipped)
	desc := "%NAME%\na\n\n%VERSION%\n1-1\n\n%CSIZE%\n5\n\n%BACKUP%\netc/a\tx\n"
	_ = packed.WriteHeader(&tar.Header{Name: "a-1-1/desc", Size: int64(len(desc)), Mode: 0o644})
	_, _ = packed.Write([]byte(desc))
	_ = packed.Close()
	_ = zipped.Close()
	f.Add(out.Bytes())
	f.Add(out.Bytes()[:out.Len()/2])
	f.Add([]byte("<!DOCTYPE html>"))
	f.Add([]byte("\x28\xb5\x2f\xfd"))
	f.Fuzz(func(t *testing.T, data []byte) {
		unpacked, err := database.Unpack(bytes.NewReader(data), nil)
		if err != nil {
			return
		}
		_ = database.Read(unpacked, func(string, string) bool { return true }, func(p *database.Package) {
			require.NotEmpty(t, p.Name)
			require.NotEmpty(t, p.Version)
		})
	})
}

// FuzzNeeded: no file is a library that ends the program.
func FuzzNeeded(f *testing.F) {
	f.Add([]byte("\x7fELF\x02\x01\x01"))
	if program, err := os.ReadFile("/bin/true"); err == nil {
		f.Add(program)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "x")
		require.NoError(t, os.WriteFile(file, data, 0o600))
		database.Needed(file)
	})
}

func TestNeededLibraries(t *testing.T) {
	t.Parallel()
	require.Contains(t, strings.Join(database.Needed("/bin/ls"), " "), "libc.so")
	require.Empty(t, database.Needed("/etc/passwd"))
	require.Empty(t, database.Needed("/does/not/exist"))
}
