package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
)

// TestU2NoReasonCodeReachesAPerson refuses a command with every reason code.
func TestU2NoReasonCodeReachesAPerson(t *testing.T) {
	for _, lang := range []string{"ko", "en", "zh"} {
		for _, code := range []string{"blocked", "denied", "expired", "cancelled", "queued", "read_only", "bad_input", "no_tool", "unparsed", "missing", "left", "log", "mismatch", "repeated", "max_rounds", "planned", "away", "a_new_one"} {
			c := newChat(t, lang)
			c.say("run `mytool --list`")
			c.offerNothingMore()
			text := c.result(providers.Output{Refusal: code, Steps: []providers.Step{{Command: "mytool --list", Exit: -1}}}).Text()
			require.NotEmpty(t, text)
			require.NotContains(t, text, code+")", "%s %s", lang, code)
			require.NotRegexp(t, `reason:|이유:|原因：|`+"unparsed|bad_input|read_only|no_tool|max_rounds|a_new_one", text, "%s %s", lang, code)
		}
	}
}

// TestU2AChainWhoseLooksAreAllRefusedSaysWhy refuses every step of a chain.
func TestU2AChainWhoseLooksAreAllRefusedSaysWhy(t *testing.T) {
	for _, question := range []string{"any failed services?", "disk full?", "what crashed?", "is nginx running?", "battery?", "wifi?", "why is it slow?", "no sound"} {
		for _, code := range []string{"queued", "missing", "log", "denied", "read_only", "expired"} {
			t.Run(question+" "+code, func(t *testing.T) {
				c := newChat(t, "en")
				answer := c.say(question)
				for range 20 {
					if answer.Text() != "" {
						return
					}
					answer = c.result(providers.Output{Refusal: code, ApprovalCode: "ABCD", ApprovalCommand: "systemctl --failed", Steps: []providers.Step{{Command: "systemctl --failed", Exit: -1}}})
				}
				t.Fatal("the chain does not end")
			})
		}
	}
}

// TestU2AMissingProgramIsNamedWithoutAnInventedPackage checks that the path is given if the program exists
// elsewhere.
func TestU2AMissingProgramIsNamedWithoutAnInventedPackage(t *testing.T) {
	for found, want := range map[string]string{"": "mytool", "/home/blu/.local/bin/mytool": "`/home/blu/.local/bin/mytool`"} {
		c := newChat(t, "en")
		c.say("run `mytool --list`")
		c.offerNothingMore()
		text := c.result(providers.Output{Refusal: "missing", Steps: []providers.Step{{Command: "mytool --list", Exit: -1, MissingProgram: "mytool", FoundPath: found}}}).Text()
		require.Contains(t, text, want)
		require.NotContains(t, text, "mytool package")
	}
}
