package main

import (
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

func TestAnAnswerTheDaemonDoesNotTakeIsToldAndNeverAYes(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	defer here.Close()
	var errOut strings.Builder
	d := &display{lang: i18n.English, errOut: &errOut, client: &ipc.Client{Conn: ipc.NewConn(here)}}
	k := newConfirmer(d)
	d.asks = k
	daemon := ipc.NewConn(there)
	got := make(chan ipc.Message, 3)
	go func() {
		defer close(got)
		for {
			m, err := daemon.Read()
			if err != nil {
				return
			}
			got <- m
		}
	}()

	k.open["a1"] = func(error) {}
	k.send("a1", ipc.ActionAllowOnce, ipc.Answer{Digest: "sha256:x"})
	sent := <-got
	require.Equal(t, "a1", sent.Re)
	require.NotEmpty(t, sent.ID)
	require.False(t, k.handleReply(ipc.Message{Type: ipc.TypeError, Re: "c2", Done: true, Error: &ipc.Error{Message: "not ours"}}))
	require.True(t, k.handleReply(ipc.Message{Type: ipc.TypeError, Re: sent.ID, Done: true, Error: &ipc.Error{Code: ipc.CodeDenied, Message: "for another command"}}))
	require.Equal(t, "for another command\n", errOut.String())
	require.Equal(t, ipc.Message{Type: ipc.TypeAction, Re: "a1", Action: ipc.ActionReject}, <-got)

	k.open["a2"] = func(error) {}
	k.send("a2", ipc.ActionEdit, ipc.Answer{Command: "ls"})
	sent = <-got
	require.True(t, k.handleReply(ipc.Message{Type: ipc.TypeResult, Re: sent.ID, Done: true}))
	require.True(t, strings.HasSuffix(errOut.String(), "command\n"), "what was taken needs no word")

	k.open["a3"] = func(error) {}
	require.NoError(t, k.resolve(ipc.Message{Type: ipc.TypeResolved, ID: "a3"}.WithData(ipc.Resolved{By: "cli"})))
	k.send("a3", ipc.ActionAllowOnce, ipc.Answer{})
	here.Close()
	_, more := <-got
	require.False(t, more, "what was answered elsewhere is not answered again")
	k.close()
}
