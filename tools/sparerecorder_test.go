package tools_test

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/commandlog"
)

// spare is a [steps.FallbackRecorder] for tests.
type spare struct {
	rows []string
	err  error
}

func (s *spare) Begin(e commandlog.Entry) error {
	s.rows = append(s.rows, string(e.Class)+" "+e.Command)
	return s.err
}

func (s *spare) End(e commandlog.Entry, r commandlog.Result) error {
	s.rows = append(s.rows, fmt.Sprintf("ended %s %d", e.Command, r.Exit))
	return nil
}

// TestD4ReadingCommandsRunWhileTheDiskTakesNoRecords with a spare recorder, and changing ones do not.
func TestD4ReadingCommandsRunWhileTheDiskTakesNoRecords(t *testing.T) {
	gone := errors.New("no socket")
	for name, c := range map[string]struct {
		log, spare error
		reads      bool
	}{
		"full":             {syscall.ENOSPC, nil, true},
		"over quota":       {syscall.EDQUOT, nil, true},
		"read-only":        {syscall.EROFS, nil, true},
		"failing":          {syscall.EIO, nil, true},
		"not ours":         {fs.ErrPermission, nil, true},
		"no journal":       {syscall.ENOSPC, gone, false},
		"tampered with":    {errors.New("commands.log: is a link"), nil, false},
		"link in the path": {syscall.ELOOP, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := &spare{err: c.spare}
			d := newTestGate(t, func(o *tools.Options) {
				o.Records.Recorder = recorderFunc(func(commandlog.Class, string) error { return fmt.Errorf("cannot write the command log: %w", c.log) })
				o.Records.Fallback = s
			})
			out := d.call("run_command", command("uname -s"), nil)
			if c.reads {
				require.Contains(t, out.Text, "Linux")
				require.Equal(t, []string{"SAFE uname -s", "ended uname -s 0"}, s.rows)
			} else {
				require.Equal(t, tools.RefusedLog, out.Output.Refusal)
				require.NotContains(t, out.Text, "Linux")
			}
			text, file := d.touch()
			out = d.call("run_command", command(text), allowing())
			require.Equal(t, tools.RefusedLog, out.Output.Refusal)
			require.NoFileExists(t, file)
		})
	}
}
