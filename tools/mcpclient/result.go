package mcpclient

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// writeResult writes a result as text, with a note in place of other content.
func writeResult(to io.Writer, r *mcp.CallToolResult) error {
	for _, c := range r.Content {
		text := textOf(c)
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		if _, err := io.WriteString(to, text); err != nil {
			return err
		}
	}
	if len(r.Content) > 0 || r.StructuredContent == nil {
		return nil
	}
	data, err := json.Marshal(r.StructuredContent)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(to, "%s\n", data)
	return err
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
