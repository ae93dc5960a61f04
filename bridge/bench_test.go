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
	for name, traits := range map[string]Traits{"edits": edits(), "own ids": ids()} {
		b.Run(name, func(b *testing.B) {
			d, p := playDaemon(b, "7").start(), newPhone(traits)
			d.answer = func(c *ipc.Conn, m ipc.Message) {
				d.take(c, m)
				n := ipc.Notice{ID: "task:" + midOf(m), Channel: "telegram", To: "7", Body: "**all** is well"}
				d.event(ipc.TopicNotifications, n)
			}
			run(b, p, d, "", func(br *Bridge) { br.o.Log = zerolog.Nop() })
			in := Incoming{Chat: "7", Sender: "7", Text: "디스크 꽉 찼어?"}
			i := 0
			for b.Loop() {
				i++
				in.ID = fmt.Sprint(i)
				if i%mostAMinute == 0 { // a minute has passed
					forgive(p)
				}
				if err := p.r.Receive(context.Background(), in); err != nil {
					b.Fatal(err)
				}
				p.until(b, func() bool { return len(p.shown) == i && p.shown[i-1].Text != waitSign })
			}
		})
	}
}

// forgive resets a bridge's rate limit.
func forgive(p *phone) {
	porter := p.r.(*Bridge).porter
	porter.mu.Lock()
	defer porter.mu.Unlock()
	clear(porter.flow)
}
