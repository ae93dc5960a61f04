package intent

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLeftConfigurationFiles: requests about .pacnew files, and decisions about their conflicts, become the tool's call.
func TestLeftConfigurationFiles(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]string{
		".pacnew 정리해줘": "", "pacnew 파일 있어?": "", "남은 pacnew 파일들 병합해줘": "", "팩뉴 파일 처리해줘": "", "/etc/pacman.conf.pacnew 합쳐줘": "/etc/pacman.conf.pacnew ",
		"what about my pacnew files?": "", "merge my .pacnew files": "", "are there any pacnew files": "", "merge mkinitcpio.conf.pacnew": "mkinitcpio.conf.pacnew ",
		"pacnew 合并一下": "", "有没有 pacnew 文件": "", "處理一下 pacnew": "",
		"1 mine, 2 new": " 1=mine 2=new", "1 and 3 mine, 2 new": " 1=mine 3=mine 2=new", "1=mine 2=new": " 1=mine 2=new", "1: mine": " 1=mine",
		"1번은 내 거, 2번은 새 거": " 1=mine 2=new", "1번 내것 2번 새것": " 1=mine 2=new", "1번 내 것, 2번 새 것으로 해줘": " 1=mine 2=new", "1은 새 거": " 1=new",
		"1 我的，2 新的": " 1=mine 2=new", "1号用我的，2号用新的": " 1=mine 2=new",
		"keep my pacman.conf, discard the pacnew /etc/pacman.conf": "/etc/pacman.conf mine", "use the new one for /etc/locale.gen.pacnew": "/etc/locale.gen.pacnew new",
		"/etc/locale.gen.pacnew 새 파일 써줘": "/etc/locale.gen.pacnew new",
	} {
		p := BuiltIn().Understand(request, Context{})
		require.Len(t, p.Steps, 1, "%s: %s", request, p.Why())
		require.Equal(t, "pacnew", p.Steps[0].Tool, "%s: %s", request, p.Why())
		text := func(key string) string { s, _ := p.Steps[0].Input[key].(string); return s }
		require.Equal(t, strings.TrimSpace(want), strings.TrimSpace(text("file")+" "+text("choice")), request)
	}
	for _, request := range []string{
		"pacnew가 뭐야", "what is a pacnew file?", "tell me when there are pacnew files", "volume 30, brightness 20", "1", "2번", "1 new message", "open 2 new tabs",
		"새 파일 2개 만들어줘", "my 2 old files", "신규 설치", "remember that I hate pacnew files",
	} {
		for _, s := range BuiltIn().Understand(request, Context{}).Steps {
			require.NotEqual(t, "pacnew", s.Tool, request)
		}
	}
}
