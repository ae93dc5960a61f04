package console

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/ipc"
)

// showTime bounds one answer of [Console.Show].
const showTime = 10 * time.Second

// ListenOverview listens at the path of [ipc.FleetSocket] for programs of this user.
func ListenOverview(path string) (net.Listener, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot create the socket's directory: %w", err)
	}
	if err := ipc.CheckDir(dir, os.Getuid()); err != nil {
		return nil, fmt.Errorf("cannot use the socket's directory: %w", err)
	}
	return ipc.NewLocator().Listen(path)
}

// Show answers each connection of this user with the overview, one after the other, until the listener is closed.
func (c *Console) Show(ctx context.Context, l net.Listener, log zerolog.Logger) {
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			log.Error().Err(err).Msg("cannot accept connections; the page no longer shows the fleet")
			return
		}
		if err := c.showTo(ctx, conn); err != nil {
			log.Warn().Err(err).Msg("cannot show the fleet")
		}
		conn.Close()
	}
}

// errStranger reports a program of another user.
var errStranger = errors.New("cannot answer another user")

func (c *Console) showTo(ctx context.Context, conn net.Conn) error {
	if uc, ok := conn.(*net.UnixConn); ok {
		if peer, err := ipc.PeerOf(uc); err != nil || peer.UID != os.Getuid() {
			return errors.Join(errStranger, err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, showTime)
	defer cancel()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	o, err := c.Overview(ctx)
	if err != nil {
		return err
	}
	line, err := o.Encode()
	if err == nil {
		_, err = conn.Write(line)
	}
	if err != nil {
		return fmt.Errorf("cannot answer: %w", err)
	}
	return nil
}
