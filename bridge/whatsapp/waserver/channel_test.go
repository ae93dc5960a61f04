package waserver_test

import (
	"testing"

	"github.com/nidoit/blunux-ai/bridge/whatsapp/waserver"
	"github.com/nidoit/blunux-ai/test/channeltest"
)

func TestChannel(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and runs everything")
	}
	channeltest.Run(t, func(t *testing.T) channeltest.World { return waserver.New(t) })
}

func BenchmarkBridge(b *testing.B) {
	channeltest.Bench(b, func(t testing.TB) channeltest.World { return waserver.New(t) })
}
