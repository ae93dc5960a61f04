package scripted_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/scripted"
	"github.com/nidoit/blunux-ai/test/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	providertest.Run(t, providertest.Subject{New: func(t *testing.T, replies []providertest.Reply, _ providertest.Settings) providertest.Fixture {
		m, err := scripted.Parse("conformance.toml", []byte(scriptOf(replies)))
		require.NoError(t, err)
		return providertest.Fixture{Model: m}
	}})
}

// scriptOf writes replies as a script. Each conversation of the suite is new, so only the first reply is used.
func scriptOf(replies []providertest.Reply) string {
	var b strings.Builder
	b.WriteString("piece = 3\n")
	r := replies[0]
	fmt.Fprintf(&b, "[[step]]\ntext = %s\nstop = %s\nwait = %t\nusage = { in = %d, out = %d }\n",
		strconv.Quote(strings.Join(r.Text, "")), strconv.Quote(stopOf(r)), r.Hold, r.Usage.InputTokens, r.Usage.OutputTokens)
	for _, c := range r.Tools {
		fmt.Fprintf(&b, "[[step.tool]]\nname = %q\ninput_raw = '%s'\n", c.Name, c.Input)
	}
	if r.Status == 0 {
		return b.String()
	}
	b.Reset()
	fmt.Fprintf(&b, "[[step]]\n[step.error]\nkind = %q\nstatus = %d\nmessage = %q\n", providers.KindOfStatus(r.Status), r.Status, r.Message)
	if r.RetryAfter != "" {
		fmt.Fprintf(&b, "retry_after = %q\n", r.RetryAfter+"s")
	}
	return b.String()
}

func stopOf(r providertest.Reply) string {
	switch {
	case r.Stop != "":
		return string(r.Stop)
	case len(r.Tools) > 0:
		return "tool_use"
	}
	return "end_turn"
}

func TestPromises(t *testing.T) {
	m, err := scripted.Load("testdata/tour.toml")
	require.NoError(t, err)
	providertest.CheckInvariants(t, m, providers.Request{},
		providers.Request{Messages: []providers.Message{providers.UserText("how full is the disk?")}},
		providers.Request{Messages: []providers.Message{providers.UserText("run rm -rf /")}})
}
