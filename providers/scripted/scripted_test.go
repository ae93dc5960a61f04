package scripted_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/scripted"
)

// talk is a conversation as the agent stores it.
type talk struct {
	t   require.TestingT
	m   *scripted.Model
	req providers.Request
}

func newTalk(t require.TestingT, m *scripted.Model) *talk {
	return &talk{t: t, m: m, req: providers.Request{Lang: "en", System: "sys"}}
}

func (k *talk) say(text string) providers.Completion {
	k.req.Messages = append(k.req.Messages, providers.UserText(text))
	return k.next()
}

func (k *talk) result(content, output string) providers.Completion {
	last := k.req.Messages[len(k.req.Messages)-1]
	var results []providers.Block
	for _, use := range (providers.Completion{Content: last.Content}).ToolUses() {
		results = append(results, providers.Block{
			Type: providers.BlockToolResult, ToolUseID: use.ID, Content: content,
			Output: &providers.Output{Steps: []providers.Step{{Command: "c", Stdout: output}}},
		})
	}
	k.req.Messages = append(k.req.Messages, providers.Message{Role: providers.RoleUser, Content: results})
	return k.next()
}

func (k *talk) next() providers.Completion {
	done, err := k.m.Complete(context.Background(), k.req, nil)
	require.NoError(k.t, err)
	k.req.Messages = append(k.req.Messages, providers.Message{Role: providers.RoleAssistant, Content: done.Content})
	return done
}

func tour(t testing.TB) *scripted.Model {
	m, err := scripted.Load("testdata/tour.toml")
	require.NoError(t, err)
	return m
}

func TestOneScriptServesAConversation(t *testing.T) {
	k := newTalk(t, tour(t))
	require.Equal(t, "Hello! Ask about the disk, or say: run COMMAND.", k.say("hi").Text())
	use := k.say("How full is the DISK?")
	require.Equal(t, "Let me look.", use.Text())
	require.Equal(t, "check_disk", use.ToolUses()[0].Name)
	require.JSONEq(t, `{}`, string(use.ToolUses()[0].Input))
	answer := k.result("fenced", "Filesystem\n/dev/sda1 62% /\n")
	require.Equal(t, "The root is 62% full:\nFilesystem\n/dev/sda1 62% /\n", answer.Text())
	require.Equal(t, providers.Usage{InputTokens: 120, OutputTokens: 20}, answer.Usage)
	require.Equal(t, "Hello again.", k.say("thanks").Text(), "the opening scene goes on where it was")
	require.Equal(t, "Let me look.", k.say("the disk again").Text(), "a scene begins anew with every question")
	require.Equal(t, "That did not work: no df", k.result("no df", "").Text())
	run := k.say("run echo \"hi\" > /tmp/x")
	require.JSONEq(t, `{"command":"echo \"hi\" > /tmp/x"}`, string(run.ToolUses()[0].Input))
	require.Equal(t, "Round 2, en: denied", k.result("denied", "").Text())
	require.Equal(t, "Hello! Ask about the disk, or say: run COMMAND.", k.say("bye").Text(), "loop")
}

func TestForeverAnswersEveryRound(t *testing.T) {
	k := newTalk(t, tour(t))
	done := k.say("forever please")
	for range 20 {
		require.Equal(t, providers.StopToolUse, done.Stop)
		done = k.result("ok", "ok")
	}
}

func TestErrorsGoOnAfterTheirRepeats(t *testing.T) {
	m := tour(t)
	req := providers.Request{Messages: []providers.Message{providers.UserText("limit")}}
	for range 2 {
		_, err := m.Complete(context.Background(), req, nil)
		var e *providers.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, &providers.Error{Kind: providers.KindRateLimit, Provider: "scripted", Status: 429, RetryAfter: 30 * time.Second, Message: "slow down"}, e)
	}
	done, err := m.Complete(context.Background(), req, nil)
	require.NoError(t, err)
	require.Equal(t, "Third time lucky.", done.Text())
}

func TestARunOutScriptSaysSo(t *testing.T) {
	m, err := scripted.Parse("one.toml", []byte("[[step]]\ntext = \"only\"\n"))
	require.NoError(t, err)
	k := newTalk(t, m)
	require.Equal(t, "only", k.say("a").Text())
	k.req.Messages = append(k.req.Messages, providers.UserText("what\nnow"))
	_, err = m.Complete(context.Background(), k.req, nil)
	require.Equal(t, providers.KindAPI, providers.KindOf(err))
	require.EqualError(t, err, `scripted: api: the script one.toml has no step left for "what now"`)
	require.Equal(t, "scripted", m.Name())
	require.Equal(t, "one.toml", m.ModelID())
}

func TestDelaysFollowTheClockAndEndWithTheContext(t *testing.T) {
	m, err := scripted.Parse("slow.toml", []byte("piece = 1\n[[step]]\ntext = \"abc\"\ndelay = \"10s\"\npiece_delay = \"1s\"\n"))
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var at []time.Duration
		_, err := m.Complete(context.Background(), providers.Request{}, func(string) { at = append(at, time.Since(start)) })
		require.NoError(t, err)
		require.Equal(t, []time.Duration{10 * time.Second, 11 * time.Second, 12 * time.Second}, at)
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		_, err = m.Complete(ctx, providers.Request{}, nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 15*time.Second, time.Since(start))
	})
}

