package botapi

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/test/channeltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type answer struct {
	OK          bool            `json:"ok"`
	Result      json.RawMessage `json:"result"`
	Code        int             `json:"error_code"`
	Description string          `json:"description"`
	Parameters  struct {
		RetryAfter int `json:"retry_after"`
	} `json:"parameters"`
}

var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// ask calls a method with JSON arguments.
func ask(t *testing.T, s *Server, method string, args map[string]any) answer {
	t.Helper()
	body, err := json.Marshal(args)
	require.NoError(t, err)
	r, err := client.Post(s.URL()+"/bot"+Token+"/"+method, "application/json", bytes.NewReader(body))
	require.NoError(t, err)
	defer r.Body.Close()
	var a answer
	require.NoError(t, json.NewDecoder(r.Body).Decode(&a))
	require.Equal(t, a.OK, r.StatusCode == 200)
	return a
}

func texts(t *testing.T, a answer) (ids []int64, texts []string) {
	t.Helper()
	var list []struct {
		ID      int64 `json:"update_id"`
		Message struct {
			Text string `json:"text"`
		} `json:"message"`
	}
	require.NoError(t, json.Unmarshal(a.Result, &list))
	for _, u := range list {
		ids, texts = append(ids, u.ID), append(texts, u.Message.Text)
	}
	return ids, texts
}

func TestUpdatesStayUntilAHigherOffsetConfirmsThem(t *testing.T) {
	s := New(t)
	s.Say(s.Owner(), channeltest.PersonMessage{Text: "하나"})
	s.Say(s.Owner(), channeltest.PersonMessage{Text: "둘"})
	ids, said := texts(t, ask(t, s, "getUpdates", nil))
	require.Equal(t, []string{"하나", "둘"}, said)
	_, said = texts(t, ask(t, s, "getUpdates", map[string]any{"offset": ids[0]}))
	require.Equal(t, []string{"하나", "둘"}, said)
	_, said = texts(t, ask(t, s, "getUpdates", map[string]any{"offset": ids[1]}))
	require.Equal(t, []string{"둘"}, said)
	require.Equal(t, 1, s.UnconfirmedCount())
	_, said = texts(t, ask(t, s, "getUpdates", map[string]any{"offset": ids[1] + 1}))
	require.Empty(t, said)
}

func TestAPollWaitsAndGivesWayToTheNext(t *testing.T) {
	s := New(t)
	first := make(chan answer, 1)
	go func() { first <- ask(t, s, "getUpdates", map[string]any{"timeout": 50}) }()
	require.Eventually(t, func() bool { return len(s.Offsets()) == 1 }, time.Minute, time.Millisecond)
	second := make(chan answer, 1)
	go func() { second <- ask(t, s, "getUpdates", map[string]any{"timeout": 50}) }()
	require.Equal(t, 409, (<-first).Code)
	s.Say(s.Owner(), channeltest.PersonMessage{Text: "셋"})
	_, said := texts(t, <-second)
	require.Equal(t, []string{"셋"}, said)
}

func TestHTMLIsReadStrictly(t *testing.T) {
	for in, want := range map[string]string{
		"<b>굵게</b> &lt;x&gt; &amp;amp;":                          "굵게 <x> &amp;",
		"a & b &nbsp; &#48;&#x31;":                               "a & b &nbsp; 01",
		"<pre><code class=\"language-go\">x &lt; y</code></pre>": "x < y",
		"<a href=\"https://x/?a=1&amp;b=2\">여기</a>":              "여기",
		"<blockquote>인용</blockquote><tg-spoiler>숨김</tg-spoiler>": "인용숨김",
	} {
		got, _, err := parseHTML(in)
		require.NoError(t, err, in)
		require.Equal(t, want, got)
	}
	for _, in := range []string{"a < b", "<b>x", "<b><i>x</b></i>", "</b>", "<h1>x</h1>", "<b", "<div>x</div>", "<span>x</span>", "x<br>y"} {
		_, _, err := parseHTML(in)
		require.ErrorContains(t, err, "can't parse entities", in)
	}
}

