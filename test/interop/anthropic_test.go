package interop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/anthropic"
	"github.com/nidoit/blunux-ai/test/providertest"
)

func claude(t *testing.T, url string) asker {
	m, err := anthropic.New(anthropic.Options{Model: "claude-sonnet-4-6", BaseURL: url, Images: true})
	require.NoError(t, err)
	return m
}

// sdkMessages is the SDK's client without what it reads from the environment.
func sdkMessages(url string) sdk.MessageService {
	return sdk.NewMessageService(option.WithBaseURL(url), option.WithAPIKey(providertest.Key), option.WithMaxRetries(0))
}

func TestAnthropicReadsOurRequests(t *testing.T) {
	thinking := providers.Block{Type: providers.BlockOpaque, Provider: anthropic.Package, Raw: json.RawMessage(`{"type":"thinking","thinking":"<hm> & 그래","signature":"S+/="}`)}
	answer := `{"content":[{"type":"text","text":"네"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`
	sent, _, _ := exchange(t, func(url string) asker { return claude(t, url) }, conversation(thinking), "application/json", answer)
	var params sdk.MessageNewParams
	require.NoError(t, json.Unmarshal(sent, &params))
	require.JSONEq(t, without(t, sent, "stream"), encode(t, params), "nothing is lost; the SDK says stream itself")

	require.Equal(t, sdk.Model("claude-sonnet-4-6"), params.Model)
	require.Equal(t, int64(512), params.MaxTokens)
	require.Equal(t, "You run this computer.", params.System[0].Text)
	require.Equal(t, "iVBORwD/", params.Messages[0].Content[1].OfImage.Source.OfBase64.Data)
	require.Equal(t, "<hm> & 그래", params.Messages[1].Content[0].OfThinking.Thinking)
	require.Equal(t, "t2", params.Messages[1].Content[3].OfToolUse.ID)
	require.True(t, params.Messages[2].Content[1].OfToolResult.IsError.Value)
	require.Equal(t, "check_disk", params.Tools[0].OfTool.Name)
}

// The SDK, given the request that it read from us, asks a server for the same as we do.
func TestAnthropicSendsWhatWeSend(t *testing.T) {
	server := providertest.Anthropic(t, func(int, providertest.Request) providertest.Reply {
		return providertest.Reply{Text: []string{"네"}}
	})
	_, err := claude(t, server.URL).Complete(context.Background(), conversation(), nil)
	require.NoError(t, err)
	var params sdk.MessageNewParams
	require.NoError(t, json.Unmarshal([]byte(server.Requests()[0].Body), &params))
	_, err = readWithSDK(t, server.URL, params)
	require.NoError(t, err)

	ours, theirs := server.Requests()[0], server.Requests()[1]
	require.JSONEq(t, theirs.Body, ours.Body)
	for _, name := range []string{"Anthropic-Version", "Content-Type"} {
		require.Equal(t, theirs.Header[name], ours.Header[name])
	}
}

var anyParams = sdk.MessageNewParams{Model: "m", MaxTokens: 100, Messages: []sdk.MessageParam{sdk.NewUserMessage(sdk.NewTextBlock("?"))}}

// readWithSDK reads an answer with the SDK's client and accumulator.
func readWithSDK(t *testing.T, url string, params sdk.MessageNewParams) (sdk.Message, error) {
	t.Helper()
	messages := sdkMessages(url)
	stream := messages.NewStreaming(context.Background(), params)
	defer stream.Close()
	var m sdk.Message
	for stream.Next() {
		require.NoError(t, m.Accumulate(stream.Current()))
	}
	return m, stream.Err()
}

// requireSame checks that both readers found the same message.
func requireSame(t *testing.T, want sdk.Message, got providers.Completion) {
	t.Helper()
	var blocks []sdk.ContentBlockUnion
	for _, b := range want.Content {
		if b.Type != "text" || b.Text != "" { // we leave out empty text
			blocks = append(blocks, b)
		}
	}
	require.Len(t, got.Content, len(blocks))
	for i, b := range blocks {
		switch ours := got.Content[i]; b.Type {
		case "text":
			require.Equal(t, providers.Text(b.Text), ours)
		case "tool_use":
			require.Equal(t, []string{b.ID, b.Name}, []string{ours.ID, ours.Name})
			require.JSONEq(t, string(b.Input), string(ours.Input))
		default:
			require.Equal(t, anthropic.Package, ours.Provider)
			require.JSONEq(t, b.RawJSON(), string(ours.Raw))
		}
	}
	u := want.Usage
	require.Equal(t, providers.Usage{
		InputTokens:  int(u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens),
		OutputTokens: int(u.OutputTokens), CachedTokens: int(u.CacheReadInputTokens),
	}, got.Usage)
}

