package agent

import (
	"fmt"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
)

// Attachment is a file attached to a user's message. It is data, not instructions.
type Attachment struct {
	Name string
	// Exactly one of these is set: the text, the image, or the reason why there is neither.
	Text    string
	Image   *providers.Block
	Problem string
	// Path is where the file is until the turn ends, "" if it is shown whole or cannot be read.
	Path string
}

// WithContent returns the file with its content. media is the media type of data, and text says whether it is readable
// text.
func (a Attachment) WithContent(data []byte, media string, text bool) Attachment {
	switch {
	case strings.HasPrefix(media, "image/"):
		a.Image = &providers.Block{Type: providers.BlockImage, MediaType: media, Data: data}
	case text:
		a.Text = string(data)
	default:
		media, _, _ = strings.Cut(media, ";")
		a.Problem = fmt.Sprintf("[not shown: %d bytes of %s]", len(data), media)
	}
	return a
}

// storedText returns the file as stored in the conversation. Images are only named, since they would otherwise be
// sent and paid for with every later question.
func (a Attachment) storedText() string {
	switch {
	case a.Image != nil:
		return fmt.Sprintf("[image: %s, %d bytes]", a.Name, len(a.Image.Data))
	case a.Problem != "":
		return a.Problem
	}
	return a.Text
}

// withAttached adds the fenced files to the user's message.
func (t *turn) withAttached(words string) string {
	for _, a := range t.Attachments {
		words += "\n\n" + t.fence.wrap("file "+a.Name, t.o.Redactor.Redact(a.storedText()))
		if a.Path != "" {
			words += "\n[From this program: the file above is at " + a.Path + " until this question is answered; read_file can read a text there.]"
		}
	}
	return words
}

// attachedPaths returns where the files are that the model knows of.
func (t *turn) attachedPaths() (paths []string) {
	for _, a := range t.Attachments {
		if a.Path != "" {
			paths = append(paths, a.Path)
		}
	}
	return paths
}

// withImages returns the user's message for the model, including images.
func (t *turn) withImages(words providers.Message) providers.Message {
	for _, a := range t.Attachments {
		if a.Image != nil {
			words.Content = append(words.Content, *a.Image)
		}
	}
	return words
}
