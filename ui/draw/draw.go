// Package draw draws a picture at the person's terminal, if that can show one: with kitty's graphics protocol or as sixels.
package draw

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // the first frame
	_ "image/jpeg" // WebP has no decoder in the standard library; its file is named instead
	_ "image/png"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/charmbracelet/x/ansi/sixel"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/internal/picture"
)

// ErrCannot reports a terminal that shows no pictures, as far as is known.
var ErrCannot = errors.New("the terminal shows no pictures")

// maxPixels bounds a picture that is decoded, which takes four bytes a pixel.
const maxPixels = 16 << 20

// Show draws the picture of a file at a terminal, as wide and high as it fits, and ends the row below it.
func Show(tty *os.File, path string, getenv func(string) string) error {
	protocol, err := protocolOf(tty, getenv)
	if err != nil {
		return err
	}
	img, err := load(path)
	if err != nil {
		return err
	}
	width, height := space(tty)
	var out bytes.Buffer // so that a failure draws no half
	if err := protocol(&out, fit(img, width, height)); err != nil {
		return fmt.Errorf("cannot draw %s: %w", path, err)
	}
	out.WriteString("\r\n")
	_, err = tty.Write(out.Bytes())
	return err
}

// protocolOf returns how the terminal draws. Within tmux and screen it is unknown what the terminal around them can do.
func protocolOf(tty *os.File, getenv func(string) string) (func(io.Writer, image.Image) error, error) {
	term := getenv("TERM")
	switch {
	case getenv("TMUX") != "", getenv("STY") != "", strings.HasPrefix(term, "tmux"), strings.HasPrefix(term, "screen"),
		term == "", term == "dumb", term == "linux":
		return nil, ErrCannot
	case slices.Contains([]string{"xterm-kitty", "xterm-ghostty", "ghostty"}, term), getenv("KITTY_WINDOW_ID") != "",
		slices.Contains([]string{"WezTerm", "ghostty"}, getenv("TERM_PROGRAM")):
		return writeKitty, nil
	}
	attributes, err := deviceAttributes(tty)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCannot, err)
	}
	if slices.Contains(attributes, sixelAttribute) {
		return writeSixel, nil
	}
	return nil, ErrCannot
}

// writeKitty writes a picture in kitty's protocol, and asks for no reply.
func writeKitty(w io.Writer, img image.Image) error {
	return kitty.EncodeGraphics(w, img, &kitty.Options{
		Action: kitty.TransmitAndPut, Transmission: kitty.Direct, Format: kitty.PNG, Chunk: true, Quiet: 2,
	})
}

// writeSixel writes a picture as sixels: pixels without a colour keep the background.
func writeSixel(w io.Writer, img image.Image) error {
	var data bytes.Buffer
	if err := (&sixel.Encoder{}).Encode(&data, img); err != nil {
		return err
	}
	_, err := io.WriteString(w, ansi.SixelGraphics(0, 1, 0, data.Bytes()))
	return err
}

// load decodes the picture of a regular file.
func load(path string) (image.Image, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	data, err := io.ReadAll(io.LimitReader(f, picture.MaxSize+1))
	if err != nil {
		return nil, err
	}
	h, ok := picture.Read(data)
	if !ok || len(data) > picture.MaxSize || h.Width > maxPixels/h.Height {
		return nil, fmt.Errorf("%s is not a picture, or too large", path)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("cannot decode %s: %w", path, err)
	}
	return img, nil
}

// The assumed size of a cell in pixels, if the terminal does not report its own.
const (
	cellWidth  = 8
	cellHeight = 16
)

// space returns the pixels that a picture may take: the width of the terminal, and two thirds of its height, so that the
// text above it stays in view.
func space(tty *os.File) (width, height int) {
	size, err := unix.IoctlGetWinsize(int(tty.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 || size.Row == 0 {
		return 80 * cellWidth, 16 * cellHeight
	}
	width, height = int(size.Xpixel), int(size.Ypixel)
	if width == 0 || height == 0 {
		width, height = int(size.Col)*cellWidth, int(size.Row)*cellHeight
	}
	return width, height * 2 / 3
}