// readBoth reads one answer with both clients.
func readBoth(t *testing.T, contentType, answer string) (sdk.Message, error, providers.Completion, error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, answer)
	}))
	defer server.Close()
	want, wantErr := readWithSDK(t, server.URL, anyParams)
	got, gotErr := claude(t, server.URL).Complete(context.Background(), conversation(), nil)
	return want, wantErr, got, gotErr
}

func TestWeReadRecordedStreamsAsAnthropicDoes(t *testing.T) {
	files, err := filepath.Glob("../../providers/anthropic/testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			_, body, _ := strings.Cut(string(text), "\n") // the first line names the source
			want, wantErr, got, gotErr := readBoth(t, "text/event-stream", body)
			require.NoError(t, wantErr)
			require.NoError(t, gotErr)
			requireSame(t, want, got)
		})
	}
}

// writer makes streams of the kinds of blocks that the API has, cut into deltas at random places.
type writer struct {
	*rand.Rand
	events []string
	blocks int
}

func (w *writer) event(t *testing.T, name string, fields map[string]any) {
	fields["type"] = name
	w.events = append(w.events, "event: "+name+"\ndata: "+encode(t, fields)+"\n\n")
}

func (w *writer) block(t *testing.T, start map[string]any, deltas ...map[string]any) {
	w.event(t, "content_block_start", map[string]any{"index": w.blocks, "content_block": start})
	for _, d := range deltas {
		w.event(t, "content_block_delta", map[string]any{"index": w.blocks, "delta": d})
		if w.IntN(4) == 0 {
			w.event(t, "ping", map[string]any{})
		}
	}
	w.event(t, "content_block_stop", map[string]any{"index": w.blocks})
	w.blocks++
}

// deltas cuts a text into deltas.
func (w *writer) deltas(kind, field, text string) (list []map[string]any) {
	for runes := []rune(text); len(runes) > 0; {
		n := w.IntN(len(runes) + 1)
		list = append(list, map[string]any{"type": kind, field: string(runes[:n])})
		runes = runes[n:]
	}
	return list
}

func (w *writer) text() string {
	pieces := []string{"디스크", " <b>&amp;", "\u2028", "\n\n", "\"\\", "😀", "x", "\t"}
	s := ""
	for range w.IntN(8) {
		s += pieces[w.IntN(len(pieces))]
	}
	return s
}

func (w *writer) input(t *testing.T) string {
	return encode(t, map[string]any{"path": w.text(), "n": w.IntN(100), "list": []any{nil, true, w.text()}})
}

func (w *writer) anyBlock(t *testing.T) {
	id := fmt.Sprint("toolu_", w.blocks)
	switch w.IntN(6) {
	case 0:
		deltas := append(w.deltas("thinking_delta", "thinking", w.text()), w.deltas("signature_delta", "signature", "EqQB+/=="+id)...)
		w.block(t, map[string]any{"type": "thinking", "thinking": "", "signature": ""}, deltas...)
	case 1:
		w.block(t, map[string]any{"type": "redacted_thinking", "data": w.text()})
	case 2:
		w.block(t, map[string]any{"type": "server_tool_use", "id": id, "name": "web_search", "input": map[string]any{}}, w.deltas("input_json_delta", "partial_json", w.input(t))...)
	case 3:
		w.block(t, map[string]any{"type": "web_search_tool_result", "tool_use_id": id, "content": []any{
			map[string]any{"type": "web_search_result", "title": w.text(), "url": "https://example.org/?a&b", "encrypted_content": "Eo8P+/==", "page_age": nil},
		}})
	case 4:
		w.block(t, map[string]any{"type": "tool_use", "id": id, "name": "check_disk", "input": map[string]any{}}, w.deltas("input_json_delta", "partial_json", w.input(t))...)
	default:
		w.block(t, map[string]any{"type": "text", "text": w.text()}, w.deltas("text_delta", "text", w.text())...)
	}
}

