package daemon

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/pairing"
	"github.com/nidoit/blunux-ai/ipc"
)

// BridgesOf tells of the bridges that were set up below the program's files: out
// of their own directories, so that it is told also when they do not run.
func BridgesOf(home string) []ipc.BridgeStatus {
	all := []ipc.BridgeStatus{}
	for _, seen := range state.Look(home) {
		all = append(all, bridgeStatus(seen))
	}
	return all
}

func bridgeStatus(seen state.Seen) ipc.BridgeStatus {
	b := ipc.BridgeStatus{Channel: seen.Channel.Name, Unit: seen.Channel.Unit}
	if seen.Err != nil {
		b.Problem = ipc.VisibleLine(seen.Err.Error())
		return b
	}
	s := seen.State
	b.Running, b.Phase, b.NeedsPerson, b.Do = s.Running, string(seen.Phase()), seen.Halted(), strings.Join(seen.Remedy(), " ")
	// What a server said is no text of ours.
	b.Account, b.Detail, b.Version = ipc.VisibleLine(s.Account), ipc.VisibleLine(s.Detail), ipc.VisibleLine(s.Version)
	b.Unsent, b.Untaken, b.Since = s.Unsent, s.Untaken, s.Since
	if s.Running {
		b.Until, b.PID = s.Until, s.PID
	}
	return b
}

// AdmittedOf counts who may write over a channel, and who waits to be let in, of
// files alone.
func AdmittedOf(home string, cfg config.Config, channel string) (admitted, waiting int) {
	switch channel {
	case "whatsapp":
		if off := cfg.Agent.WhatsAppEnabled; off != nil && !*off {
			return 0, 0
		}
		admitted = len(cfg.WhatsApp.AllowedNumbers)
	case "telegram":
		admitted = len(cfg.Telegram.AllowedChats)
	case "discord":
		admitted = len(cfg.Discord.AllowedUsers)
	}
	st, err := pairing.New(filepath.Join(home, "pairing.json"), time.Now).List()
	if err != nil {
		return admitted, 0 // the daemon tells
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
