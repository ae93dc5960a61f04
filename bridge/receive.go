package bridge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// policyTime is how long a message with files waits for the first word of who
// may write; files are fetched for those only.
const policyTime = 10 * time.Second

// errNobody is a message without what it is answered by.
var errNobody = errors.New("a message without id, chat or sender")

// Receive implements [Receiver].
func (b *Bridge) Receive(ctx context.Context, in Incoming) error {
	if in.Chat == "" || in.Sender == "" || in.Press == nil && in.ID == "" || len(in.ID)+len(in.Chat)+len(in.Sender) > longestID {
		b.o.Log.Warn().Err(errNobody).Msg("a message is left")
		return nil
	}
	in.Text = strings.ToValidUTF8(in.Text, "\uFFFD")
	in.Name = strings.ToValidUTF8(in.Name, "\uFFFD")
	if in.Press != nil {
		b.receivePress(in)
		return nil
	}
	known, err := b.inbox.has(key{in.Sender, in.ID})
	if known || err != nil {
		return b.received(err)
	}
	admitted := b.admitted(ctx, in)
	most, takes := b.takes(in, admitted)
	if !takes {
		return nil
	}
	l := letterOf(in, b.o.Now())
	l.Files = b.filesOf(ctx, in, admitted)
	kept, err := b.inbox.keep(l, most)
	if err == nil {
		b.after(in, kept, admitted)
	}
	return b.received(err)
}

// received ends a message: a full disk is told in the state.
func (b *Bridge) received(err error) error {
	b.station.keeping(err)
	if err != nil {
		return fmt.Errorf("cannot keep a message: %w", err)
	}
	return nil
}

// admitted reports whether a sender may write, as far as is known. One with
// files waits for the first word of that.
func (b *Bridge) admitted(ctx context.Context, in Incoming) bool {
	yes, known := b.inbox.admitted(in.Sender)
	if known || len(in.Files) == 0 {
		return yes
	}
	b.courier.knock()
	b.mu.Lock()
	first := b.policyKnown
	b.mu.Unlock()
	timer := time.NewTimer(policyTime)
	defer timer.Stop()
	select {
	case <-first:
	case <-timer.C:
	case <-ctx.Done():
	}
	yes, _ = b.inbox.admitted(in.Sender)
	return yes
}

// takes reports whether a message is kept, and how many of its sender may wait.
// Of strangers only so many are as may be looked after.
func (b *Bridge) takes(in Incoming, admitted bool) (most int, takes bool) {
	if admitted {
		passes, tell := b.porter.passes(in.Sender)
		if tell {
			b.mailer.say(in.Chat, i18n.BridgeFlood.In(b.langFor(in.Text)))
		}
		return mostOfSender, passes
	}
	if _, known := b.inbox.admitted(in.Sender); known {
		return mostOfUnknown, b.porter.mayLook(in.Sender)
	}
	return mostBefore, true
}

// filesOf fetches what came with a message of somebody who may write.
func (b *Bridge) filesOf(ctx context.Context, in Incoming, admitted bool) []ipc.LetterFile {
	if len(in.Files) == 0 {
		return nil
	}
	if !admitted {
		for i := range in.Files {
			in.Files[i].Problem = ipc.FileBroken
		}
	}
	return b.files.fetch(ctx, in.Files)
}

// after goes on with a message that came.
func (b *Bridge) after(in Incoming, kept fate, admitted bool) {
	switch {
	case kept == fateFull && admitted && b.porter.mayTell(in.Sender):
		b.mailer.say(in.Chat, i18n.BridgeFull.In(b.langFor(in.Text)))
	case kept != fateKept:
	case admitted:
		b.station.waits()
		b.courier.pump()
		b.courier.knock()
		b.awaits()
	default:
		b.station.waits()
		b.courier.refresh()
	}
}

// langFor is the language to answer a text in.
func (b *Bridge) langFor(text string) i18n.Lang {
	if lang, ok := i18n.Detect(text); ok {
		return lang
	}
	return b.langOf("")
}

func (b *Bridge) receivePress(in Incoming) {
	yes, known := b.inbox.admitted(in.Sender)
	if known && !yes {
		return
	}
	if passes, _ := b.porter.passes(in.Sender); passes {
		b.press(in)
	}
}
