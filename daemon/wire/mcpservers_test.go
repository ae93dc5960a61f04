package wire

import (
	"testing"
	"time"

	"github.com/nidoit/blunux-ai/config"
	"github.com/stretchr/testify/require"
)

func TestAServerGetsWhatTheConfigurationGivesItAndNoKey(t *testing.T) {
	env := map[string]string{"PATH": "/usr/bin", "ANTHROPIC_API_KEY": "sk-ant-secret", "TOKEN": "tok-12345678", "LANG": "C"}
	w := Sources{Getenv: func(name string) string { return env[name] }}
	home := t.TempDir()
	cfg := config.Config{MCP: map[string]config.MCP{
		"b": {Command: []string{"~/bin/b", "--in", "~/notes"}, Env: map[string]string{"T": "$TOKEN", "LANG": "ko_KR.UTF-8"}, Timeout: 5, Allow: []string{"read"}},
		"a": {Command: []string{"a"}, Env: map[string]string{"T": "$MISSING"}},
	}}
	list, secrets := w.servers(cfg, home)
	require.Equal(t, []string{"", "tok-12345678"}, secrets, "its value is taken out of what is shown")
	require.Equal(t, "mcp.a.env.T refers to $MISSING, which is not set", list[0].Problem)
	b := list[1]
	require.Empty(t, b.Problem)
	require.Equal(t, []string{home + "/bin/b", "--in", home + "/notes"}, b.Command)
	require.Equal(t, []string{"HOME=" + home, "PATH=/usr/bin", "LANG=ko_KR.UTF-8", "T=tok-12345678"}, b.Env)
	require.Equal(t, 5*time.Second, b.Timeout)
	require.Equal(t, home, b.Dir)
	again, _ := w.servers(cfg, home)
	require.Equal(t, list, again, "the same configuration is the same servers: they go on")
}
