package picture_test

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/internal/picture"
)

// webps are the first bytes of the three kinds of WebP files, after RFC 9649, sections 2.5 to 2.7.
var webps = map[string]picture.Header{
	"RIFF\x3c\x00\x00\x00WEBPVP8 \x30\x00\x00\x00\xd0\x01\x00\x9d\x01\x2a\x03\x00\x02\x00\x02\x00": {MediaType: "image/webp", Width: 3, Height: 2},
	"RIFF\x1c\x00\x00\x00WEBPVP8L\x0f\x00\x00\x00\x2f\x02\x40\x00\x00\x07\x10\x11\xfd\x0f\x44":     {MediaType: "image/webp", Width: 3, Height: 2},
	"RIFF\x60\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x10\x00\x00\x00\xff\x04\x00\x1f\x03\x00AL":       {MediaType: "image/webp", Width: 1280, Height: 800},
}

func TestTheHeaderIsWhatADecoderSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := image.Rect(0, 0, rapid.IntRange(1, 300).Draw(t, "width"), rapid.IntRange(1, 300).Draw(t, "height"))
		kind := rapid.SampledFrom([]string{"image/png", "image/jpeg", "image/gif"}).Draw(t, "kind")
		var b bytes.Buffer
		var err error
		switch kind {
		case "image/png":
			err = png.Encode(&b, image.NewNRGBA(size))
		case "image/jpeg":
			err = jpeg.Encode(&b, image.NewGray(size), nil)
		case "image/gif":
			err = gif.Encode(&b, image.NewPaletted(size, color.Palette{color.Black}), nil)
		}
		require.NoError(t, err)
		h, ok := picture.Read(b.Bytes())
		require.True(t, ok)
		require.Equal(t, picture.Header{MediaType: kind, Width: size.Dx(), Height: size.Dy()}, h)
	})
	for data, want := range webps {
		h, ok := picture.Read([]byte(data))
		require.True(t, ok)
		require.Equal(t, want, h)
	}
}

func TestWhatIsNoPictureIsNone(t *testing.T) {
	for _, data := range []string{
		"", "\x89PNG\r\n\x1a\n", "GIF89a", "GIF89a\x00\x00\x00\x00", "\xff\xd8\xff", "\xff\xd8\xff\xe0\x00\x00", "\xff\xd8\xff\xe0\xff\xff\x00\x00\x00\x00\x00\x00",
		"RIFF\x00\x00\x00\x00WEBPVP8 ", "RIFF\x00\x00\x00\x00WAVEfmt \x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "BM", "<svg/>", "%PDF-1.7",
	} {
		_, ok := picture.Read([]byte(data))
		require.False(t, ok, "%q", data)
	}
}

func TestTheBoundsOfAPicture(t *testing.T) {
	h := picture.Header{MediaType: "image/png", Width: 1280, Height: 800}
	require.Equal(t, "image/png, 1280×800", h.String())
	require.True(t, h.IsShowable(picture.MaxSize))
	require.False(t, h.IsShowable(picture.MaxSize+1))
	h.Height = picture.MaxSide + 1
	require.False(t, h.IsShowable(1))
}

func TestReadingAHeaderAllocatesNothing(t *testing.T) {
	data := []byte("a text that is not a picture, and long enough for every header")
	require.Zero(t, testing.AllocsPerRun(10, func() { picture.Read(data) }))
}

func FuzzRead(f *testing.F) {
	for data := range webps {
		f.Add([]byte(data))
	}
	f.Add([]byte("\xff\xd8\xff\xff\xff\xd0\xff\xc0\x00\x11\x08\x00\x10\x00\x10"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if h, ok := picture.Read(data); ok {
			require.NotEmpty(t, h.MediaType)
			require.Positive(t, h.Width)
			require.Positive(t, h.Height)
		}
	})
}
