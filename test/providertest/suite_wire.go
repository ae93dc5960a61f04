package providertest

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// assistantMessage returns a completion as a message of the conversation.
func assistantMessage(done providers.Completion) providers.Message {
	return providers.Message{Role: providers.RoleAssistant, Content: done.Content}
}

func toolResult(id, content string, isError bool) providers.Block {
	return providers.Block{Type: providers.BlockToolResult, ToolUseID: id, Content: content, IsError: isError}
}

func runRequests(t *testing.T, s Subject) {
	t.Run("system prompt, tools and limits are sent as the format says", func(t *testing.T) {
		f := s.New(t, []Reply{{Text: []string{"네"}}}, Settings{})
		req := newRequest("안녕 <b>&")
		_, _, err := complete(f.Model, req)
		require.NoError(t, err)
		seen := f.Server.Requests()[0]
		require.Equal(t, f.Model.ModelID(), seen.Model)
		require.Equal(t, req.System, seen.System)
		require.Equal(t, req.MaxTokens, seen.MaxTokens)
		require.True(t, seen.Stream)
		require.Equal(t, []Entry{{Role: providers.RoleUser, Kind: "text", Text: "안녕 <b>&"}}, seen.Entries)
		require.Len(t, seen.Tools, 1)
		require.Equal(t, req.Tools[0].Name, seen.Tools[0].Name)
		require.Equal(t, req.Tools[0].Description, seen.Tools[0].Description)
		require.JSONEq(t, string(req.Tools[0].InputSchema), string(seen.Tools[0].InputSchema))
		require.NotContains(t, seen.Body, Key)
	})
	t.Run("tool results go back in order with their errors", func(t *testing.T) { toolRoundTrip(t, s) })
	t.Run("opaque blocks go back byte for byte, in their place", func(t *testing.T) { opaqueRoundTrip(t, s) })
	t.Run("another provider's opaque blocks and our own figures stay here", func(t *testing.T) {
		f := s.New(t, []Reply{{Text: []string{"네"}}}, Settings{})
		req := newRequest("하나")
		req.Messages = append(req.Messages,
			providers.Message{Role: providers.RoleAssistant, Content: []providers.Block{
				{Type: providers.BlockOpaque, Provider: "someone-else", Raw: json.RawMessage(`{"secret":"sauce"}`)},
				{Type: providers.BlockToolUse, ID: "t1", Name: "check_disk", Input: json.RawMessage(`{"path":"/"}`)},
			}},
			providers.Message{Role: providers.RoleUser, Content: []providers.Block{{
				Type: providers.BlockToolResult, ToolUseID: "t1", Content: "fenced",
				Output: &providers.Output{Steps: []providers.Step{{Command: "df -h", Stdout: "raw figures"}}},
			}}})
		_, _, err := complete(f.Model, req)
		require.NoError(t, err)
		require.NotContains(t, f.Server.Requests()[0].Body, "sauce")
		require.NotContains(t, f.Server.Requests()[0].Body, "raw figures")
	})
	t.Run("images go to models that take them, a note to others", func(t *testing.T) { images(t, s) })
	t.Run("the picture of a result follows it, or a note does", func(t *testing.T) { resultPicture(t, s) })
	t.Run("malformed arguments arrive as such and can be sent back", func(t *testing.T) {
		f := s.New(t, []Reply{{Tools: []Call{{"t1", "check_disk", `{"path":"/ho`}}, Stop: providers.StopMaxTokens}, {Text: []string{"네"}}}, Settings{})
		req := newRequest("하나")
		done, _, err := complete(f.Model, req)
		require.NoError(t, err)
		require.Equal(t, providers.StopMaxTokens, done.Stop)
		raw, malformed := providers.MalformedInput(done.ToolUses()[0].Input)
		require.True(t, malformed)
		require.Equal(t, `{"path":"/ho`, raw)
		req.Messages = append(req.Messages, assistantMessage(done),
			providers.Message{Role: providers.RoleUser, Content: []providers.Block{toolResult(done.ToolUses()[0].ID, "not JSON", true)}})
		_, _, err = complete(f.Model, req)
		require.NoError(t, err)
	})
	t.Run("a server that does not stream", func(t *testing.T) {
		f := s.New(t, []Reply{{Plain: true, Text: []string{"볼게요"}, Tools: []Call{{"t1", "check_disk", `{"path":"/"}`}}, Usage: providers.Usage{InputTokens: 5, OutputTokens: 6}}}, Settings{})
		done, pieces, err := complete(f.Model, newRequest("하나"))
		require.NoError(t, err)
		require.Equal(t, []string{"볼게요"}, pieces)
		require.Equal(t, providers.StopToolUse, done.Stop)
		require.JSONEq(t, `{"path":"/"}`, string(done.ToolUses()[0].Input))
		require.Equal(t, providers.Usage{InputTokens: 5, OutputTokens: 6}, done.Usage)
	})
}

