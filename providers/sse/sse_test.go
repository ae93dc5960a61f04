package sse_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/providers/sse"
	"github.com/nidoit/blunux-ai/providers/transport"
)

func readAll(r io.Reader, limit int) ([]string, error) {
	events := sse.NewReader(r, limit)
	var all []string
	for {
		data, err := events.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, string(data))
	}
}

// reference reads the whole stream first and then splits it.
func reference(stream []byte) []string {
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(string(stream), "\ufeff"))
	var all, data []string
	for _, line := range append(strings.Split(text, "\n"), "") {
		switch name, value, _ := strings.Cut(line, ":"); {
		case line == "" && data != nil:
			all, data = append(all, strings.Join(data, "\n")), nil
		case name == "data":
			data = append(data, strings.TrimPrefix(value, " "))
		}
	}
	return all
}

func TestLines(t *testing.T) {
	for in, want := range map[string][]string{
		"data: a\n\n":                    {"a"},
		"data:a\r\n\r\ndata:  b\r\n\r\n": {"a", " b"},
		"data: a\r\rdata: b\r\r":         {"a", "b"},
		"data: a\ndata: b\n\n":           {"a\nb"},
		"data\n\n":                       {""},
		":c\nevent: e\n\ndata: a":        {"a"},
		"\n\n\n":                         nil,
		"data: a\n\ndata: b":             {"a", "b"},
		"datax: a\n\n data: b\n\n":       nil,
		"data: 한\xff\n\n":                {"한\xff"},
	} {
		got, err := readAll(strings.NewReader(in), 100)
		require.NoError(t, err)
		require.Equal(t, want, got, "%q", in)
		require.Equal(t, want, reference([]byte(in)), "%q", in)
	}
}

func TestNames(t *testing.T) {
	events := sse.NewReader(strings.NewReader("event: lost\n\nevent:a\ndata: 1\n\ndata: 2\n\ndata: 3\r\nevent: x\r\nevent: b c\r\n\r\ndata: 4\nevent"), 100)
	for _, want := range []string{"a", "", "b c", ""} {
		_, err := events.Next()
		require.NoError(t, err)
		require.Equal(t, want, events.Name())
	}
}

func TestLimits(t *testing.T) {
	for _, in := range []string{"data: " + strings.Repeat("x", 200), strings.Repeat("data: 0123456789\n", 20), ":" + strings.Repeat("c", 200)} {
		_, err := readAll(strings.NewReader(in), 100)
		require.ErrorIs(t, err, transport.ErrTooLong)
	}
	_, err := readAll(io.MultiReader(strings.NewReader("data: a\n"), iotest.ErrReader(io.ErrUnexpectedEOF)), 100)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF, "a broken connection is not an end")
}

func TestItDoesNotCareHowBytesArrive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stream := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"data: ", "data:", "\n", "\r", "\r\n", "한", "x", ":", "event: e", "\ufeff"})).Draw(t, "parts"), "")
		got, err := readAll(iotest.OneByteReader(strings.NewReader(stream)), 1000)
		require.NoError(t, err)
		require.Equal(t, reference([]byte(stream)), got)
	})
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("data: a\r\n\r\n: c\ndata: b\ndata: c\n\n"))
	f.Add([]byte("\ufeffdata: [DONE]"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		got, err := readAll(bytes.NewReader(stream), 1<<20)
		require.NoError(t, err)
		require.Equal(t, reference(stream), got)
	})
}
