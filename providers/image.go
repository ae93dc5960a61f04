package providers

import (
	"fmt"
	"slices"
)

// imageTypes are the media types that all vendors read.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// WithImages returns the messages as a model reads them: images as they are
// where it takes them, and a note in their place where it does not, or where
// the image is of a type that no vendor reads. The messages given stay as they
// are.
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

// imageNote stands where an image was. A model reads it, not a person.
func imageNote(b Block, takes bool) string {
	why := "this model takes no images"
	if takes {
		why = "images of this type cannot be shown to you"
	}
	return fmt.Sprintf("[An image (%s, %d bytes) was left out: %s. Say so if it matters.]", mediaLabel(b.MediaType), len(b.Data), why)
}

// mediaLabel is a media type fit to stand in a sentence.
func mediaLabel(media string) string {
	if slices.Contains(imageTypes, media) {
		return media
	}
	return "unknown type"
}
