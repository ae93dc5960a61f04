package chat

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// newLongChat returns a chat with a long transcript.
func newLongChat(messages int) *chat {
	c := newChat(i18n.Korean)
	for i := range messages {
		if i%2 == 0 {
			c.log.add(byUser, fmt.Sprintf("질문 %d", i))
		} else {
			c.log.add(byAssistant, answerText)
		}
	}
	return c
}

func BenchmarkFirstFrame(b *testing.B) {
	for b.Loop() {
		newChat(i18n.Korean).View()
	}
}

func BenchmarkFrameAfter10000Messages(b *testing.B) {
	c := newLongChat(10_000)
	for b.Loop() {
		c.handleMsg(keyOf("a"))
		c.handleMsg(keyOf("backspace"))
		c.View()
	}
}

func BenchmarkScrollThrough10000Messages(b *testing.B) {
	c := newLongChat(10_000)
	c.View()
	for b.Loop() {
		c.handleMsg(keyOf("pgup"))
		if c.log.top == (place{}) {
			c.handleMsg(keyOf("ctrl+end"))
		}
		c.View()
	}
}

// BenchmarkStreamedFrame measures a delta of 64 bytes and the next frame, at the end of a reply of
// 5 MB.
func BenchmarkStreamedFrame(b *testing.B) {
	c := newChat(i18n.Korean)
	c.asked("긴 이야기")
	c.log.stream(strings.Repeat(answerText, 5<<20/len(answerText)))
	delta := ipc.Message{Type: ipc.TypeDelta, Re: c.turn.id, Body: strings.Repeat("이야기 ", 6) + "\n\n"}
	for b.Loop() {
		c.handleFrame(delta)
		c.View()
	}
}

// BenchmarkStreamedReply measures a reply of 5 MB in deltas of 64 bytes, with a frame every 256
// deltas.
func BenchmarkStreamedReply(b *testing.B) {
	text := strings.Repeat(answerText, 5<<20/len(answerText))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		c := newChat(i18n.Korean)
		c.asked("긴 이야기")
		for i := 0; i < len(text); i += 64 {
			c.handleFrame(ipc.Message{Type: ipc.TypeDelta, Re: c.turn.id, Body: strings.ToValidUTF8(text[i:min(i+64, len(text))], "")})
			if i/64%256 == 0 {
				c.View()
			}
		}
	}
}

func BenchmarkPasteOfAMegabyte(b *testing.B) {
	text := strings.Repeat("붙여넣은 줄입니다.\n", 1<<20/26)
	for b.Loop() {
		c := newChat(i18n.Korean)
		c.handleMsg(pasted(text))
		c.View()
	}
}

func TestALongPastAndALongReplyCostNoFrameMoreThanAScreen(t *testing.T) {
	c := newLongChat(10_000)
	c.asked("긴 이야기")
	c.frame(ipc.Message{Type: ipc.TypeDelta, Re: c.turn.id, Body: strings.Repeat(answerText, longReply/len(answerText))})
	require.Less(t, len(c.log.laidOut), 100, "blocks are laid out that nobody sees")
	for range 300 {
		c.press("pgup")
	}
	require.LessOrEqual(t, len(c.log.laidOut), maxLaidOut+50, "rows of blocks nobody sees are kept")
	began := time.Now()
	c.press("ctrl+home", "pgdown", "ctrl+end")
	require.Less(t, time.Since(began), 5*time.Second)
}
