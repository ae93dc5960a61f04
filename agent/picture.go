package agent

import (
	"errors"
	"slices"

	"github.com/nidoit/blunux-ai/internal/picture"
	"github.com/nidoit/blunux-ai/providers"
)

// maxPictures bounds the pictures of results in one request, in bytes: vendors bound the whole request, the lowest at 20 MB
// in base64.
const maxPictures = 2 * picture.MaxSize

// withoutPicture returns a result as it is stored: its text names the picture, which would otherwise be sent and paid for
// with every later question.
func withoutPicture(b providers.Block) providers.Block {
	b.Picture = nil
	return b
}

// The notes in place of pictures that are not sent, or not again.
const (
	leftOut = "[The picture is no longer shown, because there are newer ones. Call the tool again if you need it.]"
	refused = "[The picture could not be shown to you: the provider rejected the request with it. Say so if it matters.]"
)

// boundPictures keeps the latest pictures of results that fit a request.
func (t *turn) boundPictures() {
	room := maxPictures
	t.replacePictures(func(b providers.Block) (providers.Block, bool) {
		if b.Picture == nil {
			return b, false
		}
		room -= len(b.Picture.Data)
		return noted(b, leftOut), room < 0
	})
}

// dropPictures removes all pictures, also the person's own, and reports whether there were any.
func (t *turn) dropPictures() bool {
	return t.replacePictures(func(b providers.Block) (providers.Block, bool) {
		if b.Type == providers.BlockImage {
			return providers.Text(refused), true
		}
		return noted(b, refused), b.Picture != nil
	})
}

// noted returns a result with a note in place of its picture.
func noted(b providers.Block, note string) providers.Block {
	b.Picture = nil
	b.Content += "\n" + note
	return b
}

// replacePictures replaces the blocks for which by returns another one, from the latest to the earliest, and reports whether
// there were any. It does not modify messages that others hold.
func (t *turn) replacePictures(by func(providers.Block) (providers.Block, bool)) (replaced bool) {
	for i, m := range slices.Backward(t.messages) {
		cloned := false
		for k, b := range slices.Backward(m.Content) {
			if b.Picture == nil && b.Type != providers.BlockImage {
				continue
			}
			other, ok := by(b)
			if !ok {
				continue
			}
			if !replaced {
				t.messages, replaced = slices.Clone(t.messages), true
			}
			if !cloned {
				t.messages[i].Content, cloned = slices.Clone(m.Content), true
			}
			t.messages[i].Content[k] = other
		}
	}
	return replaced
}

// refusesPictures reports an answer that a picture may have caused: a provider rejects a request for a picture that it
// cannot read.
func refusesPictures(err error) bool {
	var pe *providers.Error
	return errors.As(err, &pe) && pe.Kind == providers.KindAPI && (pe.Status == 400 || pe.Status == 413 || pe.Status == 422) && !pe.ToolsCalled
}
