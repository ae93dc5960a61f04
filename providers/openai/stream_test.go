package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

func readAll(r io.Reader, limit int) ([]string, error) {
	events := newSSEReader(r, limit)
	var all []string
	for {
		data, err := events.next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, string(data))
	}
}

// reference reads events the plain way: all of it at once.
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

func TestSSELines(t *testing.T) {
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

func TestSSELimits(t *testing.T) {
	for _, in := range []string{"data: " + strings.Repeat("x", 200), strings.Repeat("data: 0123456789\n", 20), ":" + strings.Repeat("c", 200)} {
		_, err := readAll(strings.NewReader(in), 100)
		require.ErrorIs(t, err, transport.ErrTooLong)
	}
	_, err := readAll(io.MultiReader(strings.NewReader("data: a\n"), iotest.ErrReader(io.ErrUnexpectedEOF)), 100)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF, "a broken connection is not an end")
}

func TestSSEDoesNotCareHowBytesArrive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stream := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"data: ", "data:", "\n", "\r", "\r\n", "한", "x", ":", "event: e", "\ufeff"})).Draw(t, "parts"), "")
		got, err := readAll(iotest.OneByteReader(strings.NewReader(stream)), 1000)
		require.NoError(t, err)
		require.Equal(t, reference([]byte(stream)), got)
	})
}

func FuzzSSE(f *testing.F) {
	f.Add([]byte("data: a\r\n\r\n: c\ndata: b\ndata: c\n\n"))
	f.Add([]byte("\ufeffdata: [DONE]"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		got, err := readAll(bytes.NewReader(stream), 1<<20)
		require.NoError(t, err)
		require.Equal(t, reference(stream), got)
	})
}

// FuzzStream feeds any bytes as an answer: the result is a well-formed message
// or an error, and the streamed pieces are its text.
func FuzzStream(f *testing.F) {
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"<think>a</think>b\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"), true)
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-1,\"function\":{\"name\":\"a\",\"arguments\":\"{\"}}]}}]}\n\ndata: [DONE]\n\n"), true)
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"reasoning_details\":[{\"index\":9,\"text\":\"a\"},{\"text\":3},4],\"reasoning_content\":\"x\",\"extra_content\":{\"a\":[1, 2]}},\"finish_reason\":\"length\"}]}"), true)
	f.Add([]byte(`{"choices":[{"message":{"content":[{"text":"a"}],"tool_calls":[{"id":"1","function":{"name":"n","arguments":{"a":1}}}]}}],"usage":{"prompt_tokens":1}}`), false)
	client, err := transport.New(transport.Options{Provider: "p"})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, body []byte, stream bool) {
		call := client.Call(t.Context())
		defer call.End(false)
		var pieces strings.Builder
		a := &assembly{vendor: "v", thinkTags: true, count: call.Count, onText: func(s string) { pieces.WriteString(s) }}
		resp := &http.Response{Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body))}
		if stream {
			resp.Header.Set("Content-Type", "text/event-stream")
		}
		if a.read(resp, 1<<20) != nil {
			return
		}
		done, err := a.completion(call)
		if err != nil {
			return
		}
		text := ""
		for _, b := range done.Content {
			switch b.Type {
			case providers.BlockText:
				text += b.Text
			case providers.BlockToolUse:
				var object map[string]any
				require.NoError(t, json.Unmarshal(b.Input, &object))
				require.NotEmpty(t, b.Name)
				require.NotEmpty(t, b.ID)
			case providers.BlockOpaque:
				require.True(t, json.Valid(b.Raw))
			}
		}
		require.Equal(t, text, pieces.String())
	})
}