func images(t *testing.T, s Subject) {
	for _, takes := range []bool{true, false} {
		f := s.New(t, []Reply{{Text: []string{"네"}}}, Settings{Images: takes})
		req := newRequest("뭐가 보여?")
		req.Messages[0].Content = append(req.Messages[0].Content,
			providers.Block{Type: providers.BlockImage, MediaType: "image/png", Data: []byte("\x89PNG\x00")},
			providers.Block{Type: providers.BlockImage, MediaType: "image/x-icon", Data: []byte("icon")})
		before := mustJSON(req.Messages)
		_, _, err := complete(f.Model, req)
		require.NoError(t, err)
		require.Equal(t, before, mustJSON(req.Messages))
		seen := f.Server.Requests()[0]
		require.Contains(t, mustJSON(seen.Entries), "뭐가 보여?")
		require.Contains(t, mustJSON(seen.Entries), "left out")
		require.NotContains(t, seen.Body, "x-icon")
		var found []Entry
		for _, e := range seen.Entries {
			if e.Kind == "image" {
				found = append(found, e)
			}
		}
		if takes {
			require.Equal(t, []Entry{{Role: providers.RoleUser, Kind: "image", MediaType: "image/png", Data: []byte("\x89PNG\x00")}}, found)
		} else {
			require.Empty(t, found)
		}
	}
}

// resultPicture sends two results, the first with a picture. The format decides whether the picture is a part of its result
// or follows both.
func resultPicture(t *testing.T, s Subject) {
	png := []byte("\x89PNG\x00")
	for _, takes := range []bool{true, false} {
		f := s.New(t, []Reply{
			{Tools: []Call{{"t1", "check_disk", `{"path":"/"}`}, {"t2", "check_disk", `{"path":"/home"}`}}}, {Text: []string{"고양이네요."}},
		}, Settings{Images: takes})
		req := newRequest("그림 봐 줘")
		done, _, err := complete(f.Model, req)
		require.NoError(t, err)
		uses := done.ToolUses()
		results := []providers.Block{toolResult(uses[0].ID, "[picture: /a.png]", false), toolResult(uses[1].ID, "62%", false)}
		results[0].Picture = &providers.Picture{MediaType: "image/png", Data: png, Path: "/a.png"}
		req.Messages = append(req.Messages, assistantMessage(done), providers.Message{Role: providers.RoleUser, Content: results})
		_, _, err = complete(f.Model, req)
		require.NoError(t, err)
		require.Equal(t, png, results[0].Picture.Data, "the conversation is not changed")
		require.Equal(t, "[picture: /a.png]", results[0].Content)
		var texts string
		var found, answers []Entry
		for _, e := range f.Server.Requests()[1].Entries {
			switch texts += e.Text + "\n"; e.Kind {
			case "image":
				found = append(found, e)
			case "tool_result":
				answers = append(answers, e)
			}
		}
		require.Len(t, answers, 2)
		require.Contains(t, answers[0].Text, "[picture: /a.png]")
		require.NotContains(t, answers[1].Text, "left out")
		if takes {
			require.Equal(t, []Entry{{Role: providers.RoleUser, Kind: "image", MediaType: "image/png", Data: png}}, found)
			require.NotContains(t, texts, "left out")
		} else {
			require.Empty(t, found)
			require.Contains(t, answers[0].Text, "An image (image/png, 5 bytes) was left out: this model takes no images")
		}
	}
}

