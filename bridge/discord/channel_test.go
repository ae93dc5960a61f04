package discord_test

import (
	"testing"

	"github.com/nidoit/blunux-ai/test/channeltest"
	"github.com/nidoit/blunux-ai/test/discordapi"
)

func TestChannel(t *testing.T) {
	channeltest.Run(t, func(t *testing.T) channeltest.World { return discordapi.New(t) })
}

func BenchmarkBridge(b *testing.B) {
	channeltest.Bench(b, func(t testing.TB) channeltest.World { return discordapi.New(t) })
}
