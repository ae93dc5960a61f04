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

// policyTimeout is how long a message with files waits until the policy is known. Files are only
// downloaded for admitted senders.
const policyTimeout = 10 * time.Second

// errIncompleteMessage rejects a message that cannot be answered or recognized.
var errIncompleteMessage = errors.New("a message without id, chat or sender")

// Receive implements [Receiver].
func (b *Bridge) Receive(ctx context.Context, in Incoming) error {
	if in.Chat == "" || in.Sender == "" || in.Press == nil && in.ID == "" || len(in.ID)+len(in.Chat)+len(in.Sender) > maxIDLength {
		b.o.Log.Warn().Err(errIncompleteMessage).Msg("message ignored")
		return nil
	}
	in.Text = strings.ToValidUTF8(in.Text, "\uFFFD")
	in.Name = strings.ToValidUTF8(in.Name, "\uFFFD")
	if in.Press != nil {
		b.receivePress(in)
		return nil
	}
	known, err := b.inbox.contains(messageKey{in.Sender, in.ID})
	if known || err != nil {
		return b.reportSaved(err)
	}
	admitted := b.isAdmitted(ctx, in)
	most, takes := b.acceptLimit(in, admitted)
	if !takes {
		return nil
	}
	l := newInboundMessage(in, b.o.Now())
	l.Files = b.fetchFiles(ctx, in, admitted)
	kept, err := b.inbox.addDurably(l, most)
	if err == nil {
		b.handleAdded(in, kept, admitted)
	}
	return b.reportSaved(err)
}

// reportSaved records in the state whether the disk is full.
func (b *Bridge) reportSaved(err error) error {
	b.status.recordSaveError(err)
	if err != nil {
		return fmt.Errorf("cannot save message: %w", err)
	}
	return nil
}

// isAdmitted reports whether a sender may write. A message with files waits until the policy is known.
func (b *Bridge) isAdmitted(ctx context.Context, in Incoming) bool {
	yes, known := b.inbox.isAdmitted(in.Sender)
	if known || len(in.Files) == 0 {
		return yes
	}
	b.client.connect()
	b.mu.Lock()
	first := b.policyKnown
	b.mu.Unlock()
	timer := time.NewTimer(policyTimeout)
	defer timer.Stop()
	select {
	case <-first:
	case <-timer.C:
	case <-ctx.Done():
	}
	yes, _ = b.inbox.isAdmitted(in.Sender)
	return yes
}

// acceptLimit returns how many messages a sender can have waiting, and whether the message is accepted at all. Messages
// from strangers are limited by the number of policy queries that they can cause.
func (b *Bridge) acceptLimit(in Incoming, admitted bool) (most int, accepted bool) {
	person, _ := ipc.SplitRoom(in.Sender)
	if admitted {
		passes, tell := b.limiter.allowMessage(person)
		if tell {
			b.dispatcher.sendText(in.Chat, i18n.BridgeFlood.In(b.langFor(in.Text)))
		}
		return maxPerSender, passes
	}
	if _, known := b.inbox.isAdmitted(in.Sender); known {
		return maxPerStranger, b.limiter.allowPolicyQuery(person)
	}
	return maxBeforePolicy, true
}

// fetchFiles downloads the files of a message if its sender is admitted.
func (b *Bridge) fetchFiles(ctx context.Context, in Incoming, admitted bool) []ipc.InboundFile {
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

// handleAdded continues with a message that was added to the inbox.
func (b *Bridge) handleAdded(in Incoming, kept addResult, admitted bool) {
	switch {
	case kept == inboxFull && admitted && b.limiter.allowFullNotice(in.Sender):
		b.dispatcher.sendText(in.Chat, i18n.BridgeFull.In(b.langFor(in.Text)))
	case kept != messageAdded:
	case admitted:
		b.status.scheduleWrite()
		b.client.sendNext()
		b.client.connect()
		b.startOutage()
	default:
		b.status.scheduleWrite()
		b.client.refreshPolicy()
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
	person, room := ipc.SplitRoom(in.Sender)
	if passes, _ := b.limiter.allowMessage(person); !passes {
		return
	}
	if yes, known := b.inbox.isAdmitted(in.Sender); !yes && (known || room != "") {
		b.dispatcher.workers.Go(func() { b.answerPress(in, i18n.BridgePressDenied.In(b.langOf(""))) })
		return
	}
	b.forwardPress(in)
}
