package main_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"rsc.io/qr"
	"rsc.io/qr/coding"
)

// cells are the dark modules of a QR code.
type cells [][]bool

// findCode returns the last QR code on a screen, drawn in rows of half blocks, or nil.
func findCode(screen string) cells {
	var found, rows [][]rune
	for _, line := range strings.Split(strings.ReplaceAll(screen, "\r", ""), "\n") {
		if i := strings.LastIndex(line, "\x1b[J"); i >= 0 {
			line = line[i+3:]
		}
		runes := []rune(line)
		if len(runes) > 40 && strings.Trim(line, " ▀▄█") == "" {
			rows = append(rows, runes)
			continue
		}
		if len(rows) > 20 { // other text ends the code
			found = rows
		}
		rows = nil
	}
	var c cells
	for _, row := range found {
		top, bottom := make([]bool, len(row)), make([]bool, len(row))
		for x, r := range row {
			top[x], bottom[x] = r == ' ' || r == '▄', r == ' ' || r == '▀'
		}
		c = append(c, top, bottom)
	}
	if len(c) > 0 && !slices.Contains(c[len(c)-1], false) {
		c = c[:len(c)-1] // nothing is drawn below the last row
	}
	return c
}

// readPNG returns the modules of a PNG written by [qr.Code.PNG].
func readPNG(t *testing.T, path string) cells {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	img, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	const scale = 8
	b := img.Bounds()
	c := make(cells, b.Dy()/scale)
	for y := range c {
		c[y] = make([]bool, b.Dx()/scale)
		for x := range c[y] {
			c[y][x] = dark(img, x*scale+scale/2, y*scale+scale/2)
		}
	}
	return c
}

func dark(img image.Image, x, y int) bool {
	r, _, _, _ := img.At(x, y).RGBA()
	return r < 0x8000
}

// crop crops the empty zone around a code.
func (c cells) crop() cells {
	top, left, size := -1, len(c[0]), 0
	for y, row := range c {
		for x, d := range row {
			if d && top < 0 {
				top = y
			}
			if d {
				left, size = min(left, x), max(size, x)
			}
		}
	}
	size -= left - 1
	if top < 0 || top+size > len(c) {
		return nil
	}
	out := make(cells, size)
	for y := range out {
		out[y] = c[top+y][left : left+size]
	}
	return out
}

// decode decodes a code.
func (c cells) decode(t *testing.T) string {
	t.Helper()
	c = c.crop()
	version := coding.Version((len(c) - 17) / 4)
	for mask := range coding.Mask(8) {
		plan, err := coding.NewPlan(version, coding.L, mask)
		require.NoError(t, err)
		if text := c.unmask(plan, version); strings.HasPrefix(text, "https://wa.me/") {
			return text
		}
	}
	require.FailNow(t, "the code cannot be read")
	return ""
}

func (c cells) unmask(plan *coding.Plan, version coding.Version) string {
	data := make([]byte, plan.DataBytes+plan.CheckBytes)
	for y, row := range plan.Pixel {
		for x, pix := range row {
			if r := pix.Role(); r != coding.Data && r != coding.Check {
				continue
			}
			if c[y][x] != (pix&coding.Invert != 0) {
				data[pix.Offset()/8] |= 1 << (7 - pix.Offset()%8)
			}
		}
	}
	if data[0]>>4 != 4 || version < 10 { // byte mode with a two-byte length
		return ""
	}
	n := int(data[0]&0xf)<<12 | int(data[1])<<4 | int(data[2])>>4
	var text []byte
	for i := 2; i < n+2 && i+1 < len(data); i++ {
		text = append(text, data[i]<<4|data[i+1]>>4)
	}
	return string(text)
}

func TestAReaderReadsWhatIsDrawn(t *testing.T) {
	text := "https://wa.me/settings/linked_devices#" + strings.Repeat("0aZ,", 65)
	code, err := qr.Encode(text, qr.L)
	require.NoError(t, err)
	path := t.TempDir() + "/c.png"
	require.NoError(t, os.WriteFile(path, code.PNG(), 0o600))
	require.Equal(t, text, readPNG(t, path).decode(t))
}
