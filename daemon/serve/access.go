package serve

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/notes"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// kind is a kind of connection.
type kind uint8

const (
	// local is a client of the person at the machine: command line, chat, desktop. It sees all channels.
	local kind = 1 << iota
	// mcp is an MCP client, app any other program that says hello. Each sees its own channel.
	mcp
	app
	// bridge is a messenger's bridge. A compromised one can only report messages and senders of its channel.
	bridge
	// gateway is the program that speaks JSON-RPC with other programs. It sees its own channel, and a compromised one can
	// write, answer questions and call tools only there.
	gateway
	// fleet is the bridge to a fleet. It brings questions and decisions about their plans, and calls no tool.
	fleet
	// original is a peer that did not say hello: the former WhatsApp bridge. Its senders are checked for each request.
	original

	client = local | mcp | app
	hello  = client | bridge | gateway | fleet
)

// route says who may make a request, and what serves it. The first route of a request for a kind counts; anything that
// has none is refused.
type route struct {
	request string // a type of messages, "topic" for the topics of subscriptions, "original" for messages without hello
	name    string // of the action, query or topic; the kind of a call; the type without hello
	who     kind
	serve   handler // nil for a topic
}

type handler func(*peerConn, context.Context, ipc.Message)

// table says who may do what on which kind of connection.
func table() []route {
	return []route{
		{"message", "", client, (*peerConn).message},
		{"message", "", bridge, (*peerConn).bridgeMessage},
		{"message", "", gateway | fleet, (*peerConn).gatewayMessage},
		{"original", "message", original, (*peerConn).originalRequest},
		{"original", "action", original, (*peerConn).originalRequest}, // ping, poll, reset, or a sender's answer
		{"call", "turn", client, (*peerConn).call},                    // in a turn that knows the caller
		{"call", "alone", mcp | gateway, (*peerConn).call},            // outside a turn
		{"cancel", "", client, alone((*peerConn).cancelTask)},
		{"cancel", "", bridge | gateway | fleet, alone((*peerConn).bridgeCancel)}, // its own requests

		{"subscribe", "", hello, alone((*peerConn).subscribe)},
		{"topic", "tasks", hello, nil},
		{"topic", "approvals", hello, nil},
		{"topic", "notifications", hello, nil},
		{"topic", "config", client | bridge, nil},
		{"topic", "pairing", client | bridge, nil},
		{"topic", "log", local, nil},
		{"topic", "daemon-log", local, nil},

		{"action", "attach", local, alone((*peerConn).attach)},
		{"action", "ping", hello, alone((*peerConn).ping)},
		{"action", "stop", client, alone((*peerConn).stop)},
		{"action", "reload", client, alone((*peerConn).reload)},
		{"action", "reset", client, alone((*peerConn).resetSession)},
		{"action", "delete_session", client, alone((*peerConn).deleteSession)},
		{"action", "poll_notifications", client, alone((*peerConn).poll)},
		{"action", "ack", hello, alone((*peerConn).acknowledge)},
		{"action", "allow_once", client | gateway | fleet, (*peerConn).answer},
		{"action", "allow_session", client, (*peerConn).answer},
		{"action", "allow_family", local, (*peerConn).answer}, // its line is shown only at the machine
		{"action", "edit", client, (*peerConn).answer},
		{"action", "reject", client | gateway | fleet, (*peerConn).answer},
		{"action", "allow_once", bridge, (*peerConn).press}, // a button in a chat
		{"action", "allow_session", bridge, (*peerConn).press},
		{"action", "reject", bridge, (*peerConn).press},
		{"action", "undo", bridge, (*peerConn).undo},
		{"action", "revoke_grant", local, alone((*peerConn).revokeGrant)},
		{"action", "pairing_ask", client | bridge, alone((*peerConn).askPairing)},
		{"action", "pairing_approve", local, alone((*peerConn).changePairing)},
		{"action", "pairing_deny", local, alone((*peerConn).changePairing)},
		{"action", "pairing_remove", local, alone((*peerConn).changePairing)},
		{"action", "automation_run", local, (*peerConn).automationAction},
		{"action", "automation_add", local, (*peerConn).automationAction},
		{"action", "automation_change", local, (*peerConn).automationAction},
		{"action", "automation_remove", local, (*peerConn).automationAction},
		{"action", "automation_enable", local, (*peerConn).automationAction},
		{"action", "automation_disable", local, (*peerConn).automationAction},
		{"action", "automation_snooze", local, (*peerConn).automationAction},
		{"action", "remember", local, noteAction((*peerConn).remember)},
		{"action", "forget", local, noteAction((*peerConn).forget)},
		{"action", "refresh_memory", local, noteAction((*peerConn).refreshMemory)},
		{"action", "clear_memory", local, noteAction((*peerConn).clearMemory)},
		{"action", "import_memory", local, noteAction((*peerConn).importMemory)},

		{"query", "status", client | gateway, query((*peerConn).queryStatus)},
		{"query", "tools", client | gateway, query((*peerConn).queryTools)},
		{"query", "tasks", client | gateway, query((*peerConn).queryTasks)},
		{"query", "changes", client | gateway, query((*peerConn).queryChanges)},
		{"query", "figures", client | gateway, query((*peerConn).queryFigures)},
		{"query", "diagnose", local, query((*peerConn).queryDiagnose)},
		{"query", "why", local, query((*peerConn).queryWhy)},
		{"query", "answer", local, whileConnected(query((*peerConn).queryAnswer))},
		{"query", "pacnew", local, query((*peerConn).queryPacnew)},
		{"query", "upgrade", local, query((*peerConn).queryUpgrade)},
		{"query", "timeline", local | gateway, query((*peerConn).queryTimeline)},
		{"query", "approvals", client | gateway | fleet, query((*peerConn).queryApprovals)},
		{"query", "sessions", client, query((*peerConn).querySessions)},
		{"query", "session", client, query((*peerConn).querySession)},
		{"query", "search", client, query((*peerConn).querySearch)},
		{"query", "export", client, query((*peerConn).queryExport)},
		{"query", "log", client, query((*peerConn).queryLog)},
		{"query", "daemon-log", client, query((*peerConn).queryLog)},
		{"query", "verify", client, query((*peerConn).queryVerify)},
		{"query", "notifications", client, query((*peerConn).queryNotifications)},
		{"query", "usage", client, query((*peerConn).queryUsage)},
		{"query", "config", client, query((*peerConn).queryConfig)},
		{"query", "models", client, query((*peerConn).queryModels)},
		{"query", "channel", mcp | app | bridge, query((*peerConn).queryChannel)},
		{"query", "judge", local, query((*peerConn).queryJudge)},
		{"query", "grants", local, query((*peerConn).queryGrants)},
		{"query", "pairing", local, query((*peerConn).queryPairing)},
		{"query", "automations", local, query((*peerConn).queryAutomations)},
		{"query", "automation-history", local, query((*peerConn).queryAutomationHistory)},
		{"query", "automation-next", local, query((*peerConn).queryAutomationNext)},
		{"query", "memory", local, query((*peerConn).queryMemory)},
		{"query", "memory-search", local, query((*peerConn).queryMemorySearch)},
		{"query", "memory-export", local, query((*peerConn).queryMemoryExport)},
		{"query", "misses", local, query((*peerConn).queryMisses)},
		{"query", "memory-count", local, query((*peerConn).queryMemoryCount)},
	}
}

