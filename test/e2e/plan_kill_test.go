package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/ipc"
)

// planPlot answers "plan N" with a plan of four changes and two looks: each change writes a token.
const planPlot = `
[[step]]
user_match = '^plan (\w+)$'
[[step.tool]]
name = "plan"
input = { goal = "tokens", steps = [
	{ id = "1", verb = "run", args = { command = "echo {{user.1}}-1 >> tokens" } },
	{ id = "look", verb = "run", args = { command = "uname -s" } },
	{ id = "2", verb = "run", args = { command = "echo {{user.1}}-2 >> tokens" } },
	{ id = "3", verb = "run", args = { command = "echo {{user.1}}-3 >> tokens" } },
	{ id = "other", verb = "run", args = { command = "echo {{user.1}}-4 >> tokens" }, dependsOn = ["1"] },
] }
[[step]]
text = "carried out {{user.1}}"
`

// TestAPlanKilledAtAnyPointRepeatsNoStep: whenever the daemon dies, no step of a plan runs twice or before those that it
// needs, and the receipt says of each step what became of it.
func TestAPlanKilledAtAnyPointRepeatsNoStep(t *testing.T) {
	t.Parallel()
	var points []string
	for _, p := range []crash.Point{
		crash.JournalWritten, crash.JournalSynced, crash.LogWritten, crash.LogSynced, crash.BeforeExec, crash.ExecStarted, crash.ExecEnded,
	} {
		for n := 1; n <= 6; n++ {
			points = append(points, fmt.Sprintf("%s:%d", p, n))
		}
	}
	for len(points) < countKills() {
		points = append(points, "") // at random
	}
	for part := range slices.Chunk(points, (len(points)+3)/4) {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			d := newCrashMachine(t, tempHome(t))
			require.NoError(t, os.WriteFile(filepath.Join(d.home, "plot.toml"), []byte(planPlot), 0o600))
			for i, point := range part {
				d.planLife(point, fmt.Sprintf("w%dx", i))
			}
			d.planLife("", "wlast")
			tokens := d.read("tokens")
			for i, point := range part {
				d.checkPlan(t, fmt.Sprintf("w%dx", i), point, tokens)
			}
			require.Equal(t, 1, strings.Count(tokens, "wlast-3\n"))
			t.Logf("%d plans, %d receipts, %d steps run", len(part), strings.Count(d.read(".config/blunux-ai/receipts/receipts.jsonl"), `"receipt"`), strings.Count(tokens, "\n"))
		})
	}
}

// planLife runs a daemon with one client that approves a plan. The daemon dies at a point, or after a random time; with
// the last word it lives.
func (d *crashMachine) planLife(point, word string) {
	cmd := d.start(point)
	dead := make(chan struct{})
	go func() { _ = cmd.Wait(); close(dead) }()
	if point == "" && word != "wlast" {
		timer := time.AfterFunc(time.Duration(rand.IntN(150))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	if c := d.dial(dead, time.Minute); c != nil {
		d.runPlan(c, word)
		c.Close()
	}
	d.kill(cmd, dead)
}

// runPlan asks for a plan and approves each question until it is answered.
func (d *crashMachine) runPlan(c *ipc.Conn, word string) {
	hello := ipc.Message{Type: ipc.TypeHello, ID: "h", V: 1}.WithData(ipc.Hello{Channel: "cli", Caps: []string{ipc.CapAsk}})
	if c.Write(hello) != nil || c.Write(ipc.Message{Type: ipc.TypeMessage, ID: "m", Session: word, Body: "plan " + word}) != nil {
		return
	}
	for {
		m, err := c.Read()
		if err != nil || m.Re == "m" && m.Done {
			return
		}
		if m.Type == ipc.TypeAsk && c.Write(ipc.Message{Type: ipc.TypeAction, Re: m.ID, Action: ipc.ActionAllowOnce}) != nil {
			return
		}
	}
}

// checkPlan checks the tokens of a plan and its receipt, if it got one.
func (d *crashMachine) checkPlan(t *testing.T, word, point, tokens string) {
	ran := map[string]int{}
	for _, n := range []string{"1", "2", "3", "4"} {
		ran[n] = strings.Count(tokens, word+"-"+n+"\n")
		require.LessOrEqual(t, ran[n], 1, "%s %s: step %s ran twice", word, point, n)
	}
	require.False(t, ran["2"] > ran["1"] || ran["3"] > ran["2"] || ran["4"] > ran["1"], "%s %s: %v", word, point, ran)
	r, found := d.receipt(word)
	if !found {
		require.Zero(t, ran["1"], "%s %s: ran without a receipt", word, point)
		return
	}
	for _, s := range r.Steps {
		n := ""
		for _, k := range []string{"1", "2", "3", "4"} {
			if strings.Contains(s.Command, word+"-"+k) {
				n = k
			}
		}
		switch {
		case n == "" || s.State == "running": // cut short: what it did is not known
		case s.State == "unproved" || s.State == "done":
			require.Equal(t, 1, ran[n], "%s %s: %+v", word, point, s)
		case s.State == "" || s.State == "skipped":
			require.Zero(t, ran[n], "%s %s: %+v", word, point, s)
		}
	}
}

type killedReceipt struct {
	Steps []struct{ Command, State string } `json:"steps"`
	ID    string                            `json:"id"`
}

// receipt returns the receipt of a word's plan from the file.
func (d *crashMachine) receipt(word string) (r killedReceipt, found bool) {
	for line := range strings.Lines(d.read(".config/blunux-ai/receipts/receipts.jsonl")) {
		var l struct {
			Receipt *killedReceipt `json:"receipt"`
			ID      string         `json:"id"`
			Index   int            `json:"index"`
			Step    *struct{ Command, State string }
		}
		if json.Unmarshal([]byte(line), &l) != nil {
			continue
		}
		switch {
		case l.Receipt != nil && strings.Contains(l.Receipt.Steps[0].Command, word+"-1"):
			r, found = *l.Receipt, true
		case l.Step != nil && found && l.ID == r.ID:
			r.Steps[l.Index].State = l.Step.State
		}
	}
	return r, found
}
