//go:build watest

package whatsapp

import (
	"context"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"os"

	"go.mau.fi/whatsmeow"
)

// redirect makes the client connect unencrypted to the loopback server that the environment names,
// and trust that server's certificate.
func redirect(cli *whatsmeow.Client) error {
	addr := os.Getenv("BLUNUX_WA_TEST_SERVER")
	root, err := hex.DecodeString(os.Getenv("BLUNUX_WA_TEST_ROOT"))
	if err != nil || len(root) != 32 || addr == "" {
		return fmt.Errorf("this build is for tests: BLUNUX_WA_TEST_SERVER and BLUNUX_WA_TEST_ROOT are not set")
	}
	whatsmeow.WACertPubKey = [32]byte(root)
	hc := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialTLSContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", addr)
		},
	}}
	cli.SetPreLoginHTTPClient(hc)
	cli.SetWebsocketHTTPClient(hc)
	cli.SetMediaHTTPClient(hc)
	return nil
}