func toolRoundTrip(t *testing.T, s Subject) {
	f := s.New(t, []Reply{
		{Text: []string{"볼게요."}, Tools: []Call{{"t1", "check_disk", `{"path":"/"}`}, {"t2", "check_disk", `{"path":"/집"}`}}},
		{Text: []string{"다 봤어요."}},
	}, Settings{})
	req := newRequest("디스크 둘 다")
	done, _, err := complete(f.Model, req)
	require.NoError(t, err)
	uses := done.ToolUses()
	req.Messages = append(req.Messages, assistantMessage(done), providers.Message{Role: providers.RoleUser, Content: []providers.Block{
		providers.Text("서둘러 줘"), toolResult(uses[0].ID, "62% used\n둘째 줄", false), toolResult(uses[1].ID, "no such directory", true),
	}})
	_, _, err = complete(f.Model, req)
	require.NoError(t, err)
	require.Equal(t, []Entry{
		{Role: providers.RoleUser, Kind: "text", Text: "디스크 둘 다"},
		{Role: providers.RoleAssistant, Kind: "text", Text: "볼게요."},
		{Role: providers.RoleAssistant, Kind: "tool_use", ID: "t1", Name: "check_disk", Input: `{"path":"/"}`},
		{Role: providers.RoleAssistant, Kind: "tool_use", ID: "t2", Name: "check_disk", Input: `{"path":"/집"}`},
		{Role: providers.RoleUser, Kind: "tool_result", ID: "t1", Text: "62% used\n둘째 줄"},
		{Role: providers.RoleUser, Kind: "tool_result", ID: "t2", Text: "no such directory", IsError: true},
		{Role: providers.RoleUser, Kind: "text", Text: "서둘러 줘"},
	}, f.Server.Requests()[1].Entries)
}

func opaqueRoundTrip(t *testing.T, s Subject) {
	const thinking = "먼저 <df -h> & \"free\" \\ \u2028 /tmp…\n"
	const signature = "EqQBCkYIBxgCKkBc+/==<sig>&"
	f := s.New(t, []Reply{
		{Thinking: thinking, Signature: signature, Tools: []Call{{"t1", "check_disk", `{"path":"/"}`}}}, {Text: []string{"네"}},
	}, Settings{})
	req := newRequest("생각해 봐")
	done, pieces, err := complete(f.Model, req)
	require.NoError(t, err)
	require.Empty(t, pieces, "reasoning is not answer text")
	// var and loaded, like the session file between two rounds.
	var stored providers.Message
	require.NoError(t, json.Unmarshal([]byte(mustJSON(assistantMessage(done))), &stored))
	req.Messages = append(req.Messages, stored, providers.Message{Role: providers.RoleUser, Content: []providers.Block{toolResult("t1", "62%", false)}})
	_, _, err = complete(f.Model, req)
	require.NoError(t, err)
	var kinds, signatures []string
	for _, e := range f.Server.Requests()[1].Entries {
		kinds = append(kinds, e.Kind)
		if e.Kind == "thinking" {
			require.Equal(t, thinking, e.Text)
		}
		if e.Signature != "" {
			signatures = append(signatures, e.Signature)
		}
	}
	require.Equal(t, []string{"text", "thinking", "tool_use", "tool_result"}, kinds)
	require.Equal(t, []string{signature}, signatures)
}