// routes are the rows of the table by request.
type routes map[[2]string][]route

func newRoutes() routes {
	all := routes{}
	for _, r := range table() {
		key := [2]string{r.request, r.name}
		all[key] = append(all[key], r)
	}
	return all
}

// find returns the route of a request on a kind of connection, and whether any kind has one.
func (rs routes) find(request, name string, on kind) (r route, allowed, known bool) {
	for _, r := range rs[[2]string{request, name}] {
		if r.who&on != 0 {
			return r, true, true
		}
	}
	return route{}, false, len(rs[[2]string{request, name}]) > 0
}

// QueryNames returns the names of the queries, in order.
func QueryNames() []string {
	var names []string
	for _, r := range table() {
		if r.request == ipc.TypeQuery {
			names = append(names, r.name)
		}
	}
	slices.Sort(names)
	return names
}

// kind returns the kind of the connection.
func (c *peerConn) kind() kind {
	switch {
	case c.hello == nil:
		return original
	case slices.Contains(ipc.Bridged, c.hello.Channel):
		return bridge
	case c.hello.Channel == ipc.GatewayChannel:
		return gateway
	case c.hello.Channel == ipc.FleetChannel:
		return fleet
	case slices.Contains(post.AtTheMachine, c.hello.Channel):
		return local
	case c.hello.Channel == post.MCPChannel:
		return mcp
	}
	return app
}

