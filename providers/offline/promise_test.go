package offline

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/providers"
)

func TestModelIsSafeForConcurrentUse(t *testing.T) {
	model := New(Options{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for _, text := range []string{"disk full?", "도커 재시작해줘", "에러 로그 보여줘", "chekc disk spcae"} {
				_, err := model.Complete(context.Background(), providers.Request{Messages: []providers.Message{providers.UserText(text)}, Tools: definitions(inventory...)}, nil)
				if err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
}

// TestAnyOutputIsTold feeds random outputs to every tool.
func TestAnyOutputIsTold(t *testing.T) {
	commands := map[string][]string{
		"check_network": {"nmcli general status", "ip -br addr", "ip route", "ping -c 1 -W 2 1.1.1.1", "getent hosts archlinux.org"}, "find_large": {"du -x -h", "find / -xdev"},
		"system_info": {"uname -srm", "cat /etc/os-release", "uptime", "free -h", "lscpu"}, "check_boot": {"systemd-analyze time", "systemd-analyze blame"},
		"package_info": {"pacman -Qi -- x", "pacman -Si -- x"}, "check_hardware": {"lscpu", "lspci -nnk", "upower -d", "sensors", "lsusb", "lsblk"},
	}
	rapid.Check(t, func(rt *rapid.T) {
		tool := rapid.SampledFrom(inventory).Draw(rt, "tool")
		list := commands[tool]
		if list == nil {
			list = []string{rapid.SampledFrom([]string{"pgrep -a -i -- x", "ps aux", "df -h", "x"}).Draw(rt, "command")}
		}
		var steps []providers.Step
		for _, c := range list {
			steps = append(steps, providers.Step{Command: c, Stdout: rapid.String().Draw(rt, "stdout"), Stderr: rapid.String().Draw(rt, "stderr"), Exit: rapid.IntRange(-1, 8).Draw(rt, "exit"), TimedOut: rapid.Bool().Draw(rt, "late"), Cut: rapid.Bool().Draw(rt, "cut")})
		}
		input := `{"name":"x","scope":"` + rapid.SampledFrom([]string{"", "all", "ip", "ports", "connectivity", "gpu", "battery"}).Draw(rt, "scope") + `","filter":"orphans"}`
		out := providers.Output{Steps: steps}
		req := providers.Request{Tools: definitions(inventory...), Lang: rapid.SampledFrom([]string{"ko", "en", "zh"}).Draw(rt, "lang"), Messages: []providers.Message{
			providers.UserText("x"),
			{Role: providers.RoleAssistant, Content: []providers.Block{{Type: providers.BlockToolUse, ID: "1", Name: tool, Input: json.RawMessage(input)}}},
			{Role: providers.RoleUser, Content: []providers.Block{{Type: providers.BlockToolResult, ToolUseID: "1", Output: &out}}},
		}}
		got, err := New(Options{}).Complete(context.Background(), req, nil)
		require.NoError(rt, err)
		require.NotEmpty(rt, got.Content)
		require.NotContains(rt, got.Text(), "\x1b")
	})
}

func TestOddResults(t *testing.T) {
	use := providers.Block{Type: providers.BlockToolUse, ID: "1", Name: "check_disk", Input: json.RawMessage(`not json`)}
	for name, result := range map[string]providers.Block{
		"no output":       {Type: providers.BlockToolResult, ToolUseID: "1"},
		"only content":    {Type: providers.BlockToolResult, ToolUseID: "1", Content: "<data a>\nhello\n</data a>"},
		"no steps":        {Type: providers.BlockToolResult, ToolUseID: "1", Output: &providers.Output{}},
		"unknown id":      {Type: providers.BlockToolResult, ToolUseID: "9", Output: &providers.Output{Steps: []providers.Step{{Command: "x", Stdout: "y"}}}},
		"unknown refusal": {Type: providers.BlockToolResult, ToolUseID: "1", Output: &providers.Output{Refusal: "quota"}},
	} {
		got, err := New(Options{Lang: "en"}).Complete(context.Background(), providers.Request{Messages: []providers.Message{
			{Role: providers.RoleAssistant, Content: []providers.Block{use}}, {Role: providers.RoleUser, Content: []providers.Block{result}},
		}}, nil)
		require.NoError(t, err, name)
		require.NotEmpty(t, got.Text(), name)
	}
}

// TestALongConversationIsReadOnce checks that each turn's context is computed once. Each depends on the
// previous turn, so repeated computation would double the work with every turn.
func TestALongConversationIsReadOnce(t *testing.T) {
	model := New(Options{})
	var messages []providers.Message
	for range 60 {
		out := providers.Output{Steps: []providers.Step{{Command: "pacman -Qdt", Exit: 1}}}
		messages = append(
			messages, providers.UserText("any orphan packages?"),
			providers.Message{Role: providers.RoleAssistant, Content: []providers.Block{{Type: providers.BlockToolUse, ID: "1", Name: "list_packages", Input: json.RawMessage(`{"filter":"orphans"}`)}}},
			providers.Message{Role: providers.RoleUser, Content: []providers.Block{{Type: providers.BlockToolResult, ToolUseID: "1", Output: &out}}},
			providers.Message{Role: providers.RoleAssistant, Content: []providers.Block{{Type: providers.BlockText, Text: "No orphaned packages. All clean."}}},
		)
	}
	messages = append(messages, providers.UserText("any orphan packages?"))
	_, err := model.Complete(t.Context(), providers.Request{Messages: messages, Tools: definitions(inventory...)}, nil)
	require.NoError(t, err)
}

// TestTheHelperContinuesNoRequest: the last text is the program's, and the person's earlier words must not be planned
// once more.
func TestTheHelperContinuesNoRequest(t *testing.T) {
	_, err := New(Options{}).Complete(t.Context(), providers.Request{
		Messages:  []providers.Message{providers.UserText("install htop"), providers.AssistantText("it waits"), providers.UserText("now approved")},
		Continues: true,
	}, nil)
	var failure *providers.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, providers.KindAPI, failure.Kind)
}
