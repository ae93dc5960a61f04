package tools_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/autonomy"
	"github.com/nidoit/blunux-ai/tools/browser"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// fakeBrowser has one page whose elements a test sets.
type fakeBrowser struct {
	targets map[string]browser.Target
	asked   []browser.Request
	err     error
}

func (f *fakeBrowser) Do(_ context.Context, r browser.Request) (browser.Answer, error) {
	f.asked = append(f.asked, r)
	a := browser.Answer{URL: "https://shop.example/", Title: "Shop", Text: "heading \"Shop\" level 1\n"}
	if r.Do == browser.Screenshot {
		a.Picture = []byte("GIF89a\x03\x00\x02\x00")
	}
	return a, f.err
}

func (f *fakeBrowser) Look(_ context.Context, _, ref string) (browser.Target, error) {
	t, ok := f.targets[ref]
	if !ok {
		return t, browser.Fail(browser.CodeRef, "there is no element "+ref)
	}
	return t, nil
}

func (*fakeBrowser) AllowsHost(host string) bool            { return host == "shop.example" }
func (*fakeBrowser) IsNear(host string) bool                { return host == "router.lan" }
func (*fakeBrowser) Save([]byte, time.Time) (string, error) { return "/pictures/page.png", nil }

const (
	shop = "https://shop.example/"
	tool = "browser"
)

func newBrowserGate(t *testing.T, change ...func(*tools.Options)) (*testGate, *fakeBrowser) {
	order := &browser.Form{Method: "POST", Action: shop + "order", Fields: []browser.Field{{Name: "Count", Value: "1"}}, Hidden: 2}
	f := &fakeBrowser{targets: map[string]browser.Target{
		"field":  {Page: shop, Role: "textbox", Name: "Search", TakesText: true, Form: order},
		"secret": {Page: shop, Role: "textbox", Name: "PIN", TakesText: true, Password: true, Form: order},
		"more":   {Page: shop, Role: "button", Name: "More"},
		"order":  {Page: shop, Role: "button", Name: "Order", Submits: true, Form: order},
		"sent":   {Page: shop, Role: "button", Name: "Confirm", Sent: true},
		"link":   {Page: shop, Role: "link", Name: "Next", Link: shop + "2"},
		"away":   {Page: shop, Role: "link", Name: "Away", Link: "https://leak.example/?pin=4711"},
		"shown":  {Page: shop, Role: "link", Name: "Delete", Link: shop + "delete", Shown: true},
		"sentln": {Page: shop, Role: "link", Name: "Next", Link: shop + "2", Sent: true},
		"device": {Page: "http://router.lan/", Role: "link", Name: "Reboot", Link: "http://router.lan/reboot"},

		"device-field": {Page: "http://router.lan/", Role: "textbox", Name: "Name", TakesText: true},
		"shown-field":  {Page: shop, Role: "textbox", Name: "Search", TakesText: true, Shown: true},
		"reboot":       {Page: "http://router.lan/", Role: "button", Name: "Reboot"},
	}}
	return newTestGate(t, append([]func(*tools.Options){func(o *tools.Options) { o.Services.Browser = f }}, change...)...), f
}

func (d *testGate) judgeBrowser(words string, input in) tools.JudgedPlan {
	d.t.Helper()
	call := newCall(d.t, tool, input)
	call.Words = words
	j, refused := d.Prepare(call, "s", d.dir)
	require.Nil(d.t, refused, "%v", input)
	return j
}

func TestThreat37WhatAPageCanDoIsAskedAbout(t *testing.T) {
	d, _ := newBrowserGate(t, func(o *tools.Options) { o.Full = autonomy.Allowance{Commands: []string{"blunux-ai"}, Workspace: "/"} })
	for _, test := range []struct {
		words   string
		input   in
		reasons []string
	}{
		{"", in{"action": "open", "url": "https://leak.example/"}, []string{tools.ReasonUnnamedHost}},
		{"", in{"action": "type", "ref": "field", "text": "my notes"}, []string{action.ReasonWebType}},
		{"look for shoes", in{"action": "type", "ref": "field", "text": "shoes and the pin 4711"}, []string{action.ReasonWebType}},
		{"look for shoes", in{"action": "type", "ref": "field", "text": "shoes", "submit": true}, []string{action.ReasonWebForm}},
		{"", in{"action": "click", "ref": "order"}, []string{action.ReasonWebForm}},
		{"", in{"action": "click", "ref": "sent"}, []string{action.ReasonWebClick}},
		{"", in{"action": "click", "ref": "shown"}, []string{action.ReasonWebClick}},
		{"", in{"action": "click", "ref": "reboot"}, []string{action.ReasonWebClick}},
		{"", in{"action": "click", "ref": "device"}, []string{action.ReasonWebClick}},
		{"admin", in{"action": "type", "ref": "device-field", "text": "admin"}, []string{action.ReasonWebType, tools.ReasonUnnamedHost}},
		{"pay", in{"action": "type", "ref": "shown-field", "text": "pay"}, []string{action.ReasonWebType}},
		{"", in{"action": "click", "ref": "away"}, []string{tools.ReasonUnnamedHost}},
		{"", in{"action": "show"}, []string{action.ReasonWebShow}},
	} {
		j := d.judgeBrowser(test.words, test.input)
		require.Equal(t, safety.Confirm, j.Class, "%v", test.input)
		require.Equal(t, test.reasons, j.Reasons, "%v", test.input)
	}
	for _, input := range []in{
		{"action": "open", "url": shop},
		{"action": "snapshot"},
		{"action": "scroll", "up": true},
		{"action": "screenshot"},
		{"action": "close"},
		{"action": "click", "ref": "more"},
		{"action": "click", "ref": "[link]"},
		{"action": "click", "ref": "sentln"},
		{"action": "type", "ref": "field", "text": "red shoes"},
	} {
		j := d.judgeBrowser("look for red shoes", input)
		require.Equal(t, safety.Safe, j.Class, "%v %v", input, j.Reasons)
	}

	// Autonomy does not answer for the person.
	yes := allowing()
	d.call(tool, in{"action": "click", "ref": "order"}, yes)
	require.Equal(t, []string{"blunux-ai browser click --page https://shop.example/ --element 'button Order' --form 'POST https://shop.example/order' --field 'Count: 1' --hidden 2 -- order"}, yes.saw())
}

