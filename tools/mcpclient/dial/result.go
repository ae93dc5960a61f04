package dial

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// resultText returns a result as text, with a note in place of other content.
func resultText(r *mcp.CallToolResult) (string, error) {
	var b strings.Builder
	for _, c := range r.Content {
		text := textOf(c)
		b.WriteString(text)
		if !strings.HasSuffix(text, "\n") {
			b.WriteByte('\n')
		}
	}
	if len(r.Content) > 0 || r.StructuredContent == nil {
		return b.String(), nil
	}
	data, err := json.Marshal(r.StructuredContent)
	return string(data) + "\n", err
}

func textOf(c mcp.Content) string {
	switch c := c.(type) {
	case *mcp.TextContent:
		return c.Text
	case *mcp.ImageContent:
		return fmt.Sprintf("[image omitted: %s, %d bytes]", c.MIMEType, len(c.Data))
	case *mcp.AudioContent:
		return fmt.Sprintf("[audio omitted: %s, %d bytes]", c.MIMEType, len(c.Data))
	case *mcp.ResourceLink:
		return "[link: " + c.URI + "]"
	case *mcp.EmbeddedResource:
		if c.Resource == nil {
			break
		}
		if c.Resource.Text != "" {
			return c.Resource.Text
		}
		return fmt.Sprintf("[file omitted: %s, %d bytes]", c.Resource.URI, len(c.Resource.Blob))
	}
	return "[content without text omitted]"
}
