package remote

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/pairing"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/ipc"
)

// BridgesOf returns the status of all bridges that were set up. It reads their own directories, so it works for
// bridges that do not run.
func BridgesOf(home string) []ipc.BridgeStatus {
	all := []ipc.BridgeStatus{}
	for _, seen := range state.Statuses(home) {
		all = append(all, bridgeStatus(seen))
	}
	return all
}

func bridgeStatus(seen state.Status) ipc.BridgeStatus {
	b := ipc.BridgeStatus{Channel: seen.Channel.Name, Unit: seen.Channel.Unit}
	if seen.Err != nil {
		b.Problem = ipc.VisibleLine(seen.Err.Error())
		return b
	}
	s := seen.State
	b.Running, b.Phase, b.NeedsPerson, b.Remedy = s.Running, string(seen.Phase()), seen.NeedsPerson(), strings.Join(seen.Remedy(), " ")
	// b from a server is untrusted.
	b.Account, b.Detail, b.Version = ipc.VisibleLine(s.Account), ipc.VisibleLine(s.Detail), ipc.VisibleLine(s.Version)
	b.Unsent, b.Undelivered, b.Since = s.Unsent, s.Undelivered, s.Since
	if s.Running {
		b.Until, b.PID = s.Until, s.PID
	}
	return b
}

// AdmittedOf counts the senders who may write over a channel, and those who wait to be paired. It only reads
// files.
func AdmittedOf(home string, cfg config.Config, channel string) (admitted, waiting int) {
	if off := cfg.Agent.WhatsAppEnabled; channel == post.WhatsAppChannel && off != nil && !*off {
		return 0, 0
	}
	admitted = len(*cfg.Senders(channel))
	st, err := pairing.New(filepath.Join(home, "pairing.json"), time.Now).List()
	if err != nil {
		return admitted, 0 // the daemon reports the error
	}
	for _, p := range st.Paired {
		if p.Channel == channel {
			admitted++
		}
	}
	for _, r := range st.Waiting {
		if r.Channel == channel {
			waiting++
		}
	}
	return admitted, waiting
}
