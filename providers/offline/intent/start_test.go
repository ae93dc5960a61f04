package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAProgramThatDoesNotStartIsLookedAt(t *testing.T) {
	l := BuiltIn()
	for _, text := range []string{
		"vlc does not start", "VLC doesn't open", "vlc won't open since the update", "why is vlc not starting?", "I can't open vlc anymore", "vlc refuses to start",
		"vlc가 안 켜져", "VLC가 안 켜져요", "업데이트하고 나서 vlc가 안 열려요", "vlc 실행이 안 돼", "vlc가 실행이 안돼요", "vlc가 안 떠", "vlc가 켜지지 않아요", "vlc打不开", "vlc启动不了", "vlc가 열리지 않아",
	} {
		p := l.Understand(text, Context{})
		require.Equal(t, KindCall, p.Kind, text)
		require.Equal(t, []Step{Call("check_processes", "name", "vlc")}, p.Steps, text)
		require.Equal(t, []string{"running"}, p.Diagnoses, text)
		require.False(t, p.IsUncertain, text)
		require.False(t, l.Read(text).ForbidsChange(), text)
		require.True(t, l.Read(text).FailsToStart(), text)
	}
	require.True(t, l.Read("vlc does not start, but don't install anything").ForbidsChange())
	for _, text := range []string{"do not start vlc", "don't open vlc", "is vlc running?", "never start vlc", "vlc 안 켜도 돼", "vlc 켜지 마", "vlc 실행해줘", "vlc 열지 마", "不要打开vlc"} {
		require.False(t, l.Read(text).FailsToStart(), text)
	}
}

func TestAnUpdateThatFailsIsLookedAt(t *testing.T) {
	l := BuiltIn()
	for _, text := range []string{
		"I can't update", "cannot update the system", "the update fails", "업데이트가 안 돼", "업데이트가 안돼요", "업데이트가 자꾸 실패해", "업그레이드가 안 됩니다",
		"更新失败", "无法更新", "error: failed to commit transaction (conflicting files) tool: /usr/bin/tool exists in filesystem",
	} {
		require.Equal(t, TroubleDatabase, l.Read(text).Trouble(), text)
		require.Equal(t, []string{TroubleDatabase}, l.Understand(text, Context{}).Diagnoses, text)
	}
	for _, text := range []string{"update the system", "업데이트해줘", "업데이트 안 해도 돼", "업데이트 있어?", "更新系统", "don't update", "are there updates?", "my phone does not update", "the clock does not update", "the widget won't update"} {
		require.NotEqual(t, TroubleDatabase, l.Read(text).Trouble(), text)
	}
}
