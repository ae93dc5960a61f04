package systemd

import (
	"context"
	"errors"
	"path"
	"strconv"
	"strings"

	"github.com/godbus/dbus/v5"
)

// managerSignals subscribes to a manager's signals and returns the matching ones until stop is called or the
// connection ends.
func managerSignals(ctx context.Context, conn *dbus.Conn, match ...dbus.MatchOption) (signals <-chan *dbus.Signal, stop func(), err error) {
	match = append([]dbus.MatchOption{dbus.WithMatchSender(managerService)}, match...)
	heard := make(chan *dbus.Signal, 64)
	conn.Signal(heard)
	stop = func() {
		conn.RemoveSignal(heard)
		_ = conn.RemoveMatchSignalContext(ctx, match...)
	}
	if err = conn.AddMatchSignalContext(ctx, match...); err == nil {
		err = conn.Object(managerService, managerPath).CallWithContext(ctx, managerCalls+"Subscribe", 0).Err
	}
	var said dbus.Error
	if errors.As(err, &said) && said.Name == managerService+".AlreadySubscribed" {
		err = nil
	}
	if err != nil {
		stop()
		return nil, nil, err
	}
	return heard, stop, nil
}

// unitName returns the unit of an object path. Characters that are invalid in paths are encoded as _ and two
// hexadecimal digits, bus_label_escape() in systemd's bus-label.c.
func unitName(object dbus.ObjectPath) string {
	label := path.Base(string(object))
	if label == "_" {
		return ""
	}
	var b strings.Builder
	for i := 0; i < len(label); i++ {
		if label[i] == '_' && i+2 < len(label) {
			if c, err := strconv.ParseUint(label[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(label[i])
	}
	return b.String()
}
