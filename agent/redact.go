package agent

import (
	"crypto/sha256"
	"slices"
	"sync"

	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/memory"
)

const (
	maxRedacted     = 16       // cached texts
	maxRedactedText = 64 << 10 // size of a cached text, in bytes
)

// redactionCache has the last texts without their secrets: most sections of the prompt are the same in each turn. It
// finds a text by its hash, so that it holds no secrets. It is safe for concurrent use.
type redactionCache struct {
	mu     sync.Mutex
	recent []redaction // the latest used first
}

// redaction is a text without its secrets.
type redaction struct {
	redactor *secret.Redactor // which never changes
	hash     [sha256.Size]byte
	clean    string
}

// redactStrict returns the result of the redactor for a text.
func (c *redactionCache) redactStrict(r *secret.Redactor, text string) string {
	if len(text) > maxRedactedText {
		return r.RedactStrict(text)
	}
	hash := sha256.Sum256([]byte(text))
	if clean, ok := c.get(r, hash); ok {
		return clean
	}
	clean := r.RedactStrict(text)
	c.put(redaction{r, hash, clean})
	return clean
}

func (c *redactionCache) get(r *secret.Redactor, hash [sha256.Size]byte) (clean string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.recent, func(d redaction) bool { return d.redactor == r && d.hash == hash })
	if i < 0 {
		return "", false
	}
	found := c.recent[i]
	copy(c.recent[1:i+1], c.recent[:i])
	c.recent[0] = found
	return found.clean, true
}

func (c *redactionCache) put(d redaction) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recent = slices.Insert(c.recent, 0, d)
	if len(c.recent) > maxRedacted {
		c.recent = slices.Delete(c.recent, maxRedacted, len(c.recent))
	}
}

// redactSections returns the notes as the model may see them.
func (a *Agent) redactSections(sections []memory.Section) []memory.Section {
	clean := make([]memory.Section, len(sections))
	for i, s := range sections {
		clean[i] = memory.Section{Title: s.Title, Text: a.redactions.redactStrict(a.o.Redactor, s.Text)}
	}
	return clean
}
