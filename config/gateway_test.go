package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/config"
)

func TestTheGatewayListensOnThisComputerOnly(t *testing.T) {
	load := func(text string, env map[string]string) (config.Config, error) {
		src := config.NewSource(config.Paths{Home: t.TempDir()}, func(name string) string { return env[name] })
		src.Distribution, src.System = "/nowhere", "/nowhere"
		return config.Load(src.WithText(src.Paths.Config(), []byte(text)))
	}
	for _, c := range []struct {
		text string
		env  map[string]string
		want string // "" for an error
	}{
		{"", nil, "127.0.0.1:18789"},
		{"[gateway]\nport = 28789\n", nil, "127.0.0.1:28789"},
		{"[gateway]\nhost = \"localhost\"\n", nil, "127.0.0.1:18789"},
		{"[gateway]\nhost = \"::1\"\n", nil, "[::1]:18789"},
		{"[gateway]\nhost = \"127.0.0.7\"\n", map[string]string{config.GatewayPortEnv: "2000"}, "127.0.0.7:2000"},
		{"[gateway]\nport = 28789\n", map[string]string{config.GatewayHostEnv: "::1", config.GatewayPortEnv: "3000"}, "[::1]:3000"},
		{"[gateway]\nhost = \"0.0.0.0\"\n", nil, ""},
		{"[gateway]\nhost = \"192.168.0.2\"\n", nil, ""},
		{"[gateway]\nhost = \"example.com\"\n", nil, ""},
		{"[gateway]\nhost = \"::1%lo\"\n", nil, ""},
		{"[gateway]\nport = 80\n", nil, ""},
		{"[gateway]\nport = 65536\n", nil, ""},
		{"", map[string]string{config.GatewayHostEnv: "0.0.0.0"}, ""},
		{"", map[string]string{config.GatewayPortEnv: "many"}, ""},
	} {
		cfg, err := load(c.text, c.env)
		if c.want == "" {
			require.Error(t, err, c)
			continue
		}
		require.NoError(t, err, c)
		require.Equal(t, c.want, cfg.Gateway.Address(), c)
	}
}
