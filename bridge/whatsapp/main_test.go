package whatsapp

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// whatsmeow's reader of a connection waits for ever where a frame arrives just as
	// the connection is dropped by us.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("go.mau.fi/whatsmeow/socket.(*FrameSocket).frameComplete"))
}
