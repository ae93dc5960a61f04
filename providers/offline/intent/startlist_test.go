package intent

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTakingOffTheStartListIsNoRemoval: a program that no longer starts by itself stays installed.
func TestTakingOffTheStartListIsNoRemoval(t *testing.T) {
	for _, request := range []string{
		"시작 프로그램에서 디스코드 빼줘", "시작프로그램에서 스팀 제거해줘", "디스코드 자동 실행 안 되게 빼줘", "시작 프로그램에서 디스코드 빼고 스팀도 빼줘", "시작 프로그램에서 도커 빼줘",
		"remove discord from startup", "remove discord from autostart", "remove discord from start up programs", "take steam off the startup list", "remove discord from startup and remove steam",
		"uninstall discord from my login items", "把discord从开机启动里删除", "从自启动中移除steam", "把steam从启动项里删掉",
	} {
		p := BuiltIn().Understand(request, Context{})
		for _, s := range slices.Concat(p.Steps, p.FollowUps) {
			require.True(t, s.IsReadOnly() || s.Tool == "manage_service" && s.Input["action"] == "disable", "%s: %s", request, p.Why())
		}
		answer := BuiltIn().Understand("discord", Context{Previous: request, Answered: true})
		for _, s := range answer.Steps {
			require.NotEqual(t, "remove_package", s.Tool, request)
		}
	}
	require.Equal(t, []Step{Call("remove_package", "name", "discord")}, BuiltIn().Understand("디스코드 지워줘", Context{}).Steps)
}
