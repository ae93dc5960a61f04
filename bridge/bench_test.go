package bridge

import (
	"context"
	"fmt"
	"testing"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/ipc"
)

// BenchmarkMessage measures the bridge's overhead for a message and its answer, including syncing
// both to disk. Messenger and daemon take no time.
func BenchmarkMessage(b *testing.B) {
	for name, traits := range map[string]Traits{"edits": editTraits(), "own ids": ownIDTraits()} {
		b.Run(name, func(b *testing.B) {
			d, p := newFakeDaemon(b, "7").start(), newFakeMessenger(traits)
			d.answer = func(c *ipc.Conn, m ipc.Message) {
				d.accept(c, m)
				n := ipc.Notice{ID: "task:" + messageID(m), Channel: "telegram", To: "7", Body: "**all** is well"}
				d.event(ipc.TopicNotifications, n)
			}
			runBridge(b, p, d, "", func(br *Bridge) { br.o.Log = zerolog.Nop() })
			in := Incoming{Chat: "7", Sender: "7", Text: "디스크 꽉 찼어?"}
			i := 0
			for b.Loop() {
				i++
				in.ID = fmt.Sprint(i)
				if i%messagesPerMinute == 0 { // a minute has passed
					resetLimiter(p)
				}
				if err := p.r.Receive(context.Background(), in); err != nil {
					b.Fatal(err)
				}
				p.until(b, func() bool { return len(p.shown) == i && p.shown[i-1].Text != waitSign })
			}
		})
	}
}

// resetLimiter resets a bridge's rate limit.
func resetLimiter(p *fakeMessenger) {
	porter := p.r.(*Bridge).limiter
	porter.mu.Lock()
	defer porter.mu.Unlock()
	clear(porter.flow)
}
