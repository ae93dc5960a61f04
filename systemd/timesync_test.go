package systemd

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"
	"github.com/stretchr/testify/require"
)

// timedated is a fake systemd-timedated on a bus.
func timedated(t *testing.T, address string, able, on, synced bool) {
	t.Helper()
	conn, err := dialBus(t.Context(), []string{address})
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	const name, path = "org.freedesktop.timedate1", dbus.ObjectPath("/org/freedesktop/timedate1")
	_, err = prop.Export(conn, path, prop.Map{name: {
		"CanNTP": {Value: able, Emit: prop.EmitFalse}, "NTP": {Value: on, Emit: prop.EmitFalse}, "NTPSynchronized": {Value: synced, Emit: prop.EmitFalse},
	}})
	require.NoError(t, err)
	reply, err := conn.RequestName(name, dbus.NameFlagDoNotQueue)
	require.NoError(t, err)
	require.Equal(t, dbus.RequestNameReplyPrimaryOwner, reply)
}

func TestWhetherTheClockIsKeptRightIsAsked(t *testing.T) {
	for _, want := range []TimeSync{{}, {Available: true}, {Available: true, Enabled: true}, {Available: true, Enabled: true, Synced: true}} {
		address := privateBus(t)
		timedated(t, address, want.Available, want.Enabled, want.Synced)
		got, err := Clock{Address: address}.Synchronised(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestWithoutTimedatedItIsSaidThatNobodyKnows(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, address := range []string{"unix:path=" + filepath.Join(t.TempDir(), "none"), privateBus(t)} {
		_, err := Clock{Address: address}.Synchronised(ctx)
		require.ErrorContains(t, err, "cannot determine whether the clock is synchronised")
	}
}

// privateBus starts a separate bus and returns its address.
func privateBus(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	startBus(t, dir)
	return "unix:path=" + filepath.Join(dir, "bus")
}
