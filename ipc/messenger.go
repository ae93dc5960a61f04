package ipc

import "github.com/nidoit/blunux-ai/internal/channel"

// Messenger is a messenger that has a bridge, with the state of that bridge.
type Messenger struct {
	channel.Channel
	// SetUp reports that the bridge was ever logged in or run. Otherwise Bridge only has the names.
	SetUp  bool
	Bridge BridgeStatus
}

// Messengers returns all messengers that have a bridge, in display order, whether or not they are set up.
func (s Status) Messengers() []Messenger {
	var list []Messenger
	for _, known := range channel.WithBridge() {
		m := Messenger{Channel: known, Bridge: BridgeStatus{Channel: known.Name, Unit: known.Unit, Remedy: known.Program + " login"}}
		for _, b := range s.Bridges {
			if b.Channel == known.Name {
				m.SetUp, m.Bridge = true, b
			}
		}
		list = append(list, m)
	}
	return list
}
