package doctor

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// reachable checks that only this computer reaches the gateway's port: a tunnel or a proxy of another program may have
// opened it.
func reachable(_ context.Context, p Machine) Finding {
	cfg, _ := config.Load(p.Source) // another check reports its errors
	_, port, err := net.SplitHostPort(cfg.Gateway.Address())
	if err != nil {
		return p.finding(OK, "", i18n.DoctorGatewayOff)
	}
	listens := false
	for _, name := range []string{"tcp", "tcp6"} {
		text, err := os.ReadFile(filepath.Join(p.Root, "/proc/net", name))
		if err != nil {
			continue // a kernel without IPv6
		}
		all, _ := machine.ParseListeners(text) // those that it could read
		for _, a := range all {
			if strconv.Itoa(int(a.Port())) != port {
				continue
			}
			if !a.Addr().IsLoopback() {
				return p.finding(Warn, "ss -ltnp 'sport = :"+port+"'", i18n.DoctorGatewayOpen(port, a.String()))
			}
			listens = true
		}
	}
	if !listens {
		return p.finding(OK, "", i18n.DoctorGatewayOff)
	}
	return p.finding(OK, "", i18n.DoctorGateway(port))
}
