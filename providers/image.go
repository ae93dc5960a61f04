package providers

import (
	"fmt"
	"slices"
	"strings"
)

// imageTypes are the media types that all vendors accept.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// Picture is an image that belongs to a tool's result.
type Picture struct {
	MediaType string
	Data      []byte
	Path      string // of the file that holds it, "" if there is none
}

// File returns the path of the file that holds the picture, "" if there is none. p can be nil.
func (p *Picture) File() string {
	if p == nil {
		return ""
	}
	return p.Path
}

// Block returns the picture as its own block.
func (p *Picture) Block() Block { return Block{Type: BlockImage, MediaType: p.MediaType, Data: p.Data} }

// WithImages returns the messages as sent to a model. It replaces an image with a note if the model takes no
// images (takes is false) or no vendor accepts the image's type, also the picture of a result. It does not modify its
// argument.
func WithImages(messages []Message, takes bool) []Message {
	var changed []Message
	for i, m := range messages {
		for j, b := range m.Content {
			sent, ok := withoutImage(b, takes)
			if !ok {
				continue
			}
			if changed == nil {
				changed = slices.Clone(messages)
			}
			if &changed[i].Content[0] == &m.Content[0] {
				changed[i].Content = slices.Clone(m.Content)
			}
			changed[i].Content[j] = sent
		}
	}
	if changed == nil {
		return messages
	}
	return changed
}

// withoutImage returns what is sent instead of a block; ok is false if the block is sent as it is.
func withoutImage(b Block, takes bool) (sent Block, ok bool) {
	image := b
	if b.Picture != nil {
		image = b.Picture.Block()
	}
	if image.Type != BlockImage || takes && slices.Contains(imageTypes, image.MediaType) {
		return b, false
	}
	note := imageNote(image, takes)
	if b.Picture == nil {
		return Text(note), true
	}
	b.Picture = nil
	b.Content = strings.TrimPrefix(b.Content+"\n"+note, "\n")
	return b, true
}

// PictureBlocks returns the picture of a result as blocks that follow the results, each after a line that says whose it
// is, for formats whose results are text. It is nil without a picture.
func PictureBlocks(b Block) []Block {
	if b.Picture == nil {
		return nil
	}
	return []Block{Text("[The picture of the result of call " + b.ToolUseID + ":]"), b.Picture.Block()}
}

// imageNote returns the text that replaces an image. It is written for the model, not for people.
func imageNote(b Block, takes bool) string {
	why := "this model takes no images"
	if takes {
		why = "images of this type cannot be shown to you"
	}
	return fmt.Sprintf("[An image (%s, %d bytes) was left out: %s. Say so if it matters.]", mediaLabel(b.MediaType), len(b.Data), why)
}

// mediaLabel returns the media type if it is a known one, so that foreign text does not get into the note.
func mediaLabel(media string) string {
	if slices.Contains(imageTypes, media) {
		return media
	}
	return "unknown type"
}
