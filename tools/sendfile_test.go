package tools_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// messenger is a [action.FileSender] for the channel telegram.
type messenger struct {
	sent map[string]string
	full bool
}

func (m *messenger) CanReach(from tools.Origin) bool { return from.Channel == "telegram" }

func (m *messenger) Send(_ context.Context, file io.Reader, name string, size int64, _ tools.Origin) error {
	if m.full {
		return errors.New("no space left on device")
	}
	data, err := io.ReadAll(file)
	if err == nil && int64(len(data)) != size {
		err = errors.New("another size")
	}
	m.sent[name] = string(data)
	return err
}

func newSendGate(t *testing.T) (*testGate, *messenger) {
	m := &messenger{sent: map[string]string{}}
	d := newTestGate(t, func(o *tools.Options) { o.Services.FileSender = m })
	return d, m
}

// send takes a send_file call from telegram through the gate.
func (d *testGate) send(path string, approver tools.Approver, before func()) tools.Outcome {
	d.t.Helper()
	j, refused := d.Prepare(newCall(d.t, "send_file", in{"path": path}), "s", d.dir)
	if refused != nil {
		return *refused
	}
	j.Origin.Channel = "telegram"
	before()
	return d.Run(d.t.Context(), j, approver, d.observe)
}

func TestAFileIsSentAfterAYesToItsPathAndSize(t *testing.T) {
	d, m := newSendGate(t)
	file := filepath.Join(d.dir, "report.txt")
	require.NoError(t, os.WriteFile(file, []byte("all is well\n"), 0o600))
	require.NoError(t, os.Symlink(file, filepath.Join(d.dir, "link")))
	yes := allowing()
	out := d.send("link", yes, func() {})
	require.Empty(t, out.Output.Refusal, out.Text)
	require.Equal(t, map[string]string{"report.txt": "all is well\n"}, m.sent)
	asked := yes.shown[0]
	require.Equal(t, safety.Confirm, asked.Class)
	require.Equal(t, []string{action.ReasonSendFile}, asked.Reasons)
	require.Equal(t, "blunux-ai send-file --bytes 12 -- "+file, asked.Command())
	require.False(t, asked.IsGrantable(), "each time")
	require.Equal(t, []string{"CONFIRMED   blunux-ai send-file --bytes 12 -- " + file}, d.logged())

	m.full = true
	out = d.send("report.txt", allowing(), func() {})
	require.Contains(t, out.Output.Steps[0].Stdout, "not sent: no space left")
	require.Equal(t, 1, out.Output.Steps[0].Exit)
}

func TestThreat18AFileThatHoldsKeysIsNeverSent(t *testing.T) {
	d, m := newSendGate(t)
	secret := filepath.Join(d.dir, ".ssh")
	require.NoError(t, os.Mkdir(secret, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(secret, "id_ed25519"), []byte("key"), 0o600))
	require.NoError(t, os.Symlink(filepath.Join(secret, "id_ed25519"), filepath.Join(d.dir, "harmless.txt")))
	for _, path := range []string{".ssh/id_ed25519", "harmless.txt", "/etc/shadow", "/proc/self/environ", "/proc/version", "/sys/kernel/uevent_seqnum"} {
		out := d.send(path, allowing(), func() {})
		require.NotEmpty(t, out.Output.Refusal, path)
	}
	j, refused := d.Prepare(newCall(t, "send_file", in{"path": ".ssh/id_ed25519"}), "s", d.dir)
	require.Nil(t, refused)
	require.Equal(t, safety.Blocked, j.Class)
	require.Empty(t, m.sent)
}

func TestOnlyTheFileThatWasShownIsSent(t *testing.T) {
	d, m := newSendGate(t)
	file, other := filepath.Join(d.dir, "a.log"), filepath.Join(d.dir, "b.log")
	write := func(path, text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	for name, change := range map[string]func(){
		"grown":    func() { write(file, "more than before") },
		"replaced": func() { write(other, "short"); require.NoError(t, os.Rename(other, file)) },
		"a link":   func() { require.NoError(t, os.Remove(file)); require.NoError(t, os.Symlink("/etc/hostname", file)) },
		"gone":     func() { require.NoError(t, os.Remove(file)) },
	} {
		_ = os.Remove(file)
		write(file, "small")
		out := d.send(file, allowing(), change)
		require.Equal(t, tools.RefusedMismatch, out.Output.Refusal, name)
	}
	require.Empty(t, m.sent)
	_ = os.Remove(file)
	require.NoError(t, unix.Mkfifo(filepath.Join(d.dir, "pipe"), 0o600))
	write(filepath.Join(d.dir, "empty"), "")
	require.NoError(t, os.WriteFile(filepath.Join(d.dir, "huge"), bytes.Repeat([]byte("x"), action.MaxFileSize+1), 0o600))
	for _, path := range []string{"pipe", "empty", "huge", "nowhere", ".", ""} {
		require.Equal(t, tools.RefusedInput, d.send(path, allowing(), func() {}).Output.Refusal, path)
	}
}

func TestFilesAreSentOnlyToWhoWritesFromAMessenger(t *testing.T) {
	d, m := newSendGate(t)
	require.NoError(t, os.WriteFile(filepath.Join(d.dir, "a"), []byte("x"), 0o600))
	yes := allowing()
	out := d.call("send_file", in{"path": "a"}, yes) // no channel
	require.Equal(t, tools.RefusedUnavailable, out.Output.Refusal)
	require.Empty(t, yes.shown, "nobody is asked for what cannot be done")
	require.Empty(t, m.sent)
	for _, def := range d.Definitions() {
		require.NotEqual(t, "send_file", def.Name)
	}
	require.Len(t, d.SendTools(), 1)
	require.Empty(t, newTestGate(t).SendTools())
}
