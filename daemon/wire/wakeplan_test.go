package wire

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/stretchr/testify/require"
)

// alarm is a fake of the service manager's timer.
type alarm struct {
	mu    sync.Mutex
	at    []time.Time
	files []string
	calls int
}

func (w *alarm) wake(_ context.Context, at []time.Time, files []string) (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at, w.files, w.calls = nil, files, w.calls+1
	for _, t := range at {
		w.at = append(w.at, t.UTC())
	}
	return true, nil
}

const nightly = "[[automation]]\nname = \"night\"\nschedule = \"03:00\"\naction = \"do echo hello\"\nnotify = [\"cli\"]\n" +
	"[[automation]]\nname = \"file\"\non = [\"file:/etc/pacman.conf\"]\naction = \"do echo hello\"\nnotify = [\"cli\"]\n"

// Several daemons cannot read the configuration, and fixing the file starts the daemon.
func TestD1ABrokenConfigurationKeepsTheTimetable(t *testing.T) {
	home, w, broken := t.TempDir(), &alarm{}, error(nil)
	start := func() *house {
		h := withRules(t, doer, nil, nightly, func(o *Options) {
			build := o.Build
			o.Build = func(own OwnTools) (*settings.Runtime, error) {
				if broken != nil {
					return nil, broken
				}
				rt, err := build(own)
				if rt != nil {
					rt.Config.Files = []string{filepath.Join(o.Home, "config.toml")}
				}
				return rt, err
			}
			o.Home, o.Machine.Wake = home, w.wake
		})
		return h
	}
	h := start()
	h.Shutdown()
	good := w.at
	require.NotEmpty(t, good)
	require.Equal(t, []string{"/etc/pacman.conf"}, w.files)

	broken = &config.Error{File: filepath.Join(home, "config.toml"), Line: 3, Col: 1, Problem: "unknown key nonsense"}
	for range 2 {
		h = start()
		h.Shutdown()
		require.Equal(t, good, w.at[:len(good)])
		require.Equal(t, []string{"/etc/pacman.conf", filepath.Join(home, "config.toml")}, w.files)
	}
	broken = nil
	h = start()
	h.Shutdown()
	require.Equal(t, good, w.at)
	require.Equal(t, []string{"/etc/pacman.conf"}, w.files)
}

// No daemon of this version has read a configuration yet, or a newer one has.
func TestD1AnUnknownTimetableIsLeftAsItIs(t *testing.T) {
	for name, text := range map[string]string{"none": "", "damaged": "{", "newer": `{"v":99,"due":[]}`} {
		t.Run(name, func(t *testing.T) {
			w := &alarm{}
			h := withRules(t, doer, nil, nightly, func(o *Options) {
				o.Build = func(own OwnTools) (*settings.Runtime, error) { return nil, errors.New("broken") }
				o.Machine.Wake = w.wake
			})
			if text != "" {
				file := filepath.Join(config.Paths{Home: h.home}.AutomationState(), "timetable.json")
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
				require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			}
			h.Shutdown()
			require.Zero(t, w.calls)
		})
	}
}

// The lists report the error instead of being empty.
func TestD1ListsSayWhatIsWrongWithTheConfiguration(t *testing.T) {
	h := withRules(t, doer, nil, nightly, func(o *Options) {
		o.Build = func(own OwnTools) (*settings.Runtime, error) {
			return nil, &config.Error{File: "/h/config.toml", Line: 3, Col: 1, Problem: "unknown key nonsense"}
		}
	})
	p := h.hello()
	var list ipc.AutomationList
	require.NoError(t, p.query(ipc.Query{What: "automations"}).Decode(&list))
	require.Len(t, list.Automations, 2)
	require.NotNil(t, list.Automations[0].Next)
	require.Equal(t, 3, list.Problems[0].Line)
	require.Contains(t, list.Problems[0].Text, "nonsense")
	for _, what := range []ipc.Query{{What: "sessions"}, {What: "search", Text: "x"}, {What: "session", Session: "x"}} {
		answer := p.query(what)
		require.NotNil(t, answer.Error, what.What)
		require.Equal(t, ipc.CodeNotConfigured, answer.Error.Code)
		require.Contains(t, answer.Error.Message, "nonsense")
	}
	h.rules.Run()
	runs, err := h.rules.History(ipc.Query{}, i18n.English)
	require.NoError(t, err)
	require.Empty(t, runs, "nothing begins")
}
