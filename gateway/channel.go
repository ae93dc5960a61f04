package gateway

import (
	"context"
	"slices"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/ipc"
)

// Channel is a messenger in the answers to channel.list and channel.get.
type Channel struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Name    string `json:"name"`
	Enabled bool   `json:"enabled"` // its bridge runs
	SetUp   bool   `json:"setUp"`
	Status  string `json:"status,omitempty"` // of its bridge
	Account string `json:"account,omitempty"`
	// NeedsPerson reports that the bridge cannot continue without help. Hint is the command that helps.
	NeedsPerson bool   `json:"needsPerson,omitempty"`
	Hint        string `json:"hint,omitempty"`
}

// readChannels returns the messengers that have a bridge.
func (c *call) readChannels(ctx context.Context) ([]Channel, error) {
	var s ipc.Status
	if err := c.g.daemon.requests.Query(ctx, ipc.Query{What: "status"}, &s); err != nil {
		return nil, err
	}
	list := []Channel{}
	for _, m := range s.Messengers() {
		list = append(list, Channel{
			ID: m.Name, Type: m.Name, Name: m.Title, Enabled: m.Bridge.Running, SetUp: m.SetUp, Status: m.Bridge.Phase,
			Account: m.Bridge.Account, NeedsPerson: m.Bridge.NeedsPerson, Hint: m.Bridge.Remedy,
		})
	}
	return list, nil
}

func (c *call) channels(ctx context.Context) (any, error) {
	list, err := c.readChannels(ctx)
	return map[string]any{"channels": list}, err
}

// channelID returns the messenger that a request names, by id or name as the specification's commands do.
func (c *call) channelID() (channel.Channel, error) {
	var p struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		Type string `json:"type"`
	}
	if err := decodeParams(c.params, &p); err != nil {
		return channel.Channel{}, err
	}
	for _, name := range []string{p.ID, p.Type, p.Name} {
		if known, ok := channel.ByName(name); ok && known.Program != "" {
			return known, nil
		}
	}
	return channel.Channel{}, newError(codeParams, ipc.CodeBadRequest, i18n.GatewayNoChannel)
}

func (c *call) channel(ctx context.Context) (any, error) {
	known, err := c.channelID()
	if err != nil {
		return nil, err
	}
	list, err := c.readChannels(ctx)
	if err != nil {
		return nil, err
	}
	return list[slices.IndexFunc(list, func(ch Channel) bool { return ch.ID == known.Name })], nil
}

// addChannel refuses to log in to a messenger: that takes a secret, which a person types at the machine.
func (c *call) addChannel(context.Context) (any, error) {
	known, err := c.channelID()
	if err != nil {
		return nil, err
	}
	e := newError(codeServer, ipc.CodeDenied, i18n.GatewayLogin(known.Title))
	e.hint = known.Program + " login"
	return nil, e
}

// changeChannel enables or disables a bridge's unit, through the gate: a person is asked.
func (c *call) changeChannel(action string) {
	known, err := c.channelID()
	if err != nil {
		c.answer(nil, err)
		return
	}
	c.startTool("manage_service", encode(map[string]any{"action": action, "name": known.Unit, "user": true}), known.Name)
}
