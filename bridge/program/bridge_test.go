package program

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/bridge"
)

func TestAMessengerThatRemovesMessagesStillDoesInTheProgram(t *testing.T) {
	_, removes := new(Program).notifying(struct {
		bridge.Messenger
		bridge.Remover
	}{}).(bridge.Remover)
	require.True(t, removes)
	_, removes = new(Program).notifying(struct{ bridge.Messenger }{}).(bridge.Remover)
	require.False(t, removes)
}
