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
	for _, text := range []string{"what did I install yesterday", "what changed this week?", "which packages were updated today?", "어제 뭐가 설치됐어?", "어제 무슨 패키지 설치했어?", "이번 주에 뭐가 바뀌었어?", "昨天装了什么", "这周更新了哪些软件包"} {
		p := shared().Understand(text, Context{})
		require.NotEmpty(t, p.Steps, "%s: %s", text, p.Why())
		require.Equal(t, "packages", p.Steps[0].Input["log"], "%s: %s", text, p.Why())
	}
}
