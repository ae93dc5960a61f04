package main

import (
	"bytes"
	"context"
	"slices"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/internal/picture"
	"github.com/nidoit/blunux-ai/ipc"
)

// upload is a file that is sent to the daemon as it is.
type upload struct {
	name string
	data []byte
}

// beginning keeps what is written to it, up to the size of an upload.
type beginning struct {
	data  []byte
	isCut bool
}

func (b *beginning) Write(p []byte) (int, error) {
	room := ipc.MaxInboundFile - len(b.data)
	if len(p) > room {
		b.isCut = true
	}
	b.data = append(b.data, p[:min(len(p), room)]...)
	return len(p), nil
}

// isUpload reports whether the file is a picture, or no text in UTF-8. The end of a cut text can be half a character.
func (b *beginning) isUpload() bool {
	if _, ok := picture.Read(b.data); ok || bytes.IndexByte(b.data, 0) >= 0 {
		return true
	}
	text := b.data
	for n := 0; b.isCut && n < utf8.UTFMax && !utf8.Valid(text); n++ {
		text = text[:len(text)-1]
	}
	return !utf8.Valid(text)
}

// sendFiles sends files to the daemon, in pieces that fit a frame, and returns how the message names them.
func sendFiles(ctx context.Context, c *ipc.Client, files []upload) (sent []ipc.InboundFile, err error) {
	for _, f := range files {
		piece := ipc.AttachPiece{}
		for data := range slices.Chunk(f.data, ipc.MaxAttachPiece) {
			piece.Data = data
			m := ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionAttach}.WithData(piece)
			reply, err := c.Request(ctx, m, nil)
			if err == nil {
				err = reply.Decode(&piece)
			}
			if err != nil {
				return nil, err
			}
		}
		sent = append(sent, ipc.InboundFile{Name: f.name, Spool: piece.Spool})
	}
	return sent, nil
}
