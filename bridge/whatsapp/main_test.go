package whatsapp

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// whatsmeow's connection reader never returns if a frame arrives just as the connection is
	// closed on this side.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("go.mau.fi/whatsmeow/socket.(*FrameSocket).frameComplete"))
}
