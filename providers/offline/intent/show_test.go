package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestU10ANamedFileIsShown asks to show files.
func TestU10ANamedFileIsShown(t *testing.T) {
	for text, command := range map[string]string{
		"show me /etc/hosts": "cat /etc/hosts", "what's in /etc/fstab?": "cat /etc/fstab", "/etc/hosts 보여줘": "cat /etc/hosts", "显示 /etc/hosts": "cat /etc/hosts",
	} {
		p := shared().Understand(text, Context{})
		require.Equal(t, []Step{Call("run_command", "command", command)}, p.Steps, "%s: %s", text, p.Why())
		require.True(t, p.Steps[0].IsReadOnly(), text)
	}
	for _, text := range []string{"show me /etc/hosts; rm x", "show me /etc/$(id)", "delete /etc/hosts"} {
		for _, s := range shared().Understand(text, Context{}).Steps {
			require.NotEqual(t, "cat", stringOf(s.Input["command"]), text)
			require.NotContains(t, stringOf(s.Input["command"]), "$(", text)
		}
	}
}

// TestU10WhatWasChangedIsReadFromPacmansLog asks for recently changed packages.
func TestU10WhatWasChangedIsReadFromPacmansLog(t *testing.T) {
	for _, text := range []string{"what did I install yesterday", "which packages were updated today?", "어제 뭐가 설치됐어?", "어제 무슨 패키지 설치했어?", "昨天装了什么", "这周更新了哪些软件包"} {
		p := shared().Understand(text, Context{})
		require.NotEmpty(t, p.Steps, "%s: %s", text, p.Why())
		require.Equal(t, "packages", p.Steps[0].Input["log"], "%s: %s", text, p.Why())
	}
}

// TestWhatChangedOnThisMachineIsTheTimeline: whoever changed it, also of one program.
func TestWhatChangedOnThisMachineIsTheTimeline(t *testing.T) {
	for text, day := range map[string]string{
		"what changed this week?": "week", "이번 주에 뭐가 바뀌었어?": "week", "어제 뭐가 바뀌었어?": "yesterday", "昨天有什么变化": "yesterday", "what broke it?": "", "오늘 뭐가 달라졌어?": "today",
	} {
		p := shared().Understand(text, Context{})
		require.Len(t, p.Steps, 1, "%s: %s", text, p.Why())
		require.Equal(t, "recent_changes", p.Steps[0].Tool, text)
		require.Equal(t, true, p.Steps[0].Input["everything"], text)
		require.Equal(t, day, p.Steps[0].Input["day"], text)
	}
	p := shared().Understand("what changed in firefox since yesterday?", Context{})
	require.NotEmpty(t, p.Steps, p.Why())
}
