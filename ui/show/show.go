// Package show shows the picture of a tool's result at the person's terminal: another program draws it, or its file is named.
package show

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/errand"
	"github.com/nidoit/blunux-ai/internal/installed"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
)

// program draws, so that the decoders of pictures are not linked here.
const program = "blunux-ai-extra"

// drawTimeout bounds the drawing, which asks the terminal what it can do.
const drawTimeout = 10 * time.Second

// Picture draws the picture of a file at the controlling terminal. Where that is not possible, w gets a row with the file's
// name, as a link that terminals can open.
func Picture(w io.Writer, path string) {
	if draw(path) == nil {
		return
	}
	name := ipc.VisibleLine(path)
	if hasLinks() {
		host, _ := os.Hostname() // "" means this computer
		name = term.FileLink(host, path, name)
	}
	fmt.Fprintln(w, "  "+name)
}

func draw(path string) error {
	file, err := installed.Find(program)
	if err != nil {
		return err
	}
	options, err := json.Marshal(map[string]string{"path": path})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), drawTimeout)
	defer cancel()
	return errand.Run(ctx, []string{file, "draw", string(options)})
}

// hasLinks reports whether the terminal reads the sequence of a link, at least to ignore it.
func hasLinks() bool {
	name := os.Getenv("TERM")
	return name != "" && name != "dumb" && name != "linux" && !strings.HasPrefix(name, "screen")
}
