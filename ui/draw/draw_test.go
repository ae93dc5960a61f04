package draw_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi/sixel"
	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/ui/draw"
)

// red returns a red picture with a blue right half.
func red(width, height int) image.Image {
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.RGBA{200, 30, 30, 255}, color.RGBA{30, 30, 200, 255}})
	for y := range height {
		for x := width / 2; x < width; x++ {
			img.SetColorIndex(x, y, 1)
		}
	}
	return img
}

func store(t *testing.T, name string, encode func(io.Writer) error) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, encode(f))
	require.NoError(t, f.Close())
	return path
}

func pngOf(t *testing.T, img image.Image) string {
	return store(t, "그림.png", func(w io.Writer) error { return png.Encode(w, img) })
}

// terminal is a terminal that answers the question what it can do with reply, and records what is drawn.
type terminal struct {
	*os.File
	end   func()
	shown <-chan string
}

func open(t *testing.T, reply string) terminal {
	t.Helper()
	outer, inner, err := pty.Open()
	require.NoError(t, err)
	require.NoError(t, pty.Setsize(outer, &pty.Winsize{Cols: 80, Rows: 24, X: 640, Y: 384}))
	shown := make(chan string, 1)
	go func() {
		var all []byte
		for buf := make([]byte, 64<<10); ; {
			n, err := outer.Read(buf)
			all = append(all, buf[:n]...)
			if before, after, asked := bytes.Cut(all, []byte("\x1b[c")); asked {
				all = append(before, after...)
				_, _ = outer.WriteString(reply)
			}
			if err != nil {
				shown <- string(all)
				return
			}
		}
	}()
	t.Cleanup(func() { outer.Close() })
	return terminal{inner, func() { inner.Close() }, shown}
}

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

var kittyChunk = regexp.MustCompile(`\x1b_G([^;]*);([^\x1b]*)\x1b\\`)

func TestKittysProtocolGetsThePicture(t *testing.T) {
	for _, vars := range [][]string{
		{"TERM", "xterm-kitty"}, {"TERM", "xterm-ghostty"}, {"TERM", "xterm-256color", "TERM_PROGRAM", "WezTerm"}, {"TERM", "xterm", "KITTY_WINDOW_ID", "1"},
	} {
		tty := open(t, "not asked")
		require.NoError(t, draw.Show(tty.File, pngOf(t, red(200, 100)), env(vars...)))
		tty.end()
		shown := <-tty.shown
		var data strings.Builder
		for i, chunk := range kittyChunk.FindAllStringSubmatch(shown, -1) {
			if i == 0 {
				require.Contains(t, chunk[1], "a=T")
				require.Contains(t, chunk[1], "q=2", "no reply that the shell would read")
			}
			data.WriteString(chunk[2])
		}
		decoded, err := base64.StdEncoding.DecodeString(data.String())
		require.NoError(t, err)
		img, err := png.Decode(bytes.NewReader(decoded))
		require.NoError(t, err)
		require.Equal(t, image.Rect(0, 0, 200, 100), img.Bounds())
		require.Equal(t, color.RGBAModel.Convert(color.RGBA{200, 30, 30, 255}), color.RGBAModel.Convert(img.At(10, 10)))
		require.Empty(t, strings.TrimSpace(kittyChunk.ReplaceAllString(shown, "")))
	}
}

func TestATerminalWithSixelsGetsThem(t *testing.T) {
	tty := open(t, "\x1b[?62;4;22c")
	require.NoError(t, draw.Show(tty.File, pngOf(t, red(2000, 1000)), env("TERM", "xterm-256color")))
	tty.end()
	shown := <-tty.shown
	_, data, ok := strings.Cut(shown, "q")
	require.True(t, ok)
	img, err := new(sixel.Decoder).Decode(strings.NewReader(data))
	require.NoError(t, err)
	require.Equal(t, image.Pt(512, 256), img.Bounds().Size(), "two thirds of the terminal's height, in proportion")
	r, _, b, _ := img.At(10, 10).RGBA()
	require.Greater(t, r, b)
	r, _, b, _ = img.At(500, 10).RGBA()
	require.Less(t, r, b)
}

func TestWhereNothingCanBeDrawnNothingIsWritten(t *testing.T) {
	path := pngOf(t, red(20, 10))
	for name, c := range map[string]struct {
		vars  []string
		reply string
	}{
		"no sixels":      {[]string{"TERM", "xterm"}, "\x1b[?1;2c"},
		"another reply":  {[]string{"TERM", "xterm"}, "\x1b[>0;115;0c"},
		"garbage":        {[]string{"TERM", "xterm"}, "\x1b[?;;c"},
		"no reply":       {[]string{"TERM", "xterm"}, ""},
		"tmux in kitty":  {[]string{"TERM", "tmux-256color", "KITTY_WINDOW_ID", "1", "TMUX", "/tmp/s"}, "\x1b[?62;4c"},
		"GNU screen":     {[]string{"TERM", "screen.xterm-256color", "STY", "1.pts"}, "\x1b[?62;4c"},
		"a dumb one":     {[]string{"TERM", "dumb"}, "\x1b[?62;4c"},
		"the console":    {[]string{"TERM", "linux"}, "\x1b[?62;4c"},
		"no name at all": {nil, "\x1b[?62;4c"},
	} {
		t.Run(name, func(t *testing.T) {
			tty := open(t, c.reply)
			require.ErrorIs(t, draw.Show(tty.File, path, env(c.vars...)), draw.ErrCannot)
			tty.end()
			require.Empty(t, <-tty.shown)
		})
	}
}

// TestTypedInputIsNotLost: the reply would be read together with what was typed before the question.
func TestTypedInputIsNotLost(t *testing.T) {
	outer, inner, err := pty.Open()
	require.NoError(t, err)
	defer outer.Close()
	defer inner.Close()
	_, err = outer.WriteString("typed ahead\n")
	require.NoError(t, err)
	poll := []unix.PollFd{{Fd: int32(inner.Fd()), Events: unix.POLLIN}}
	_, err = unix.Poll(poll, -1)
	require.NoError(t, err)
	require.ErrorIs(t, draw.Show(inner, pngOf(t, red(20, 10)), env("TERM", "xterm")), draw.ErrCannot)
	buf := make([]byte, 100)
	n, err := inner.Read(buf)
	require.NoError(t, err)
	require.Equal(t, "typed ahead\n", string(buf[:n]))
}

func TestWhatIsNoPictureIsNotDrawn(t *testing.T) {
	for name, encode := range map[string]func(io.Writer) error{
		"text.png": func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err },
		"cut.png": func(w io.Writer) error {
			_, err := io.WriteString(w, "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x10\x00\x00\x00\x10")
			return err
		},
		"bomb.gif":  func(w io.Writer) error { _, err := io.WriteString(w, "GIF89a\xff\xff\xff\xff\x00\x00\x00"); return err },
		"image.gif": func(w io.Writer) error { return gif.Encode(w, red(30, 20), nil) },
		"image.jpg": func(w io.Writer) error { return jpeg.Encode(w, red(30, 20), nil) },
	} {
		tty := open(t, "")
		err := draw.Show(tty.File, store(t, name, encode), env("TERM", "xterm-kitty"))
		tty.end()
		if strings.HasPrefix(name, "image") {
			require.NoError(t, err)
			require.Contains(t, <-tty.shown, "a=T")
			continue
		}
		require.Error(t, err)
		require.Empty(t, <-tty.shown)
	}
	fifo := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, unix.Mkfifo(fifo, 0o600))
	require.Error(t, draw.Show(os.Stdin, fifo, env("TERM", "xterm-kitty")))
}
