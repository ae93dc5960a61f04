package offline_test

import (
	"encoding/json"
	"testing"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline"
	"github.com/nidoit/blunux-ai/test/providertest"
)

// The helper passes the tests of every provider.
func TestTheEngineIsAProviderLikeTheOthers(t *testing.T) {
	tools := []providers.ToolDefinition{{Name: "check_disk", Description: "df -h", InputSchema: json.RawMessage(`{"type":"object"}`)}}
	ask := func(text string) providers.Request {
		return providers.Request{Messages: []providers.Message{providers.UserText(text)}, Tools: tools, Lang: "en"}
	}
	providertest.CheckInvariants(t, offline.New(offline.Options{Lang: "en", Home: "/home/blu"}),
		ask("disk full?"), ask("디스크 용량 얼마나 남았어?"), ask("tell me a joke"), ask("format my disk"))
}
