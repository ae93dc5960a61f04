package gateway

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/ipc"
)

// method is a method of the protocol. serve must not block; it or a goroutine of it answers the call.
type method struct {
	scope Scope
	serve func(*call)
}

// call is a request of a client with a token.
type call struct {
	*client
	token  Token
	params json.RawMessage
	answer func(result any, err error) // must be called once
}

// methods are the methods that need a token.
func methods() map[string]method {
	return map[string]method{
		"gateway.info":    {Read, waiting((*call).info)},
		"health":          {Read, waiting((*call).health)},
		"channel.list":    {Read, waiting((*call).channels)},
		"channel.get":     {Read, waiting((*call).channel)},
		"approval.list":   {Read, waiting((*call).approvals)},
		"approval.grant":  {Approve, waiting((*call).grant)},
		"fleet.show":      {Approve, waiting((*call).fleet)}, // answers and plans of other people's computers
		"chat.send":       {Write, (*call).send},
		"tool.run":        {Write, (*call).runTool},
		"approval.show":   {Read, waiting((*call).showQuestions)},
		"change.list":     {Read, waiting((*call).changes)},
		"timeline.list":   {Read, waiting((*call).timeline)},
		"change.undo":     {Write, (*call).undo},
		"health.figures":  {Read, waiting((*call).figures)},
		"channel.add":     {Write, waiting((*call).addChannel)},
		"channel.remove":  {Write, func(c *call) { c.changeChannel("disable") }},
		"channel.enable":  {Write, func(c *call) { c.changeChannel("enable") }},
		"channel.disable": {Write, func(c *call) { c.changeChannel("disable") }},
	}
}

// waiting makes a method of a function that waits for the daemon.
func waiting(result func(*call, context.Context) (any, error)) func(*call) {
	return func(c *call) {
		c.g.spawn(func() {
			ctx, cancel := context.WithTimeout(c.g.ctx, c.g.CallTime)
			defer cancel()
			c.answer(result(c, ctx))
		})
	}
}

// Info answers gateway.info.
type Info struct {
	Name        string   `json:"name"`
	Version     string   `json:"version"`
	Protocol    string   `json:"protocol"`
	Address     string   `json:"address"`
	Uptime      int      `json:"uptime"` // seconds
	Connections int      `json:"connections"`
	Token       string   `json:"token"`
	Scope       Scope    `json:"scope"`
	Methods     []string `json:"methods"` // that the token may use
	MaxFrame    int      `json:"maxFrame"`
	PerMinute   int      `json:"requestsPerMinute"`
}

