package intent

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatIsInstalledIsAlsoStarted: a service in one plan with its installation, a program is offered afterwards.
func TestWhatIsInstalledIsAlsoStarted(t *testing.T) {
	for action, requests := range map[string][]string{
		"start":  {"docker 설치하고 켜줘", "docker 깔고 시작해줘", "install docker, then start it", "install docker and start it", "安装docker然后启动"},
		"enable": {"install docker and enable it", "docker 설치하고 부팅할 때 켜지게 해줘", "docker 설치하고 자동 시작 되게 해줘", "安装docker并设置开机启动"},
	} {
		for _, request := range requests {
			p := BuiltIn().Understand(request, Context{})
			require.Len(t, p.Steps, 1, "%s: %s", request, p.Why())
			require.Equal(t, []any{
				map[string]any{"verb": "install", "args": map[string]any{"name": "docker"}},
				map[string]any{"verb": "unit", "args": map[string]any{"action": action, "name": "docker"}},
			}, p.Steps[0].Input["steps"], request)
		}
	}
	for _, request := range []string{"docker 지우고 다시 설치해줘", "remove docker and install it again", "docker 삭제하고 재설치해줘"} {
		p := BuiltIn().Understand(request, Context{})
		require.Len(t, p.Steps[0].Input["steps"], 2, "%s: %s", request, p.Why())
	}
	for _, request := range []string{"install vlc and open it", "vlc 설치하고 열어줘", "vlc 깔고 실행해줘", "安装vlc并打开"} {
		p := BuiltIn().Understand(request, Context{})
		require.Equal(t, []Step{Call("install_package", "name", "vlc")}, p.Steps, "%s: %s", request, p.Why())
		require.Len(t, p.FollowUps, 1, request)
		require.Equal(t, "vlc", p.FollowUps[0].Input["object"], request)
	}
	for _, request := range []string{"install vlc", "install vlc but don't open it", "install vlc to open mkv files", "install docker to run containers", "vlc 설치해줘, 동영상 열려고"} {
		p := BuiltIn().Understand(request, Context{})
		require.Empty(t, p.FollowUps, request)
		require.False(t, slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Tool != "install_package" }), "%s: %s", request, p.Why())
	}
}
