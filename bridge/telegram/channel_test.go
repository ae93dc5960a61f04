package telegram_test

import (
	"testing"

	"github.com/nidoit/blunux-ai/test/botapi"
	"github.com/nidoit/blunux-ai/test/channeltest"
)

func TestChannel(t *testing.T) {
	channeltest.Run(t, func(t *testing.T) channeltest.World { return botapi.New(t) })
}

func BenchmarkBridge(b *testing.B) {
	channeltest.Bench(b, func(t testing.TB) channeltest.World { return botapi.New(t) })
}
