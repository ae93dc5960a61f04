package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"syscall"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// errFleet reports a server of a fleet that sends no overview.
var errFleet = newError(codeServer, ipc.CodeNetwork, i18n.GatewayFleet)

// fleet answers fleet.show with what the server of a fleet on this computer says, null if none runs.
func (c *call) fleet(ctx context.Context) (any, error) {
	text, err := readFleet(ctx, c.g.Fleet)
	switch {
	case c.g.Fleet == "", errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return json.RawMessage("null"), nil
	case err != nil:
		c.g.Log.Warn().Err(err).Msg("cannot read fleet")
		return nil, errFleet
	case len(text) > ipc.MaxOverview || checkJSON(text) != nil || !json.Valid(text):
		c.g.Log.Warn().Int("bytes", len(text)).Msg("cannot read fleet: no overview")
		return nil, errFleet
	}
	return json.RawMessage(text), nil
}

// readFleet reads all that the socket of a program of this user sends, until ctx ends.
func readFleet(ctx context.Context, path string) ([]byte, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if uc, ok := conn.(*net.UnixConn); ok {
		if peer, err := ipc.PeerOf(uc); err != nil || peer.UID != os.Getuid() {
			return nil, errors.Join(fs.ErrPermission, err)
		}
	}
	return io.ReadAll(io.LimitReader(conn, ipc.MaxOverview+1))
}
