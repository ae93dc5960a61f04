package transport

import (
	"bytes"
	"slices"
	"sync"

	"github.com/nidoit/blunux-ai/providers"
)

// maxToolLists bounds the cached lists. A conversation has the same tools in each request; which ones depends on how
// its person is connected.
const maxToolLists = 4

// ToolLists has the last lists of tools as one dialect encodes them, which is most of a short request. It is safe for
// concurrent use.
type ToolLists struct {
	mu     sync.Mutex
	recent []toolList // the latest used first
}

type toolList struct {
	tools   []providers.ToolDefinition // copies
	encoded Encoded
}

// Encode returns the result of encode for tools. It is the same for lists with the same contents and must not be
// modified.
func (l *ToolLists) Encode(tools []providers.ToolDefinition, encode func([]providers.ToolDefinition) ([]byte, error)) (Encoded, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.recent, func(known toolList) bool { return slices.EqualFunc(known.tools, tools, isSameTool) })
	if i >= 0 {
		found := l.recent[i]
		copy(l.recent[1:i+1], l.recent[:i])
		l.recent[0] = found
		return found.encoded, nil
	}
	encoded, err := encode(tools)
	if err != nil {
		return nil, err
	}
	known := toolList{slices.Clone(tools), slices.Clip(encoded)}
	for i, tool := range known.tools {
		known.tools[i].InputSchema = bytes.Clone(tool.InputSchema)
	}
	l.recent = slices.Insert(l.recent, 0, known)
	if len(l.recent) > maxToolLists {
		l.recent = slices.Delete(l.recent, maxToolLists, len(l.recent))
	}
	return known.encoded, nil
}

func isSameTool(a, b providers.ToolDefinition) bool {
	return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.InputSchema, b.InputSchema)
}
