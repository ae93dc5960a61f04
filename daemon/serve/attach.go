package serve

import (
	"errors"
	"slices"

	"github.com/nidoit/blunux-ai/daemon/files"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// attach stores the next piece of a file for the next message of the connection.
func (c *peerConn) attach(m ipc.Message) {
	var piece ipc.AttachPiece
	err := m.Decode(&piece)
	switch {
	case err != nil:
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
		return
	case piece.Spool != "" && !slices.Contains(c.attached, piece.Spool):
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotAttached)
		return
	case piece.Spool == "" && len(c.attached) == ipc.MaxInboundFiles, len(piece.Data) > ipc.MaxAttachPiece:
		c.refuse(m, ipc.CodeTooLarge, i18n.ErrAttachTooLarge(ipc.MaxInboundFiles, ipc.MaxInboundFile>>20))
		return
	}
	name, err := c.s.files.AppendInbound(c.hello.Channel, piece.Spool, piece.Data)
	if name != "" && piece.Spool == "" {
		c.attached = append(c.attached, name)
	}
	switch {
	case errors.Is(err, files.ErrTooLarge):
		c.refuse(m, ipc.CodeTooLarge, i18n.ErrAttachTooLarge(ipc.MaxInboundFiles, ipc.MaxInboundFile>>20))
	case err != nil:
		c.Fail(m, c.s.settings.Failure(err, c.language()))
	default:
		_ = c.send(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData(ipc.AttachPiece{Spool: name}))
	}
}

// takeAttached returns the files of a message, which belong to it from now on. ok is false if one was not attached on this
// connection.
func (c *peerConn) takeAttached(named []ipc.InboundFile) (taken []task.File, ok bool) {
	for _, f := range named {
		i := slices.Index(c.attached, f.Spool)
		if i < 0 {
			c.s.files.RemoveInboundFiles(c.hello.Channel, taken)
			return nil, false
		}
		c.attached = slices.Delete(c.attached, i, i+1)
		taken = append(taken, task.File{Spool: f.Spool})
	}
	return taken, true
}

// dropAttached removes files that no message has named.
func (c *peerConn) dropAttached() {
	for _, name := range c.attached {
		c.s.files.RemoveInboundFiles(c.hello.Channel, []task.File{{Spool: name}})
	}
}
