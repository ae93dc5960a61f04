package systemd

import (
	"context"
	"errors"
	"os"
	"strconv"
	"time"

	"github.com/godbus/dbus/v5"
)

// How long it is until a bus that went away, or is not there, is tried again.
// Each try without success doubles it.
const (
	firstPause = time.Second
	lastPause  = 15 * time.Minute
)

// systemBus returns the address of the system bus.
func systemBus(address string) string {
	if address == "" {
		address = os.Getenv("DBUS_SYSTEM_BUS_ADDRESS")
	}
	if address == "" {
		address = "unix:path=/run/dbus/system_bus_socket"
	}
	return address
}

// keepListening has every signal heard that subscribe asks for, over a
// connection to the first address that answers, and anew when it ends, until ctx
// does. Whoever cannot be listened to is tried again, more and more seldom.
func keepListening(ctx context.Context, addresses []string, subscribe func(context.Context, *dbus.Conn) (<-chan *dbus.Signal, error), hear func(*dbus.Signal)) {
	for pause := firstPause; ctx.Err() == nil; pause = min(2*pause, lastPause) {
		if listen(ctx, addresses, subscribe, hear) == nil {
			pause = firstPause
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// listen returns nil when the connection has worked and ended.
func listen(ctx context.Context, addresses []string, subscribe func(context.Context, *dbus.Conn) (<-chan *dbus.Signal, error), hear func(*dbus.Signal)) error {
	conn, err := dialBus(ctx, addresses)
	if err != nil {
		return err
	}
	defer conn.Close()
	signals, err := subscribe(ctx, conn)
	if err != nil {
		return err
	}
	for {
		select {
		case s, ok := <-signals:
			if !ok {
				return nil
			}
			hear(s)
		case <-ctx.Done():
			return nil
		}
	}
}

// dialBus connects to the first address that answers. The connection ends with
// ctx, and gives signals in order.
func dialBus(ctx context.Context, addresses []string) (*dbus.Conn, error) {
	err := errors.New("there is no session bus")
	for _, address := range addresses {
		var conn *dbus.Conn
		if conn, err = dbus.Dial(address, dbus.WithContext(ctx), dbus.WithSignalHandler(dbus.NewSequentialSignalHandler())); err != nil {
			continue
		}
		if err = conn.Auth([]dbus.Auth{dbus.AuthExternal(strconv.Itoa(os.Getuid()))}); err == nil {
			err = conn.Hello()
		}
		if err == nil {
			return conn, nil
		}
		conn.Close()
	}
	return nil, err
}