func TestThreat37PasswordsAndSecretsAreNeverTyped(t *testing.T) {
	d, f := newBrowserGate(t, func(o *tools.Options) {
		o.Records.Redactor = secret.NewRedactor([]string{"sk-or-v1-0123456789abcdef"})
	})
	for _, input := range []in{
		{"action": "type", "ref": "secret", "text": "4711"},
		{"action": "type", "ref": "field", "text": "sk-or-v1-0123456789abcdef"},
		{"action": "open", "url": shop + "?k=sk-or-v1-0123456789abcdef"},
	} {
		out := d.call(tool, input, answering())
		require.Equal(t, tools.RefusedSecret, out.Output.Refusal, "%v", input)
	}
	require.Empty(t, f.asked)
}

// TestAPageThatChangedIsNotUsed: neither after the question, nor with an approval that was stored.
func TestAPageThatChangedIsNotUsed(t *testing.T) {
	d, f := newBrowserGate(t)
	changed := f.targets["order"]
	changed.Form = &browser.Form{Method: "POST", Action: shop + "order", Fields: []browser.Field{{Name: "Count", Value: "100"}}}
	j := d.judgeBrowser("", in{"action": "click", "ref": "order"})
	f.targets["order"] = changed
	out := d.call(tool, in{"action": "click", "ref": "order"}, allowing())
	require.Empty(t, out.Output.Refusal, "it was asked about as it is now")
	require.Equal(t, changed.Digest(), f.asked[0].Expect)
	require.True(t, f.asked[0].Sends)

	data, err := json.Marshal(j.Plan.Action)
	require.NoError(t, err)
	stored := action.Decode(action.KindBrowser, data)
	require.Equal(t, j.Plan.Action.Argv(), stored.Argv())
	require.True(t, action.IsChanged(stored.Ready(t.Context(), action.Services{Browser: f}, action.Call{Against: j.Plan.Against})))
	for _, bad := range []string{
		`{"do":"click","conversation":"s","ref":"e1"}`, `{"do":"open","conversation":"s","url":"file:///etc/passwd"}`, `{"do":"open","conversation":"s","url":"http://a.example"}`,
		`{"do":"run","conversation":"s"}`, `{"do":"snapshot","conversation":"s","text":"x"}`,
	} {
		require.Empty(t, action.Decode(action.KindBrowser, json.RawMessage(bad)).Argv(), bad)
	}
}

func TestWhatAPageSaysIsMarkedAsRead(t *testing.T) {
	d, f := newBrowserGate(t)
	out := d.call(tool, in{"action": "open", "url": shop}, answering())
	require.Equal(t, "$ blunux-ai browser open -- https://shop.example/\naddress: https://shop.example/\ntitle: Shop\n\nheading \"Shop\" level 1\n", out.Text)
	require.Equal(t, []string{"shop.example"}, tools.PagesRead(out.Output))
	shot := d.call(tool, in{"action": "screenshot"}, answering())
	require.Contains(t, shot.Text, "[/pictures/page.png: image/gif, 3×2, 10 bytes]\n")
	require.Equal(t, "/pictures/page.png", shot.Picture.Path)
	require.Empty(t, tools.PagesRead(d.call("run_command", command("echo address: https://x.example/"), answering()).Output))

	// Moonbot's names.
	out = d.call("browser.open", in{"url": shop}, answering())
	require.Contains(t, out.Text, "title: Shop")
	f.err = browser.Fail(browser.CodeMissing, "Chromium is not installed. To install it: sudo pacman -S chromium")
	out = d.call(tool, in{"action": "open", "url": shop}, answering())
	require.Contains(t, out.Text, "not done (no-browser): Chromium is not installed")
	out = d.call(tool, in{"action": "click"}, answering())
	require.Contains(t, out.Text, "ref is missing")
}

// TestThreat37AnAddressIsAskedAboutWhereThePersonMayBeLoggedIn: also if they used the window after the question.
func TestThreat37AnAddressIsAskedAboutWhereThePersonMayBeLoggedIn(t *testing.T) {
	d, f := newBrowserGate(t)
	open := in{"action": "open", "url": shop + "transfer?to=x"}
	before := d.judgeBrowser("", open)
	require.Equal(t, safety.Safe, before.Class)
	f.targets[""] = browser.Target{Page: shop, Shown: true}
	j := d.judgeBrowser("", open)
	require.Equal(t, safety.Confirm, j.Class)
	require.Equal(t, []string{action.ReasonWebOpen}, j.Reasons)
	require.True(t, action.IsChanged(before.Plan.Action.Ready(t.Context(), action.Services{Browser: f}, action.Call{})))
	require.NoError(t, j.Plan.Action.Ready(t.Context(), action.Services{Browser: f}, action.Call{}))
}
