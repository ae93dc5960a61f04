package whatsapp

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waCompanionReg"
	"go.mau.fi/whatsmeow/store"
	waLog "go.mau.fi/whatsmeow/util/log"
	"google.golang.org/protobuf/proto"
)

// deviceName is the name of the bridge in the phone's device list.
const deviceName = "blunux-ai"

// setDeviceProps sets the global properties that whatsmeow sends when a device is linked.
var setDeviceProps = sync.OnceFunc(func() {
	store.DeviceProps.Os = proto.String(deviceName)
	store.DeviceProps.PlatformType = waCompanionReg.DeviceProps_DESKTOP.Enum()
	store.DeviceProps.RequireFullSync = proto.Bool(false)
})

// newClient creates a client whose connections this package controls, and that confirms a message
// to the server only after it was stored.
func newClient(ctx context.Context, device *store.Device, log waLog.Logger) (*whatsmeow.Client, error) {
	setDeviceProps()
	cli := whatsmeow.NewClient(device, log)
	cli.BackgroundEventCtx = ctx
	// whatsmeow's own reconnects wait longer each time without a limit; see [Messenger.Run].
	cli.EnableAutoReconnect = false
	cli.DisableLoginAutoReconnect = true
	// A message can be decrypted only once, because decryption uses up its key. With the buffer, the text is saved in
	// the same transaction until the handler has accepted it. The receipt is sent after that, or not at all.
	cli.SynchronousAck = true
	cli.EnableDecryptedEventBuffer = true
	// A phone that could not read an answer requests it again, possibly after a restart.
	cli.UseRetryMessageStore = true
	// The bridge does not need the account's old conversations.
	cli.ManualHistorySyncDownload = true
	web, media := newHTTP(20*time.Second), newHTTP(60*time.Second)
	cli.SetPreLoginHTTPClient(web)
	cli.SetWebsocketHTTPClient(web)
	cli.SetMediaHTTPClient(media)
	if err := redirect(cli); err != nil {
		return nil, fmt.Errorf("cannot reach the server: %w", err)
	}
	return cli, nil
}

// hangUp closes a connection. [whatsmeow.Client.Disconnect] alone removes a callback that a simultaneous disconnect by
// the server may be about to call. ResetConnection first completes such a disconnect.
func hangUp(cli *whatsmeow.Client) {
	//lint:ignore SA1019 there is no other way to expect the disconnect, which must not be reported as a loss
	cli.DangerousInternals().ExpectDisconnect()
	cli.ResetConnection()
	cli.Disconnect()
}

// newHTTP returns a client that waits at most patience for the start of an answer.
func newHTTP(patience time.Duration) *http.Client {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultClient
	}
	t = t.Clone()
	t.ResponseHeaderTimeout = patience
	t.IdleConnTimeout = 30 * time.Second
	t.MaxIdleConns = 2
	return &http.Client{Transport: t}
}
