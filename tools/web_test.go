package tools_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/autonomy"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/web"
)

// fakeWeb answers each request.
type fakeWeb struct {
	asked  []web.Request
	answer web.Answer
	err    error
}

func (f *fakeWeb) Fetch(_ context.Context, r web.Request) (web.Answer, error) {
	f.asked = append(f.asked, r)
	a := f.answer
	a.URL = r.URL
	return a, f.err
}

func (*fakeWeb) Allows(host string) bool { return host == "allowed.example" }

func newWebGate(t *testing.T, change ...func(*tools.Options)) (*testGate, *fakeWeb) {
	f := &fakeWeb{answer: web.Answer{Status: 200, Title: "T", Text: "what it says"}}
	return newTestGate(t, append([]func(*tools.Options){func(o *tools.Options) { o.Services.Web = f }}, change...)...), f
}

func (d *testGate) judgePage(session, address, words string, earlier ...string) tools.JudgedPlan {
	d.t.Helper()
	call := newCall(d.t, "fetch_page", in{"url": address})
	call.Words, call.Earlier = words, earlier
	j, refused := d.Prepare(call, session, d.dir)
	require.Nil(d.t, refused)
	return j
}

func TestThreat34APageOfAHostThatNobodyNamedIsAskedAbout(t *testing.T) {
	d, _ := newWebGate(t, func(o *tools.Options) { o.Hosts = knownHosts{"mirror.example"} })
	for _, test := range []struct{ address, words string }{
		{"https://leak.example/?pin=4711", "read my notes"},
		{"https://pin4711.example.org/", "what does example.org say"},
		{"https://example.org.evil.example/", "what does example.org say"},
		{"https://archlinux.org/", "any news?"},                    // a command may contact it, but an address carries data
		{"https://mirror.example/?pin=4711", "update my packages"}, // in this computer's configuration
		{"https://setup.py/", "what does setup.py do"},             // the name of a file
		{"https://install.sh/x", "look at ./install.sh and readme.md"},
		{"https://example.org/", "write to bob@example.org"},
	} {
		j := d.judgePage("s", test.address, test.words)
		require.Equal(t, safety.Confirm, j.Class, test.address)
		require.Equal(t, []string{tools.ReasonUnnamedHost}, j.Reasons, test.address)
		require.Len(t, j.UnnamedHosts, 1)
		require.False(t, j.IsReadOnly())
	}
	for _, test := range []struct {
		address, words string
		earlier        []string
	}{
		{"https://example.org/a/b?c=d", "example.org에 뭐라고 나와?", nil},
		{"https://example.org/", "see https://Example.ORG/x, please", nil},
		{"https://example.org/", "and now?", []string{"look at example.org."}},
		{"http://example.org:8080/", "is example.org:8080 up", nil},
		{"https://get.sh/", "read https://get.sh/", nil},
		{"http://[2001:db8::1]/", "http://[2001:db8::1]/", nil},
		{"http://[2001:db8::1]:8080/", "http://[2001:db8::1]:8080/", nil},
		{"https://allowed.example/", "hello", nil},
	} {
		j := d.judgePage("s", test.address, test.words, test.earlier...)
		require.Equal(t, safety.Safe, j.Class, "%s %s %v", test.address, test.words, j.Reasons)
		require.True(t, j.IsReadOnly())
	}
}

func TestAHostIsAskedAboutOnceInAConversation(t *testing.T) {
	d, f := newWebGate(t)
	page := in{"url": "https://example.org/1"}
	yes := allowing()
	out := d.call("fetch_page", page, yes)
	require.Equal(t, []string{"blunux-ai web page -- https://example.org/1"}, yes.saw())
	require.Equal(t, "$ blunux-ai web page -- https://example.org/1\naddress: https://example.org/1\ntitle: T\n\nwhat it says\n", out.Text)
	require.Empty(t, d.call("fetch_page", in{"url": "https://example.org/2"}, answering()).Output.Refusal)
	require.Len(t, f.asked, 2)
	require.Equal(t, safety.Confirm, d.judgePage("other", "https://example.org/", "").Class, "in another conversation")
	require.Equal(t, safety.Confirm, d.judgePage("s", "https://www.example.org/", "").Class, "another host")
	require.Equal(t, []string{"CONFIRMED   blunux-ai web page -- https://example.org/1", "SAFE        blunux-ai web page -- https://example.org/2"}, d.logged())

	// A yes to a command is none to an address, which can carry more.
	d, _ = newWebGate(t)
	require.NotEmpty(t, d.call("run_command", command("getent hosts example.org"), allowing()).Text)
	require.Equal(t, safety.Confirm, d.judgePage("s", "https://example.org/", "").Class)
}