// handle serves one message. Only slow work leaves this goroutine, so requests are queued in their order.
func (c *peerConn) handle(ctx context.Context, m ipc.Message) {
	c.stats.requests.Add(1)
	switch {
	case m.Type == ipc.TypeHello:
		c.greet(m)
		return
	case c.hello == nil && c.socketChannel != "":
		c.refuse(m, ipc.CodeBadRequest, i18n.BridgeHelloFirst(c.socketChannel))
		return
	}
	request, name, err := requestOf(m, c.kind())
	r, allowed, known := c.s.routes.find(request, name, c.kind())
	switch {
	case allowed:
		r.serve(c, ctx, m)
	case c.kind() == bridge:
		c.refuse(m, ipc.CodeDenied, i18n.BridgeOnlyOwn(chat.ExcerptOf(strings.TrimSpace(request+" "+name), chat.MaxExcerpt)))
	case err != nil:
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
	case known && c.kind() != original:
		c.Fail(m, c.s.settings.Failure(refusal(request, name), c.language()))
	case request == ipc.TypeAction:
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrUnknownType(name))
	case request == ipc.TypeQuery:
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrUnknownQuery(name, strings.Join(QueryNames(), ", ")))
	default:
		c.refuse(m, ipc.CodeUnknownType, i18n.ErrUnknownType(m.Type))
	}
}

// requestOf returns a message as the table names it.
func requestOf(m ipc.Message, on kind) (request, name string, err error) {
	switch {
	case on == original:
		return "original", m.Type, nil
	case m.Type == ipc.TypeAction:
		return m.Type, m.Action, nil
	case m.Type == ipc.TypeQuery:
		var q ipc.Query
		err = m.Decode(&q)
		return m.Type, q.What, err
	case m.Type == ipc.TypeCall:
		var call ipc.Call
		if err, name = m.Decode(&call), "turn"; call.Turn == "" {
			name = "alone"
		}
		return m.Type, name, err
	}
	return m.Type, "", nil
}

// notCaller refuses a call outside a turn by a program that is no MCP client.
type notCaller struct{}

func (notCaller) Error() string { return "only MCP clients call tools outside a turn" }

func (notCaller) Failure(lang i18n.Lang) *ipc.Error {
	return &ipc.Error{Code: ipc.CodeDenied, Message: i18n.ErrNotCaller.In(lang)}
}

// refusal returns why a client may not make a request that others may make.
func refusal(request, name string) error {
	switch {
	case request == ipc.TypeCall:
		return notCaller{}
	case name == "channel":
		return settings.ErrNoBridge
	case strings.HasPrefix(name, "memory") || strings.HasSuffix(name, "_memory") || name == ipc.ActionRemember || name == ipc.ActionForget:
		return notes.ErrAtMachine
	}
	return settings.ErrOnlyHere
}

// alone makes a handler of one that needs no context.
func alone(serve func(*peerConn, ipc.Message)) handler {
	return func(c *peerConn, _ context.Context, m ipc.Message) { serve(c, m) }
}

// whileConnected makes a handler that serves a request beside the others of its connection, and ends it with the connection.
func whileConnected(serve handler) handler {
	return func(c *peerConn, ctx context.Context, m ipc.Message) {
		ctx, cancel := context.WithCancel(ctx)
		c.pendingRequests.Go(func() {
			defer cancel()
			serve(c, ctx, m)
		})
		go func() {
			defer cancel()
			select {
			case <-c.gone:
			case <-ctx.Done():
			}
		}()
	}
}

// query makes a handler of a function that answers a query with one result.
func query(answer func(*peerConn, context.Context, ipc.Query) (any, error)) handler {
	return func(c *peerConn, ctx context.Context, m ipc.Message) {
		var q ipc.Query
		if err := m.Decode(&q); err != nil {
			c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
			return
		}
		data, err := answer(c, ctx, q)
		if err != nil {
			c.Fail(m, c.s.settings.Failure(err, c.language()))
			return
		}
		if err := c.send(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData(data)); errors.Is(err, ipc.ErrTooLarge) {
			c.refuse(m, ipc.CodeTooLarge, i18n.ErrTooLarge)
		}
	}
}
