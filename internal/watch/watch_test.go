package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scene is a directory in another one, with its watcher.
type scene struct {
	*Watcher
	t         *testing.T
	root, dir string
	probes    int
	seen      sync.Map // the probe files that the watcher has reported
}

func watching(t *testing.T, d Dir, exists bool) *scene {
	s := &scene{t: t, root: t.TempDir()}
	s.dir = filepath.Join(s.root, "a", "b", "c")
	if exists {
		require.NoError(t, os.MkdirAll(s.dir, 0o700))
	}
	matters := d.Match
	d.Path, d.Match = s.dir, func(name string) bool {
		if strings.HasPrefix(name, "probe") {
			s.seen.Store(name, true)
			return false
		}
		return matters == nil || matters(name)
	}
	w, err := New(func(err error) { t.Error(err) }, d)
	require.NoError(t, err)
	t.Cleanup(w.Close)
	s.Watcher = w
	return s
}

// expectChange makes a change and waits for its report.
func (s *scene) expectChange(what string, do func() error) {
	s.t.Helper()
	require.NoError(s.t, do())
	select {
	case <-s.Changes():
	case <-time.After(time.Minute):
		s.t.Fatal("not told: ", what)
	}
}

// expectNoChange makes a change that must not be reported.
func (s *scene) expectNoChange(what string, do func() error) {
	s.t.Helper()
	s.settle()
	require.NoError(s.t, do())
	s.catchUp()
	select {
	case <-s.Changes():
		s.t.Fatal("told: ", what)
	default:
	}
}

// settle drops the reports of earlier changes.
func (s *scene) settle() {
	s.t.Helper()
	s.catchUp()
	select {
	case <-s.Changes():
	default:
	}
}

// catchUp returns when every change so far was reported, including those of irrelevant files: it makes two further
// changes, and when the second one is reported, the first one has been handled.
func (s *scene) catchUp() {
	s.t.Helper()
	for range 2 {
		s.probes++
		name := fmt.Sprint("probe", s.probes)
		require.Eventually(s.t, func() bool {
			require.NoError(s.t, s.write(name)())
			_, ok := s.seen.Load(name)
			return ok
		}, time.Minute, time.Millisecond)
	}
}

func (s *scene) write(name string) func() error {
	return func() error { return os.WriteFile(filepath.Join(s.dir, name), []byte("x"), 0o600) }
}

func TestEveryWayToChangeAFileIsTold(t *testing.T) {
	s := watching(t, Dir{}, true)
	at := func(name string) string { return filepath.Join(s.dir, name) }
	s.expectChange("a new file", s.write("f"))
	s.expectChange("written", s.write("f"))
	s.expectChange("its mode", func() error { return os.Chmod(at("f"), 0o644) })
	s.expectChange("replaced", func() error { return os.Rename(at("f"), at("g")) })
	s.expectChange("removed", func() error { return os.Remove(at("g")) })
	require.NoError(t, os.WriteFile(filepath.Join(s.root, "new"), nil, 0o600))
	s.expectChange("put in its place", func() error { return os.Rename(filepath.Join(s.root, "new"), at("f")) })
}

func TestOnlyTheNamesThatMatterAreTold(t *testing.T) {
	s := watching(t, Dir{Match: func(name string) bool { return name == "config.toml" }}, true)
	s.expectNoChange("another file", s.write("config.toml~"))
	s.expectNoChange("beside the way", func() error { return os.WriteFile(filepath.Join(s.root, "a", "x"), nil, 0o600) })
	s.expectChange("the file", s.write("config.toml"))
}

func TestADirectoryThatComesGoesAndIsReplacedIsFollowed(t *testing.T) {
	s := watching(t, Dir{}, false)
	s.expectChange("made with all before it", func() error { return os.MkdirAll(s.dir, 0o700) })
	s.settle()
	s.expectChange("a file in it", s.write("f"))
	for range 5 {
		s.expectChange("removed with all before it", func() error { return os.RemoveAll(filepath.Join(s.root, "a")) })
		s.expectChange("made again", func() error { return os.MkdirAll(s.dir, 0o700) })
		s.settle()
		s.expectChange("a file in the new one", s.write("f"))
	}
	old := filepath.Join(s.root, "old")
	s.expectChange("one before it moved away", func() error { return os.Rename(filepath.Join(s.root, "a"), old) })
	s.expectChange("another in its place", func() error { return os.MkdirAll(s.dir, 0o700) })
	s.settle()
	s.expectNoChange("a file in the old one", func() error { return os.WriteFile(filepath.Join(old, "b", "c", "f"), nil, 0o600) })
	s.expectChange("a file in the new one", s.write("f"))
}

func TestALinkOnTheWayThatIsTurnedIsNoticed(t *testing.T) {
	s := watching(t, Dir{}, false)
	for _, to := range []string{"one", "two"} {
		require.NoError(t, os.MkdirAll(filepath.Join(s.root, to, "b", "c"), 0o700))
	}
	turn := func(to string) func() error {
		return func() error {
			if err := os.Symlink(to, filepath.Join(s.root, "link")); err != nil {
				return err
			}
			return os.Rename(filepath.Join(s.root, "link"), filepath.Join(s.root, "a"))
		}
	}
	s.expectChange("the link", turn("one"))
	s.settle()
	s.expectChange("a file behind it", s.write("f"))
	s.settle()
	s.expectChange("turned", turn("two"))
	s.settle()
	s.expectChange("a file behind the new one", s.write("f"))
}

func TestAppendsAreToldWhereAskedFor(t *testing.T) {
	for appends, want := range map[bool]string{true: "told", false: "quiet"} {
		s := watching(t, Dir{Appends: appends}, true)
		f, err := os.Create(filepath.Join(s.dir, "log"))
		require.NoError(t, err)
		s.settle()
		line := func() error { _, err := f.WriteString("line\n"); return err }
		if want == "told" {
			s.expectChange("a line", line)
		} else {
			s.expectNoChange("a line", line)
		}
		require.NoError(t, f.Close())
	}
}

func TestManyWatchesCloseAndLeaveNothing(t *testing.T) {
	for range 50 {
		s := watching(t, Dir{}, true)
		require.NoError(t, os.RemoveAll(filepath.Join(s.root, "a")))
		s.Close()
		s.Close()
	}
}