func TestDownloadsAndRequestsAreAlwaysAskedAboutAndShownWhole(t *testing.T) {
	d, f := newWebGate(t, func(o *tools.Options) { o.Full = autonomy.Allowance{Commands: []string{"blunux-ai"}, Workspace: "/"} })
	f.answer = web.Answer{Status: 200, Path: "/home/blu/Downloads/a.zip", Size: 3, SHA256: "abc"}
	yes := allowing()
	out := d.call("download", in{"url": "https://allowed.example/x/a.zip"}, yes)
	require.Equal(t, []string{"blunux-ai web file --save a.zip -- https://allowed.example/x/a.zip"}, yes.saw())
	require.Contains(t, out.Text, "saved: /home/blu/Downloads/a.zip\nbytes: 3\nsha256: abc\n")
	require.False(t, yes.shown[0].IsGrantable())
	require.Equal(t, []string{action.ReasonDownload}, yes.shown[0].Reasons)

	yes = allowing()
	d.call("http_request", in{"url": "https://allowed.example/api", "method": "POST", "headers": []string{"content-type: application/json", "X-a: b"}, "body": "{\"on\":\ntrue}"}, yes)
	require.Equal(t, []string{
		"blunux-ai", "web", "request", "--method", "POST", "--header", "Content-Type: application/json", "--header", "X-A: b", "--body", "{\"on\":\ntrue}",
		"--", "https://allowed.example/api",
	}, yes.shown[0].Argv())
	require.Equal(t, []string{action.ReasonWebRequest}, yes.shown[0].Reasons)
	require.Equal(t, web.Request{
		Method: "POST", URL: "https://allowed.example/api", Body: "{\"on\":\ntrue}",
		Header: []web.Header{{Name: "Content-Type", Value: "application/json"}, {Name: "X-A", Value: "b"}},
	}, f.asked[1], "what was shown is what is sent")
	require.NotEmpty(t, d.call("http_request", in{"url": "https://allowed.example/api", "method": "GET"}, answering()).Output.Refusal, "nobody is there")
	require.NotEmpty(t, d.call("fetch_page", in{"url": "https://unnamed.example/"}, answering()).Output.Refusal, "full autonomy does not cover it")
	require.Len(t, f.asked, 2)

	d, f = newWebGate(t, func(o *tools.Options) { o.ReadOnly = true })
	require.Equal(t, tools.RefusedReadOnly, d.call("download", in{"url": "https://allowed.example/a"}, allowing()).Output.Refusal)
	require.Empty(t, d.call("fetch_page", in{"url": "https://allowed.example/a"}, answering()).Output.Refusal)
	require.Len(t, f.asked, 1)
}

func TestRequestsThatAreNeverMade(t *testing.T) {
	d, f := newWebGate(t)
	for name, inputs := range map[string][]in{
		"fetch_page": {{"url": ""}, {"url": "file:///etc/passwd"}, {"url": "http://2130706433/"}, {"url": "http://a@127.0.0.1/"}, {"url": "https://example.org/" + strings.Repeat("a", 2048)}},
		"download": {
			{"url": "https://example.org/a", "name": "../a"},
			{"url": "https://example.org/a", "name": "/a"},
			{"url": "https://example.org/a", "name": ".bashrc"},
			{"url": "https://example.org/a", "name": "-rf"},
			{"url": "https://example.org/a", "name": "a\nb"},
			{"url": "https://example.org/a", "name": "a\u202eb"},
			{"url": "https://example.org/.bashrc"},
			{"url": "https://example.org/" + strings.Repeat("a", 201)},
		},
		"http_request": {
			{"url": "https://example.org/", "method": "CONNECT"},
			{"url": "https://example.org/", "method": "GET", "headers": []string{"Host: evil.example"}},
			{"url": "https://example.org/", "method": "GET", "headers": []string{"cookie: a=b"}},
			{"url": "https://example.org/", "method": "GET", "headers": []string{"transfer-encoding: chunked"}},
			{"url": "https://example.org/", "method": "GET", "headers": []string{"X-A: b\r\nHost: x"}},
			{"url": "https://example.org/", "method": "GET", "headers": []string{": b"}},
			{"url": "https://example.org/", "method": "POST", "body": strings.Repeat("a", 17<<10)},
			{"url": "https://example.org/", "method": "GET", "headers": slices.Repeat([]string{"A: b"}, 17)},
		},
	} {
		for _, input := range inputs {
			j, refused := d.Prepare(newCall(t, name, input), "s", d.dir)
			require.NotNil(t, refused, "%s %v %v", name, input, j.Plan.Action)
			require.Equal(t, tools.RefusedInput, refused.Output.Refusal)
		}
	}
	require.Empty(t, f.asked)
}