func TestMalformedArgumentsCanBeWritten(t *testing.T) {
	m, err := scripted.Parse("bad.toml", []byte("[[step]]\n[[step.tool]]\nname = \"x\"\ninput_raw = '{\"a\":'\n"))
	require.NoError(t, err)
	raw, malformed := providers.MalformedInput(newTalk(t, m).say("?").ToolUses()[0].Input)
	require.True(t, malformed)
	require.Equal(t, `{"a":`, raw)
}

func TestScriptErrorsNameLineAndColumn(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"syntax":          {"[[step]]\ntext = \"a\nb\"\n", "s.toml:2:"},
		"unknown field":   {"[[step]]\ntxt = \"a\"\n", `s.toml:2:1: unknown field "step.txt"`},
		"regexp":          {"[[step]]\nuser_match = '('\n", "s.toml:2:14: error parsing regexp"},
		"duration":        {"[[step]]\n\ndelay = \"soon\"\n", `s.toml:3:9: "soon" is not a duration`},
		"stop":            {"[[step]]\nstop = \"now\"\n", `s.toml:2:8: "now" is not a stop reason`},
		"kind":            {"[[step]]\n[step.error]\nkind = \"bad\"\n", `s.toml:3:8: "bad" is not an error kind`},
		"no kind":         {"[[step]]\n[step.error]\nstatus = 3\n", "s.toml:1:3: step 1: error needs a kind"},
		"placeholder":     {"[[step]]\ntext = \"{{nope}}\"\n", "s.toml:2:8: unknown placeholder {{nope}}"},
		"in a tool":       {"[[step]]\n[[step]]\n[[step.tool]]\nname = \"a\"\ninput = {x = [\"{{result}}\"]}\n", "s.toml:2:3: step 2: tool 1: unknown placeholder {{result}}"},
		"two matchers":    {"[[step]]\ntext = \"a\"\n[[step]]\nuser = \"a\"\nuser_match = 'a'\n", "s.toml:3:3: step 2: user and user_match"},
		"nameless tool":   {"[[step]]\n[[step.tool]]\ninput = {}\n", "s.toml:1:3: step 1: tool 1 needs a name"},
		"nothing":         {"", "s.toml:1:1: there is no [[step]]"},
		"wrong type":      {"[[step]]\nrepeat = \"x\"\n", "s.toml:2:"},
		"repeat negative": {"[[step]]\nrepeat = -1\n", "s.toml:1:3: step 1: repeat must be positive"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := scripted.Parse("s.toml", []byte(c.script))
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := scripted.Load("testdata/none.toml")
	require.ErrorContains(t, err, "cannot read the script: open testdata/none.toml")
}

func TestManyConversationsShareOneScript(t *testing.T) {
	m := tour(t)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			k := newTalk(t, m)
			if got := k.say("hi").Text(); !strings.HasPrefix(got, "Hello!") {
				t.Errorf("got %q", got)
			}
			k.say("disk")
			if got := k.result("x", "x").Text(); got != "That did not work: x" {
				t.Errorf("got %q", got)
			}
		})
	}
	wg.Wait()
}

// The position depends only on the conversation: repeating any prefix, in any order, gives the same answer.
func TestAnswersAreAFunctionOfTheRequest(t *testing.T) {
	m := tour(t)
	rapid.Check(t, func(t *rapid.T) {
		k := newTalk(t, m)
		var requests []providers.Request
		var answers []string
		for range rapid.IntRange(1, 6).Draw(t, "turns") {
			req := providers.Request{Lang: "en", System: "sys"}
			done := k.say(rapid.SampledFrom([]string{"hi", "disk", "run ls", "other"}).Draw(t, "text"))
			for {
				req.Messages = append([]providers.Message(nil), k.req.Messages[:len(k.req.Messages)-1]...)
				requests, answers = append(requests, req), append(answers, encode(t, done))
				if done.Stop != providers.StopToolUse {
					break
				}
				done = k.result("ok", rapid.SampledFrom([]string{"62% /\n", "none"}).Draw(t, "output"))
			}
		}
		for i := len(requests) - 1; i >= 0; i-- {
			done, err := m.Complete(context.Background(), requests[i], nil)
			require.NoError(t, err)
			require.Equal(t, answers[i], encode(t, done))
		}
	})
}

func encode(t require.TestingT, done providers.Completion) string {
	b, err := json.Marshal(done)
	require.NoError(t, err)
	return string(b)
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("[[step]]\ntext = \"{{user}}\"\n"))
	f.Add([]byte("loop = true\n[[step]]\nuser_match = '(a)'\n[[step.tool]]\nname='x'\ninput={a=[1,'{{user.1}}']}\n"))
	f.Add([]byte("step = [{text='a'}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := scripted.Parse("f", data)
		if err != nil {
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err = m.Complete(ctx, providers.Request{Messages: []providers.Message{providers.UserText("a")}}, nil)
		require.True(t, errors.Is(err, context.Canceled))
	})
}

func TestAStepSaysWhatItTookAndCost(t *testing.T) {
	m, err := scripted.Parse("s", []byte("[[step]]\ntext = 'well'\nusage = { in = 10, out = 3, cached = 4, usd = 0.02 }\n"))
	require.NoError(t, err)
	done, err := m.Complete(context.Background(), providers.Request{Messages: []providers.Message{providers.UserText("x")}}, nil)
	require.NoError(t, err)
	require.Equal(t, providers.Usage{InputTokens: 10, OutputTokens: 3, CachedTokens: 4, CostUSD: 0.02}, done.Usage)
}
