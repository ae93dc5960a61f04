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

// policyTime is how long a message with files waits until the policy is known. Files are only
// downloaded for admitted senders.
const policyTime = 10 * time.Second

// errNobody rejects a message that cannot be answered or recognized.
var errNobody = errors.New("a message without id, chat or sender")

// Receive implements [Receiver].
func (b *Bridge) Receive(ctx context.Context, in Incoming) error {
	if in.Chat == "" || in.Sender == "" || in.Press == nil && in.ID == "" || len(in.ID)+len(in.Chat)+len(in.Sender) > longestID {
		b.o.Log.Warn().Err(errNobody).Msg("message ignored")
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

// received records in the state whether the disk is full.
func (b *Bridge) received(err error) error {
	b.station.keeping(err)
	if err != nil {
		return fmt.Errorf("cannot save message: %w", err)
	}
	return nil
}

// admitted reports whether a sender may write. A message with files waits until the policy is
// known.
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

// takes reports whether a message is accepted, and how many messages its sender can have waiting.
// Messages from strangers are limited by the number of policy queries that they can cause.
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

// filesOf downloads the files of a message if its sender is admitted.
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

// after continues with a message that was added to the inbox.
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

// langFor returns the language in which to answer a text.
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
