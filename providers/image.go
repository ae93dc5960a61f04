package providers

import (
	"fmt"
	"slices"
)

// imageTypes are the media types that all vendors accept.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// WithImages returns the messages as sent to a model. It replaces an image with a note if the model takes no
// images (takes is false) or no vendor accepts the image's type. It does not modify its argument.
func WithImages(messages []Message, takes bool) []Message {
	var changed []Message
	for i, m := range messages {
		for j, b := range m.Content {
			if b.Type != BlockImage || takes && slices.Contains(imageTypes, b.MediaType) {
				continue
			}
			if changed == nil {
				changed = slices.Clone(messages)
			}
			if &changed[i].Content[0] == &m.Content[0] {
				changed[i].Content = slices.Clone(m.Content)
			}
			changed[i].Content[j] = Text(imageNote(b, takes))
		}
	}
	if changed == nil {
		return messages
	}
	return changed
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