func TestMessagesAreTakenAsTheServerTakesThem(t *testing.T) {
	s := New(t)
	send := func(args map[string]any) answer { return ask(t, s, "sendMessage", args) }
	at := func(text string) map[string]any {
		return map[string]any{"chat_id": owner, "text": text, "parse_mode": "HTML"}
	}
	require.True(t, send(at("<b>네</b>")).OK)
	require.Equal(t, "네", s.Received(s.Owner())[0].Text)
	require.Equal(t, "Bad Request: message text is empty", send(at("<b> </b>")).Description)
	require.True(t, send(at(strings.Repeat("가", 4096))).OK)
	require.Equal(t, "Bad Request: message is too long", send(at(strings.Repeat("😀", 2049))).Description)
	require.Equal(t, "Bad Request: chat not found", send(map[string]any{"chat_id": stranger, "text": "x"}).Description)
	s.Block(s.Owner(), true)
	require.Equal(t, 403, send(at("x")).Code)
	s.Block(s.Owner(), false)
	reply := at("답")
	reply["reply_parameters"] = map[string]any{"message_id": 9999}
	require.Equal(t, 400, send(reply).Code)
	reply["reply_parameters"] = map[string]any{"message_id": 9999, "allow_sending_without_reply": true}
	require.True(t, send(reply).OK)
	long := at("x")
	long["reply_markup"] = map[string]any{"inline_keyboard": [][]button{{{Text: "네", Data: strings.Repeat("x", 65)}}}}
	require.Equal(t, "Bad Request: BUTTON_DATA_INVALID", send(long).Description)
}

func TestEdits(t *testing.T) {
	s := New(t)
	var m struct {
		ID int `json:"message_id"`
	}
	a := ask(t, s, "sendMessage", map[string]any{"chat_id": owner, "text": "…"})
	require.NoError(t, json.Unmarshal(a.Result, &m))
	edit := func(text string, rows [][]button) answer {
		args := map[string]any{"chat_id": owner, "message_id": m.ID, "text": text}
		if rows != nil {
			args["reply_markup"] = map[string]any{"inline_keyboard": rows}
		}
		return ask(t, s, "editMessageText", args)
	}
	require.Contains(t, edit("…", nil).Description, "message is not modified")
	require.True(t, edit("질문", [][]button{{{Text: "네", Data: "allow_once|K7QX|1234"}}}).OK)
	require.Equal(t, []string{"allow_once"}, s.Received(s.Owner())[0].Buttons)
	s.Press(t, s.Owner(), id(int64(m.ID)), "allow_once")
	require.True(t, edit("질문", nil).OK)
	seen := s.Received(s.Owner())[0]
	require.Empty(t, seen.Buttons)
	require.Equal(t, 2, seen.Edits)
	s.Erase(id(int64(m.ID)))
	require.Contains(t, edit("x", nil).Description, "message to edit not found")
}

func TestAStalledServerTakesAndSaysNothing(t *testing.T) {
	s := New(t)
	s.SetStalled(true)
	changed := s.Changed()
	got := make(chan answer, 1)
	go func() { got <- ask(t, s, "sendMessage", map[string]any{"chat_id": owner, "text": "네"}) }()
	<-changed
	require.Len(t, s.Received(s.Owner()), 1)
	select {
	case <-got:
		require.Fail(t, "it has answered")
	default:
	}
	s.SetStalled(false)
	require.True(t, (<-got).OK)
}

func TestFailuresAndADownServer(t *testing.T) {
	s := New(t)
	s.Fail("getMe", Failure{Code: 429, Description: "Too Many Requests: retry after 3", RetryAfter: 3, Times: 1})
	a := ask(t, s, "getMe", nil)
	require.Equal(t, 429, a.Code)
	require.Equal(t, 3, a.Parameters.RetryAfter)
	require.True(t, ask(t, s, "getMe", nil).OK)
	s.SetDown(true)
	_, err := client.Get(s.URL() + "/bot" + Token + "/getMe")
	require.Error(t, err)
	s.SetDown(false)
	require.True(t, ask(t, s, "getMe", nil).OK)
	s.Revoke()
	require.Equal(t, 401, ask(t, s, "getMe", nil).Code)
}

func TestFilesMayLieAboutTheirSize(t *testing.T) {
	s := New(t)
	s.Say(s.Owner(), channeltest.PersonMessage{Text: "봐", File: &channeltest.PersonFile{Name: "a.txt", Type: "text/plain", Data: []byte("내용"), Claims: 3}})
	var list []struct {
		Message struct {
			Document struct {
				ID   string `json:"file_id"`
				Size int    `json:"file_size"`
			} `json:"document"`
		} `json:"message"`
	}
	require.NoError(t, json.Unmarshal(ask(t, s, "getUpdates", nil).Result, &list))
	require.Equal(t, 3, list[0].Message.Document.Size)
	var f struct {
		Path string `json:"file_path"`
	}
	require.NoError(t, json.Unmarshal(ask(t, s, "getFile", map[string]any{"file_id": list[0].Message.Document.ID}).Result, &f))
	r, err := client.Get(s.URL() + "/file/bot" + Token + "/" + f.Path)
	require.NoError(t, err)
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.Equal(t, "내용", string(data))
}
