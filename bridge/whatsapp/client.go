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

// deviceName is what the phone lists the bridge as.
const deviceName = "blunux-ai"

// introduce sets what devices say of themselves when they are linked: whatsmeow
// keeps that in a variable of its own.
var introduce = sync.OnceFunc(func() {
	store.DeviceProps.Os = proto.String(deviceName)
	store.DeviceProps.PlatformType = waCompanionReg.DeviceProps_DESKTOP.Enum()
	store.DeviceProps.RequireFullSync = proto.Bool(false)
})

// newClient makes a client that leaves it to us when it connects, and that tells
// the server that a message arrived only after it was taken.
func newClient(ctx context.Context, device *store.Device, log waLog.Logger) (*whatsmeow.Client, error) {
	introduce()
	cli := whatsmeow.NewClient(device, log)
	cli.BackgroundEventCtx = ctx
	// What whatsmeow does by itself after a lost connection waits longer each time,
	// without end; see [Messenger.Run].
	cli.EnableAutoReconnect = false
	cli.DisableLoginAutoReconnect = true
	// A message is decrypted once, because its key is used up by that. With the
	// buffer the words are kept in the same transaction, until the handler has taken
	// them; and the receipt is sent after that, or not at all.
	cli.SynchronousAck = true
	cli.EnableDecryptedEventBuffer = true
	// A phone that could not read an answer asks for it again, maybe after a restart.
	cli.UseRetryMessageStore = true
	// The account's old conversations are none of our business.
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

// hangUp ends a connection. [whatsmeow.Client.Disconnect] alone takes a function
// away that the server's cut, should it come at this moment, is about to call;
// after ResetConnection nothing is taken away, and what came first is over.
func hangUp(cli *whatsmeow.Client) {
	//lint:ignore SA1019 there is no other way to say that the cut is ours, which is not to be told as a loss
	cli.DangerousInternals().ExpectDisconnect()
	cli.ResetConnection()
	cli.Disconnect()
}

// newHTTP is a client that waits so long for a server to begin its answer.
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
