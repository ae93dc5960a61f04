package systemd

import (
	"context"
	"errors"
	"os"
	"strconv"
	"time"

	"github.com/godbus/dbus/v5"
)

// Pause before a missing bus is tried again. It doubles with each failure.
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

// listenForever calls hear for every signal that subscribe requests, over a connection to the first address that
// answers. It reconnects until ctx ends, with growing pauses after failures.
func listenForever(ctx context.Context, addresses []string, subscribe func(context.Context, *dbus.Conn) (<-chan *dbus.Signal, error), hear func(*dbus.Signal)) {
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

// listen handles one connection. It returns nil if the connection worked and ended.
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

// dialBus connects to the first address that answers. The connection ends with ctx and delivers signals in order.
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