// TestThreat18NoSecretLeavesInAnAddress: in any form that the redactor knows, regardless of the answer.
func TestThreat18NoSecretLeavesInAnAddress(t *testing.T) {
	const key = "sk-own-key-0123456789abcdef"
	d, f := newWebGate(t, func(o *tools.Options) { o.Records.Redactor = secret.NewRedactor([]string{key}) })
	for _, input := range []in{
		{"url": "https://allowed.example/?k=" + key},
		{"url": "https://allowed.example/" + key},
		{"url": "https://allowed.example/?k=" + strings.ReplaceAll(key, "-", "%2D")},
		{"url": "https://allowed.example/?k=c2stb3duLWtleS0wMTIzNDU2Nzg5YWJjZGVm"},
	} {
		j, refused := d.Prepare(newCall(t, "fetch_page", input), "s", d.dir)
		require.NotNil(t, refused, "%v", j.Lines())
		require.Equal(t, tools.RefusedSecret, refused.Output.Refusal)
	}
	for _, input := range []in{
		{"url": "https://allowed.example/", "method": "POST", "body": "k=" + key},
		{"url": "https://allowed.example/", "method": "GET", "headers": []string{"Authorization: Bearer " + key}},
	} {
		_, refused := d.Prepare(newCall(t, "http_request", input), "s", d.dir)
		require.NotNil(t, refused)
		require.Equal(t, tools.RefusedSecret, refused.Output.Refusal)
	}
	require.Empty(t, f.asked)
}

func TestWhyAPageIsNotFetchedReachesTheModel(t *testing.T) {
	d, f := newWebGate(t)
	f.err = web.Fail(web.CodeOffline, "this computer is offline: it has no network connection")
	out := d.call("fetch_page", in{"url": "https://allowed.example/"}, answering())
	require.Contains(t, out.Text, "not fetched (offline): this computer is offline")
	require.True(t, out.IsError)
	f.err = web.Fail(web.CodeTimeout, "allowed.example took too long to answer")
	out = d.call("http_request", in{"url": "https://allowed.example/", "method": "POST"}, allowing())
	require.Contains(t, out.Text, "the request may have reached the server, but there is no answer (timeout): ")
	f.err, f.answer = nil, web.Answer{Status: 302, Redirect: "https://elsewhere.example/?x"}
	out = d.call("fetch_page", in{"url": "https://allowed.example/"}, answering())
	require.Contains(t, out.Text, "redirects to: https://elsewhere.example/?x\n")
}

// TestThreat02EachQuestionAfterAPageNamesIt: also what full autonomy would run unasked.
func TestThreat02EachQuestionAfterAPageNamesIt(t *testing.T) {
	d, _ := newWebGate(t, func(o *tools.Options) { o.Full = autonomy.Allowance{Commands: []string{"touch"}, Workspace: o.Home} })
	text, _ := d.touch()
	call := newCall(t, "run_command", command(text))
	j, refused := d.Prepare(call, "s", d.dir)
	require.Nil(t, refused)
	require.Empty(t, d.Run(t.Context(), j, answering(), nil).Output.Refusal, "it runs unasked")
	call.Pages = []string{"evil.example", "b.example"}
	j, refused = d.Prepare(call, "s", d.dir)
	require.Nil(t, refused)
	require.Equal(t, []string{"page-read: evil.example, b.example"}, j.Warnings)
	require.NotEmpty(t, d.Run(t.Context(), j, answering(), nil).Output.Refusal)

	out := d.call("fetch_page", in{"url": "https://allowed.example/a"}, answering())
	require.Equal(t, []string{"allowed.example"}, tools.PagesRead(out.Output))
	require.Empty(t, tools.PagesRead(d.call("run_command", command("echo blunux-ai web page -- https://x.example/"), answering()).Output))
}

func TestAStoredRequestIsReadAgainOnlyAsItWas(t *testing.T) {
	good := `{"verb":"request","url":"https://example.org/","method":"POST","body":"x"}`
	require.Equal(t, []string{"blunux-ai", "web", "request", "--method", "POST", "--body", "x", "--", "https://example.org/"}, action.Decode(action.KindWeb, json.RawMessage(good)).Argv())
	for _, bad := range []string{
		`{"verb":"page","url":"https://example.org/","method":"POST"}`, `{"verb":"page","url":"https://Example.org"}`, `{"verb":"file","url":"https://example.org/","name":"../x"}`,
		`{"verb":"request","url":"https://example.org/","method":"POST","name":"x"}`, `{"verb":"","url":"https://example.org/"}`, `{}`,
	} {
		require.Empty(t, action.Decode(action.KindWeb, json.RawMessage(bad)).Argv(), bad)
	}
}
