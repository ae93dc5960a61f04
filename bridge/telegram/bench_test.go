package telegram

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/account"
	"github.com/nidoit/blunux-ai/test/botapi"
	"github.com/nidoit/blunux-ai/test/channeltest"
)

// BenchmarkPost measures posting an answer. The floor is a bare HTTP request with the same content.
func BenchmarkPost(b *testing.B) {
	b.Run("bridge", func(b *testing.B) {
		s := botapi.New(b)
		c, err := New(Options{Token: botapi.Token, Server: s.URL()})
		if err != nil {
			b.Fatal(err)
		}
		defer c.http.CloseIdleConnections()
		for b.Loop() {
			if _, err := c.Post(b.Context(), bridge.Piece{Chat: s.Owner(), Text: "<b>답</b>"}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("floor", func(b *testing.B) {
		s := botapi.New(b)
		client := account.NewHTTP()
		defer client.CloseIdleConnections()
		for b.Loop() {
			r, err := client.Post(s.URL()+"/bot"+botapi.Token+"/sendMessage", "application/json", strings.NewReader(`{"chat_id":`+s.Owner()+`,"text":"<b>답</b>","parse_mode":"HTML"}`))
			if err != nil {
				b.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, r.Body)
			r.Body.Close()
			if r.StatusCode != http.StatusOK {
				b.Fatal(r.Status)
			}
		}
	})
}

// arrivals signals each received message.
type arrivals struct {
	receiver
	one chan struct{}
}

func (a *arrivals) Receive(context.Context, bridge.Incoming) error {
	a.one <- struct{}{}
	return nil
}

// BenchmarkArrive measures receiving a message, including saving the offset.
func BenchmarkArrive(b *testing.B) {
	s := botapi.New(b)
	c, err := New(Options{Token: botapi.Token, Server: s.URL(), Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer c.http.CloseIdleConnections()
	ctx, cancel := context.WithCancel(b.Context())
	to := &arrivals{receiver{changed: make(chan struct{})}, make(chan struct{})}
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx, to) }()
	for b.Loop() {
		s.Say(s.Owner(), channeltest.PersonMessage{Text: "디스크 꽉 찼어?"})
		<-to.one
	}
	cancel()
	<-ended
}