func (c *call) info(context.Context) (any, error) {
	var names []string
	for name, m := range methods() {
		if c.token.Scope.Permits(m.scope) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return Info{
		Name: "blunux-ai-gateway", Version: c.g.Version, Protocol: "2.0", Address: c.g.Listener.Addr().String(),
		Uptime: int(c.g.Now().Sub(c.g.started).Seconds()), Connections: len(c.g.members()), Token: c.token.Name,
		Scope: c.token.Scope, Methods: names, MaxFrame: maxFrame, PerMinute: perMinute,
	}, nil
}

// Health answers health.
type Health struct {
	Status  string        `json:"status"` // ok, or degraded without a daemon
	Uptime  int           `json:"uptime"` // seconds
	Daemon  *DaemonHealth `json:"daemon"`
	Problem string        `json:"problem,omitempty"`
}

// DaemonHealth is the part of the daemon in [Health].
type DaemonHealth struct {
	Version  string `json:"version"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Running  int    `json:"running"`
	Waiting  int    `json:"waiting"`
}

func (c *call) health(ctx context.Context) (any, error) {
	h := Health{Status: "ok", Uptime: int(c.g.Now().Sub(c.g.started).Seconds())}
	var s ipc.Status
	if err := c.g.daemon.requests.Query(ctx, ipc.Query{What: "status"}, &s); err != nil {
		h.Status, h.Problem = "degraded", encodeError(err, c.g.Lang).Message
		return h, nil
	}
	h.Daemon = &DaemonHealth{s.Version, s.Provider, s.Model, s.Running, s.Waiting}
	return h, nil
}

// ApprovalRequest is a question about a tool call: an ApprovalRequestEvent of the specification, and what a person
// needs to decide. The answer must name the digest.
type ApprovalRequest struct {
	TaskID    string         `json:"taskId"`
	ChannelID string         `json:"channelId"`
	ToolID    string         `json:"toolId"`
	Input     ApprovalInput  `json:"input"`
	RequestID string         `json:"requestId"`
	Digest    string         `json:"digest"`
	Class     string         `json:"class"`
	Reasons   []string       `json:"reasons"`
	Warnings  []string       `json:"warnings,omitempty"`
	Root      bool           `json:"privileged"`
	Expires   time.Time      `json:"expires"`
	Foreseen  string         `json:"foreseen,omitempty"` // what an upgrade would do, in lines
	Plan      []ipc.PlanStep `json:"plan,omitempty"`
	Files     []ipc.AskFile  `json:"files,omitempty"`
}

// ApprovalInput is what would run.
type ApprovalInput struct {
	Command string   `json:"command"` // literal and complete
	Argv    []string `json:"argv,omitempty"`
	Cwd     string   `json:"cwd,omitempty"`
}

// ApprovalResolved is an ApprovalResolvedEvent of the specification.
type ApprovalResolved struct {
	TaskID    string `json:"taskId"`
	ChannelID string `json:"channelId"`
	Approved  bool   `json:"approved"`
	RequestID string `json:"requestId"`
	By        string `json:"by,omitempty"`
}

// question is an open question of the gateway's channel.
type question struct {
	ask  ipc.Ask
	task string
	of   conversation
}

func (q question) request() ApprovalRequest {
	return ApprovalRequest{
		TaskID: q.task, ChannelID: q.of.Channel, ToolID: q.ask.Tool, RequestID: q.ask.Code, Digest: q.ask.Digest,
		Input: ApprovalInput{q.ask.Command, q.ask.Argv, q.ask.Cwd}, Class: q.ask.Class, Reasons: append([]string{}, q.ask.Reasons...),
		Warnings: q.ask.Warnings, Root: q.ask.Privileged, Expires: q.ask.Expires, Foreseen: q.ask.Foreseen, Plan: q.ask.Plan, Files: q.ask.Files,
	}
}

// approvals answers approval.list from the daemon's list.
func (c *call) approvals(ctx context.Context) (any, error) {
	all, err := c.g.readQuestions(ctx)
	list := make([]ApprovalRequest, 0, len(all))
	for _, q := range all {
		list = append(list, q.request())
	}
	return map[string]any{"approvals": list}, err
}

// readQuestions asks the daemon for the open questions.
func (g *Gateway) readQuestions(ctx context.Context) ([]question, error) {
	var asks []ipc.Ask
	if err := g.daemon.requests.Query(ctx, ipc.Query{What: "approvals"}, &asks); err != nil {
		return nil, err
	}
	var tasks []taskInfo
	if err := g.daemon.requests.Query(ctx, ipc.Query{What: "tasks"}, &tasks); err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, t := range tasks {
		g.noteTask(t)
	}
	list := make([]question, 0, len(asks))
	for _, a := range asks {
		list = append(list, g.noteQuestion(a))
	}
	sorting.By(list, func(a, b question) int { return a.ask.Expires.Compare(b.ask.Expires) })
	return list, nil
}

// grant answers a question.
func (c *call) grant(ctx context.Context) (any, error) {
	var p struct {
		TaskID    string `json:"taskId"`
		RequestID string `json:"requestId"`
		Approved  bool   `json:"approved"`
		Digest    string `json:"digest"`
	}
	if err := decodeParams(c.params, &p); err != nil {
		return nil, err
	}
	if p.Digest == "" || p.TaskID == "" && p.RequestID == "" {
		return nil, newError(codeParams, ipc.CodeBadRequest, i18n.GatewayDigest)
	}
	all, err := c.g.readQuestions(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(q question) bool {
		return (p.RequestID == "" || p.RequestID == q.ask.Code) && (p.TaskID == "" || p.TaskID == q.task)
	})
	if i < 0 {
		return nil, newError(codeServer, ipc.CodeExpired, i18n.GatewayNotAsked)
	}
	q := all[i]
	if q.ask.Digest != p.Digest { // the daemon compares again
		return nil, newError(codeServer, ipc.CodeDenied, i18n.GatewayOtherDigest)
	}
	action := ipc.ActionReject
	if p.Approved {
		action = ipc.ActionAllowOnce
	}
	answer := ipc.Message{Type: ipc.TypeAction, Action: action, Session: q.of.session()}
	if _, err := c.g.daemon.requests.Await(ctx, answer.WithData(ipc.Answer{Code: q.ask.Code, Digest: p.Digest}), ipc.IsDone); err != nil {
		return nil, err
	}
	c.g.Log.Info().Str("token", c.token.Name).Str("approval", q.ask.Code).Bool("approved", p.Approved).Msg("question answered")
	return ApprovalResolved{TaskID: q.task, ChannelID: q.of.Channel, Approved: p.Approved, RequestID: q.ask.Code, By: c.token.Name}, nil
}
