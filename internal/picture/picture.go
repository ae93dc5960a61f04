// Package picture identifies a picture by its first bytes, without decoding it.
package picture

import (
	"encoding/binary"
	"fmt"
)

// The bounds of a picture that a model is shown. The vendors take 5 MiB in base64, and 8,000 pixels a side.
const (
	MaxSize = 5 << 20 / 4 * 3 // bytes
	MaxSide = 8000            // pixels
)

// Header describes a picture. Its media type is image/png, image/jpeg, image/gif or image/webp.
type Header struct {
	MediaType     string
	Width, Height int // pixels
}

// String returns the header as people read it: image/png, 1280×800.
func (h Header) String() string { return fmt.Sprintf("%s, %d×%d", h.MediaType, h.Width, h.Height) }

// IsShowable reports whether a model can be shown the picture, which has size bytes.
func (h Header) IsShowable(size int) bool {
	return size <= MaxSize && h.Width <= MaxSide && h.Height <= MaxSide
}

// Read returns the header of the picture that data begins with. It does not allocate. ok is false for everything else,
// and for a picture whose size does not follow in data.
func Read(data []byte) (h Header, ok bool) {
	switch {
	case begins(data, 0, "\x89PNG\r\n\x1a\n"):
		h = readPNG(data)
	case begins(data, 0, "GIF87a"), begins(data, 0, "GIF89a"):
		h = readGIF(data)
	case begins(data, 0, "\xff\xd8\xff"):
		h = readJPEG(data)
	case begins(data, 0, "RIFF") && begins(data, 8, "WEBP"):
		h = readWebP(data)
	}
	return h, h.Width > 0 && h.Height > 0
}

func begins(data []byte, at int, with string) bool {
	return len(data) >= at+len(with) && string(data[at:at+len(with)]) == with
}

// readPNG reads the first chunk: W3C PNG, IHDR.
func readPNG(data []byte) Header {
	if len(data) < 24 || !begins(data, 12, "IHDR") {
		return Header{}
	}
	return Header{"image/png", sideOf(binary.BigEndian.Uint32(data[16:])), sideOf(binary.BigEndian.Uint32(data[20:]))}
}

// sideOf returns a side, 0 if it is more than a format allows.
func sideOf(n uint32) int {
	if n > 1<<31-1 {
		return 0
	}
	return int(n)
}

// readGIF reads the logical screen descriptor.
func readGIF(data []byte) Header {
	if len(data) < 10 {
		return Header{}
	}
	return Header{"image/gif", int(binary.LittleEndian.Uint16(data[6:])), int(binary.LittleEndian.Uint16(data[8:]))}
}

// readJPEG skips segments up to the start of a frame: ITU-T T.81, annex B.
func readJPEG(data []byte) Header {
	for at := 2; at+9 < len(data) && data[at] == 0xff; {
		marker := data[at+1]
		switch {
		case marker == 0xff: // a fill byte
			at++
			continue
		case marker == 0x01, marker >= 0xd0 && marker <= 0xd7: // without a segment
			at += 2
			continue
		case isFrame(marker):
			return Header{"image/jpeg", int(binary.BigEndian.Uint16(data[at+7:])), int(binary.BigEndian.Uint16(data[at+5:]))}
		}
		at += 2 + int(binary.BigEndian.Uint16(data[at+2:]))
	}
	return Header{}
}

// isFrame reports whether a marker starts a frame. Three of the range have other meanings: DHT, JPG and DAC.
func isFrame(marker byte) bool {
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc
}

// readWebP reads the first chunk of one of the three kinds: RFC 9649.
func readWebP(data []byte) Header {
	if len(data) < 30 {
		return Header{}
	}
	h := Header{MediaType: "image/webp"}
	switch string(data[12:16]) {
	case "VP8 ":
		if begins(data, 23, "\x9d\x01\x2a") {
			h.Width = int(binary.LittleEndian.Uint16(data[26:]) & 0x3fff)
			h.Height = int(binary.LittleEndian.Uint16(data[28:]) & 0x3fff)
		}
	case "VP8L":
		if data[20] == 0x2f {
			bits := binary.LittleEndian.Uint32(data[21:])
			h.Width, h.Height = int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1
		}
	case "VP8X":
		h.Width, h.Height = 1+uint24(data[24:]), 1+uint24(data[27:])
	}
	return h
}

func uint24(data []byte) int { return int(data[0]) | int(data[1])<<8 | int(data[2])<<16 }