func runLimits(t *testing.T, s Subject) {
	t.Run("an endless answer ends at the limit", func(t *testing.T) {
		f := s.New(t, []Reply{{Text: []string{strings.Repeat("가나다라 ", 1000)}, Endless: true}}, Settings{Limits: transport.Limits{MaxAnswer: 1 << 20}})
		_, pieces, err := complete(f.Model, newRequest("끝없이"))
		e := requireKind(t, err, providers.KindParse)
		require.Contains(t, e.Message, "answer too long")
		require.LessOrEqual(t, len(strings.Join(pieces, "")), 1<<20)
		requireDisconnect(t, f)
	})
	t.Run("an endless answer ends when cancelled", func(t *testing.T) {
		f := s.New(t, []Reply{{Text: []string{"가"}, Endless: true}}, Settings{})
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		n := 0
		_, err := f.Model.Complete(ctx, newRequest("끝없이"), func(string) {
			if n++; n == 20 {
				cancel()
			}
		})
		require.ErrorIs(t, err, context.Canceled)
		requireDisconnect(t, f)
	})
	t.Run("silence ends the wait", func(t *testing.T) {
		f := s.New(t, []Reply{{Text: []string{"음…"}, Hold: true}}, Settings{Limits: transport.Limits{Idle: 30 * time.Millisecond}})
		_, _, err := complete(f.Model, newRequest("?"))
		require.Contains(t, requireKind(t, err, providers.KindNetwork).Message, "nothing arrived for 30ms")
		requireDisconnect(t, f)
	})
	t.Run("the overall time ends the wait", func(t *testing.T) {
		f := s.New(t, []Reply{{Text: []string{"음…"}, Endless: true}}, Settings{Limits: transport.Limits{Overall: 50 * time.Millisecond}})
		_, _, err := complete(f.Model, newRequest("?"))
		require.Contains(t, requireKind(t, err, providers.KindNetwork).Message, "no complete answer after 50ms")
		requireDisconnect(t, f)
	})
	for name, c := range map[string]struct {
		reply Reply
		kind  providers.Kind
	}{
		"a broken connection":          {Reply{Text: []string{"여기"}, Cut: true}, providers.KindNetwork},
		"a stream without its end":     {Reply{Text: []string{"여기"}, Short: true}, providers.KindNetwork},
		"an event that is not JSON":    {Reply{Text: []string{"여기"}, Broken: true}, providers.KindParse},
		"a connection broken at once":  {Reply{Cut: true}, providers.KindNetwork},
		"a stream that is only opened": {Reply{Short: true}, providers.KindNetwork},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := complete(s.New(t, []Reply{c.reply}, Settings{}).Model, newRequest("?"))
			requireKind(t, err, c.kind)
		})
	}
}

func runConnection(t *testing.T, s Subject) {
	for _, chop := range []int{1, 2, 3, 7} {
		t.Run("characters split over network writes", func(t *testing.T) {
			f := s.New(t, []Reply{{Text: []string{"한글과 ", "漢字 and 😀"}, Tools: []Call{{"t1", "check_disk", `{"path":"/집/사진"}`}}, Chop: chop}}, Settings{})
			done, pieces, err := complete(f.Model, newRequest("?"))
			require.NoError(t, err)
			require.Equal(t, []string{"한글과 ", "漢字 and 😀"}, pieces)
			require.JSONEq(t, `{"path":"/집/사진"}`, string(done.ToolUses()[0].Input))
		})
	}
	t.Run("the connection is used again", func(t *testing.T) {
		f := s.New(t, []Reply{{Text: []string{"하나"}}, {Status: 429, Message: "slow"}, {Plain: true, Text: []string{"둘"}}, {Text: []string{"셋"}}}, Settings{})
		for i := range 4 {
			_, _, err := complete(f.Model, newRequest("?"))
			require.Equal(t, i == 1, err != nil, "request %d: %v", i, err)
		}
		require.Equal(t, 1, f.Server.Connections())
	})
	t.Run("a wait until a date", func(t *testing.T) {
		at := time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)
		_, _, err := complete(s.New(t, []Reply{{Status: 429, RetryAfter: at}}, Settings{}).Model, newRequest("?"))
		e := requireKind(t, err, providers.KindRateLimit)
		require.InDelta(t, 90, e.RetryAfter.Seconds(), 5)
		require.NotEmpty(t, e.Message)
	})
	t.Run("the key shows up nowhere", func(t *testing.T) {
		words := "bad key " + Key + "\x1b[31m\u202e twice: " + Key + strings.Repeat(" long", 200)
		f := s.New(t, []Reply{{Status: 401, Message: words}}, Settings{})
		_, _, err := complete(f.Model, newRequest("?"))
		e := requireKind(t, err, providers.KindAuth)
		require.LessOrEqual(t, len(e.Message), 500)
		require.Contains(t, e.Message, "bad key [key][31m twice: [key]")
		require.NotContains(t, mustJSON(e), Key)
		sent := f.Server.Requests()[0].Header
		require.Contains(t, sent["Authorization"]+sent["X-Api-Key"]+sent["X-Goog-Api-Key"], Key)
	})
	t.Run("nobody listens", func(t *testing.T) {
		f := s.New(t, nil, Settings{})
		f.Server.Close()
		_, _, err := complete(f.Model, newRequest("?"))
		require.Contains(t, requireKind(t, err, providers.KindNetwork).Message, "cannot reach the server")
	})
}
