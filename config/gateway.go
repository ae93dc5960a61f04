package config

import (
	"cmp"
	"net"
	"net/netip"
	"slices"
	"strconv"

	"github.com/nidoit/blunux-ai/i18n"
)

// Gateway is the [gateway] table: where other programs reach the gateway.
type Gateway struct {
	Host string `toml:"host"` // an address of the loopback, default 127.0.0.1
	Port int    `toml:"port"` // default 18789
}

const (
	defaultGatewayHost = "127.0.0.1"
	defaultGatewayPort = 18789
	maxPort            = 65535
	// minGatewayPort is the first port that a user's program may listen on.
	minGatewayPort = 1024
)

// The environment variables for the table, named as in Moonbot.
const (
	GatewayHostEnv = "MOONBOT_GATEWAY_HOST"
	GatewayPortEnv = "MOONBOT_GATEWAY_PORT"
)

// Address returns where the gateway listens.
func (g Gateway) Address() string {
	host := cmp.Or(g.Host, defaultGatewayHost)
	if host == "localhost" {
		host = defaultGatewayHost
	}
	return net.JoinHostPort(host, strconv.Itoa(cmp.Or(g.Port, defaultGatewayPort)))
}

// bad returns the first invalid value of the table.
func (g *Gateway) bad() problem {
	if !slices.Contains([]string{"", "localhost"}, g.Host) {
		if ip, err := netip.ParseAddr(g.Host); err != nil || !ip.IsLoopback() || ip.Zone() != "" {
			return problem{"gateway.host", i18n.SettingLoopback(g.Host)}
		}
	}
	if g.Port != 0 && (g.Port < minGatewayPort || g.Port > maxPort) {
		return problem{"gateway.port", i18n.SettingPort(minGatewayPort, maxPort)}
	}
	return problem{}
}

// gatewayEnvironment applies the environment variables of the gateway, as a layer with the file that an error names.
func (c *Config) gatewayEnvironment(getenv func(string) string) error {
	if host := getenv(GatewayHostEnv); host != "" {
		c.Gateway.Host = host
		if err := c.addGatewayLayer(GatewayHostEnv, "host = "+strconv.Quote(host)); err != nil {
			return err
		}
	}
	if text := getenv(GatewayPortEnv); text != "" {
		port, err := strconv.Atoi(text)
		if err != nil || port == 0 {
			port = -1
		}
		c.Gateway.Port = port
		return c.addGatewayLayer(GatewayPortEnv, "port = "+strconv.Itoa(port))
	}
	return nil
}

func (c *Config) addGatewayLayer(env, line string) error {
	l := layer{file: "$" + env, rules: len(c.Security.Rules), text: []byte("[gateway]\n" + line + "\n")}
	if err := c.validate(layer{file: l.file, rules: l.rules}); err != nil {
		return err
	}
	c.layers = append(c.layers, l)
	return nil
}