func TestWeReadAnyStreamAsAnthropicDoes(t *testing.T) {
	for seed := range uint64(200) {
		w := &writer{Rand: rand.New(rand.NewPCG(seed, 0))}
		usage := map[string]any{"input_tokens": w.IntN(1000), "cache_creation_input_tokens": w.IntN(1000), "cache_read_input_tokens": w.IntN(1000), "output_tokens": 1}
		w.event(t, "message_start", map[string]any{"message": map[string]any{"id": "m", "type": "message", "role": "assistant", "content": []any{}, "usage": usage}})
		for range w.IntN(5) {
			w.anyBlock(t)
		}
		w.block(t, map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": "끝"})
		final := map[string]any{"output_tokens": w.IntN(1000)}
		if w.IntN(2) == 0 {
			final["input_tokens"], final["cache_read_input_tokens"] = w.IntN(1000), w.IntN(1000)
		}
		w.event(t, "message_delta", map[string]any{"delta": map[string]any{"stop_reason": "end_turn"}, "usage": final})
		w.event(t, "message_stop", map[string]any{})
		answer := strings.Join(w.events, "")
		want, wantErr, got, gotErr := readBoth(t, "text/event-stream", answer)
		require.NoError(t, wantErr, answer)
		require.NoError(t, gotErr, answer)
		requireSame(t, want, got)
	}
}

func TestOurFakeServerServesAnthropicsClient(t *testing.T) {
	reply := providertest.Reply{
		Thinking: "디스크 먼저", Signature: "EqQB+/==", Text: []string{"둘 다 ", "볼게요."},
		Tools: []providertest.Call{{ID: "t1", Name: "check_disk", Input: `{"path":"/"}`}},
		Usage: providers.Usage{InputTokens: 100, OutputTokens: 7, CachedTokens: 64},
	}
	plain := reply
	plain.Plain = true
	plain.Text = []string{"둘 다 볼게요."}
	server := providertest.Anthropic(t, providertest.Replies(reply, plain, providertest.Reply{Status: 529, Message: "Overloaded"}))
	streamed, err := readWithSDK(t, server.URL, anyParams)
	require.NoError(t, err)
	messages := sdkMessages(server.URL)
	whole, err := messages.New(context.Background(), anyParams)
	require.NoError(t, err)
	for _, m := range []sdk.Message{streamed, *whole} {
		require.Equal(t, "디스크 먼저", m.Content[0].AsThinking().Thinking)
		require.Equal(t, "EqQB+/==", m.Content[0].AsThinking().Signature)
		require.Equal(t, "둘 다 볼게요.", m.Content[1].AsText().Text)
		require.JSONEq(t, `{"path":"/"}`, string(m.Content[2].AsToolUse().Input))
		require.Equal(t, sdk.StopReasonToolUse, m.StopReason)
		require.Equal(t, []int64{36, 64, 7}, []int64{m.Usage.InputTokens, m.Usage.CacheReadInputTokens, m.Usage.OutputTokens})
	}
	_, err = messages.New(context.Background(), anyParams)
	var refused *sdk.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, 529, refused.StatusCode)
	require.Equal(t, sdk.ErrorTypeOverloadedError, refused.Type())
}

// The SDK lists the types of errors. Each has its status, which decides whether the request is repeated.
func TestWeReadAnthropicsErrors(t *testing.T) {
	for kind, status := range map[sdk.ErrorType]int{
		sdk.ErrorTypeInvalidRequestError: 400, sdk.ErrorTypeAuthenticationError: 401, sdk.ErrorTypeBillingError: 402,
		sdk.ErrorTypePermissionError: 403, sdk.ErrorTypeNotFoundError: 404, sdk.ErrorTypeRateLimitError: 429,
		sdk.ErrorTypeAPIError: 500, sdk.ErrorTypeTimeoutError: 504, sdk.ErrorTypeOverloadedError: 529,
	} {
		data := fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":"no <more>"},"request_id":"req_1"}`, kind)
		_, wantErr, _, gotErr := readBoth(t, "text/event-stream", "event: error\ndata: "+data+"\n\n")
		var theirs *sdk.Error
		require.ErrorAs(t, wantErr, &theirs)
		require.Equal(t, kind, theirs.Type())
		var ours *providers.Error
		require.True(t, errors.As(gotErr, &ours))
		require.Equal(t, status, ours.Status, kind)
		require.Equal(t, "no <more>", ours.Message)
	}
}

func TestWeReadAnthropicsStopReasons(t *testing.T) {
	for reason, want := range map[sdk.StopReason]providers.StopReason{
		sdk.StopReasonEndTurn: providers.StopEndTurn, sdk.StopReasonStopSequence: providers.StopEndTurn,
		sdk.StopReasonToolUse: providers.StopEndTurn, sdk.StopReasonPauseTurn: providers.StopEndTurn,
		sdk.StopReasonMaxTokens: providers.StopMaxTokens, sdk.StopReasonModelContextWindowExceeded: providers.StopMaxTokens,
		sdk.StopReasonRefusal: providers.StopRefusal,
	} {
		body := encode(t, map[string]any{"type": "message", "content": []any{map[string]any{"type": "text", "text": "x"}}, "stop_reason": reason})
		_, got, _ := exchange(t, func(url string) asker { return claude(t, url) }, conversation(), "application/json", body)
		require.Equal(t, want, got.Stop, reason)
	}
}
