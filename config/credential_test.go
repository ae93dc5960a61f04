package config_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/config"
)

// vault contains the three places of a key.
type vault struct {
	t   *testing.T
	c   config.Credentials
	env map[string]string
}

func newVault(t *testing.T) *vault {
	t.Helper()
	v := &vault{t: t, env: map[string]string{}}
	v.c = config.Credentials{Dir: t.TempDir(), SystemDir: t.TempDir(), Getenv: func(n string) string { return v.env[n] }}
	return v
}

func (v *vault) put(dir, text string, mode os.FileMode) string {
	v.t.Helper()
	file := filepath.Join(dir, "claude")
	require.NoError(v.t, os.WriteFile(file, []byte(text), mode))
	require.NoError(v.t, os.Chmod(file, mode))
	return file
}

func (v *vault) key() (string, error) {
	return v.c.Key("claude", "ANTHROPIC_API_KEY", "CLAUDE_API_KEY")
}

// refused returns the error for the key, and checks that its message ends with the command.
func (v *vault) refused() *config.CredentialError {
	v.t.Helper()
	key, err := v.key()
	var e *config.CredentialError
	require.ErrorAs(v.t, err, &e)
	require.Empty(v.t, key)
	require.Contains(v.t, err.Error(), "; run: "+e.Fix)
	return e
}

func TestAKeyIsTakenFromTheFirstPlaceThatHasOne(t *testing.T) {
	v := newVault(t)
	_, err := v.key()
	require.ErrorIs(t, err, config.ErrNoCredential)

	want := func(want string) {
		t.Helper()
		key, err := v.key()
		require.NoError(t, err)
		require.Equal(t, want, key)
	}
	v.put(v.c.Dir, " from-file\n", 0o600)
	want("from-file")
	v.env["CLAUDE_API_KEY"] = "second"
	want("second")
	v.env["ANTHROPIC_API_KEY"] = " first\n"
	want("first")
	v.put(v.c.SystemDir, "from-systemd\n", 0o440)
	want("from-systemd")
	v.c.SystemDir = ""
	want("first")
}

func TestThreat16AKeyOthersCanReadIsRefusedAndTheCureWorks(t *testing.T) {
	for _, mode := range []os.FileMode{0o644, 0o660, 0o604, 0o610, 0o777} {
		v := newVault(t)
		v.put(v.c.Dir, "key", mode)
		e := v.refused()
		require.Contains(t, e.Problem, "other users can read it")
		run(t, e.Fix)
		key, err := v.key()
		require.NoError(t, err)
		require.Equal(t, "key", key)
	}
}

func TestACureCanBePastedWhateverTheDirectoryIsCalled(t *testing.T) {
	v := newVault(t)
	v.c.Dir = filepath.Join(v.c.Dir, "it's my $(touch x) 폴더; rm -rf x")
	require.NoError(t, os.Mkdir(v.c.Dir, 0o700))
	v.put(v.c.Dir, "key", 0o644)
	run(t, v.refused().Fix)
	key, err := v.key()
	require.NoError(t, err)
	require.Equal(t, "key", key)
}

// run runs a suggested command in a shell.
func run(t *testing.T, command string) {
	t.Helper()
	p, err := os.StartProcess("/bin/sh", []string{"sh", "-c", command}, &os.ProcAttr{Env: os.Environ()})
	require.NoError(t, err)
	state, err := p.Wait()
	require.NoError(t, err)
	require.True(t, state.Success(), "%s: %s", command, state)
}

func TestThreat16AKeyOfAnotherUserIsRefusedWithItsCure(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a file away")
	}
	v := newVault(t)
	file := v.put(v.c.Dir, "key", 0o600)
	require.NoError(t, os.Chown(file, 12345, -1))
	e := v.refused()
	require.Contains(t, e.Problem, "belongs to uid 12345")
	require.Equal(t, "sudo chown $(id -u) "+file, e.Fix)
}

func TestThreat15ALinkInPlaceOfAKeyIsRefusedAndItsTargetUnread(t *testing.T) {
	v := newVault(t)
	target := filepath.Join(t.TempDir(), "target")
	require.NoError(t, os.WriteFile(target, []byte("secret"), 0o600))
	link := filepath.Join(v.c.Dir, "claude")
	require.NoError(t, os.Symlink(target, link))
	e := v.refused()
	require.Equal(t, "this is a symbolic link", e.Problem)
	require.NotContains(t, e.Error(), "secret")
	run(t, e.Fix)
	require.NoFileExists(t, link)
	require.FileExists(t, target, "the cure removes the link, not what it points to")
}

func TestThreat15APipeInPlaceOfAKeyDoesNotHang(t *testing.T) {
	for _, system := range []bool{false, true} {
		v := newVault(t)
		dir := v.c.Dir
		if system {
			dir = v.c.SystemDir
		}
		require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "claude"), 0o600))
		e := v.refused()
		require.Equal(t, "this is not a regular file", e.Problem)
		run(t, e.Fix)
		_, err := v.key()
		require.ErrorIs(t, err, config.ErrNoCredential)
	}
}

func TestADirectoryInPlaceOfAKeyIsRefused(t *testing.T) {
	v := newVault(t)
	require.NoError(t, os.Mkdir(filepath.Join(v.c.Dir, "claude"), 0o700))
	e := v.refused()
	require.Equal(t, "this is not a regular file", e.Problem)
	run(t, e.Fix)
}

func TestAFileWithoutExactlyOneKeyIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"empty":       "",
		"blank":       " \n\n",
		"two lines":   "key-1\nkey-2\n",
		"tab inside":  "key\tkey",
		"NUL inside":  "key\x00key",
		"escape code": "\x1b[0mkey",
	} {
		t.Run(name, func(t *testing.T) {
			v := newVault(t)
			v.put(v.c.Dir, text, 0o600)
			e := v.refused()
			require.Equal(t, "it must contain one key on one line", e.Problem)
			require.NotContains(t, e.Error(), "key-1", "a key is never shown")

			v = newVault(t)
			v.put(v.c.Dir, "good", 0o600)
			v.put(v.c.SystemDir, text, 0o400)
			v.refused() // a broken key is an error; the next place is not tried
		})
	}
}
