package offline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// weakRequest is one that matches several checks weakly.
const weakRequest = "can I delete some of the old things to make room"

func TestAWeakRequestIsAskedBackByNumber(t *testing.T) {
	plan := intent.BuiltIn().Understand(weakRequest, intent.Context{})
	require.Empty(t, plan.Steps)
	require.Greater(t, len(plan.NearestSteps), 1)
	for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
		for reply, i := range map[string]int{"1": 0, "2": 1, "2.": 1, "the second one": 1, "2번": 1, "두 번째": 1, "第二个": 1} {
			c := newChat(t, string(lang))
			asked := c.say(weakRequest)
			require.Empty(t, asked.ToolUses())
			list := choices(plan, lang)
			require.True(t, strings.HasSuffix(asked.Text(), formatChoices(list, lang)), asked.Text())
			got := calls(t, c.say(reply))
			require.Equal(t, intent.BuiltIn().Understand(list[i], intent.Context{}).Steps, got, "%s %s", lang, reply)
		}
	}
}

func TestAPickedRequestIsAnsweredAsIfTyped(t *testing.T) {
	c := newChat(t, "en")
	c.say(weakRequest)
	c.say("1")
	c.offerNothingMore()
	picked := c.result(output(ran("du", "")))
	d := newChat(t, "en")
	d.say(choices(intent.BuiltIn().Understand(weakRequest, intent.Context{}), i18n.English)[0])
	d.offerNothingMore()
	require.Equal(t, d.result(output(ran("du", ""))).Text(), picked.Text())
}

func TestANumberPicksNothingWithoutAList(t *testing.T) {
	c := newChat(t, "en")
	require.Empty(t, c.say("2").ToolUses())
	c.say(weakRequest)
	require.Empty(t, c.say("no").ToolUses())
	require.Empty(t, c.say("2").ToolUses(), "the list was declined")
	c = newChat(t, "en")
	c.say(weakRequest)
	require.Empty(t, c.say("9").ToolUses())
}

// TestEveryChoiceLeadsToItsTool checks that the request shown for a step leads to that tool, in each language.
func TestEveryChoiceLeadsToItsTool(t *testing.T) {
	steps := []intent.Step{
		intent.Call("package_info", "name", "vlc"), intent.Call("check_service", "name", "sshd"), intent.Call("read_logs", "unit", "sshd"),
		intent.Call("check_processes", "name", "firefox"), intent.Call("search_packages", "query", "pdf editor"), intent.Call("recent_changes"),
	}
	for key := range exampleRequests {
		tool, scope, _ := strings.Cut(key, " ")
		s := intent.Call(tool)
		if scope != "" {
			s.Input["scope"] = scope
		}
		steps = append(steps, s)
	}
	for _, s := range steps {
		for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
			request := exampleOf(s, lang)
			got := intent.BuiltIn().Understand(request, intent.Context{})
			require.NotEmpty(t, got.Steps, "%s: %s", request, got.Why())
			require.Equal(t, s.Tool, got.Steps[0].Tool, request)
			for key, value := range s.Input {
				if s.Tool == "search_packages" || s.Tool == "check_hardware" && value == "all" {
					continue
				}
				require.Equal(t, value, got.Steps[0].Input[key], request)
			}
		}
	}
}
