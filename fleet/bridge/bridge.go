// Package bridge brings a fleet's questions to the daemon of this machine, and its answers to the fleet. It decides
// nothing: the daemon judges each command as for a person here, and applies root's policy to decisions. A decision from a
// console is passed on only if its signature holds for this machine.
package bridge

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/fleet"
	"github.com/nidoit/blunux-ai/ipc"
)

// Options configure a [Bridge].
type Options struct {
	Dir     string // with the membership, the machine's key, and the used nonces
	Link    Link
	Policy  string // root's file, see [config.PolicyPath]; the heartbeat reports it
	Version string
	Log     zerolog.Logger
	Now     func() time.Time
}

// Bridge is a running bridge.
type Bridge struct {
	o      Options
	member Membership
	key    string
	nonces *nonces
	daemon *daemon
	js     jetstream.JetStream
	conn   *nats.Conn
}

const (
	// acceptTime bounds the wait until the daemon has a question on its disk; then the server sends it again.
	acceptTime = 2 * time.Minute
	beatEvery  = time.Minute
	retryAfter = 5 * time.Second
)

// Run connects the daemon with the fleet until ctx ends. It returns [ErrNoFleet] on a machine of no fleet.
func Run(ctx context.Context, o Options) error {
	member, err := ReadMembership(o.Dir)
	if err != nil {
		return err
	}
	lock, err := fleet.Lock(o.Dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	pin, err := fleet.ParsePin(member.Certificate)
	if err != nil {
		return err
	}
	id, err := fleet.OpenIdentity(filepath.Join(o.Dir, keyFile))
	if err != nil {
		return err
	}
	used, err := openNonces(filepath.Join(o.Dir, nonceFile), o.Now)
	if err != nil {
		return err
	}
	defer used.close()
	b := &Bridge{o: o, member: member, key: id.Public, nonces: used}
	b.conn, err = nats.Connect(
		"tls://"+member.Address,
		id.Option(),
		nats.Secure(fleet.Pin(pin, nil)),
		nats.Name(member.Machine.String()),
		nats.CustomInboxPrefix(
			fleet.Inbox(id.Public),
		),
		nats.MaxReconnects(-1),
		nats.RetryOnFailedConnect(true),
		nats.ReconnectWait(retryAfter),
		nats.ReconnectJitter(retryAfter, retryAfter),
		nats.IgnoreAuthErrorAbort(),
		nats.DisconnectErrHandler(
			func(_ *nats.Conn, err error) { o.Log.Info().Err(err).Msg("disconnected from the fleet") },
		),
		nats.ReconnectHandler(func(*nats.Conn) { o.Log.Info().Msg("connected to the fleet") }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			o.Log.Warn().Err(err).Msg("the fleet's server reports an error")
		}),
	)
	if err != nil {
		return fmt.Errorf("cannot connect to the fleet's server %s: %w", member.Address, err)
	}
	defer b.conn.Close()
	if b.js, err = jetstream.New(b.conn); err != nil {
		return fmt.Errorf("cannot use JetStream: %w", err)
	}
	b.daemon = newDaemon(o.Link)
	b.daemon.notice, b.daemon.resolved, b.daemon.connected = b.serveNotice, b.serveResolved, b.reportWaiting
	b.daemon.asked, b.daemon.ended = b.reportAsk, b.reportEnd
	stop := b.daemon.start(ctx)
	defer stop()
	go b.beat(ctx)
	return b.serve(ctx)
}

// serve takes the machine's requests one by one. It looks for the queue again if the server or the queue was away.
func (b *Bridge) serve(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := b.takeRequests(ctx); err != nil && ctx.Err() == nil {
			b.o.Log.Warn().Err(err).Msg("cannot take requests of the fleet")
		}
		pause(ctx, retryAfter)
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func (b *Bridge) takeRequests(ctx context.Context) error {
	queue, err := b.js.Consumer(ctx, fleet.Requests, b.member.Machine.Consumer())
	if err != nil {
		return fmt.Errorf("cannot find the queue of %s: %w", b.member.Machine, err)
	}
	all, err := queue.Messages(jetstream.PullMaxMessages(1))
	if err != nil {
		return fmt.Errorf("cannot read the queue: %w", err)
	}
	defer context.AfterFunc(ctx, all.Stop)()
	defer all.Stop()
	for {
		m, err := all.Next()
		if err != nil {
			return err
		}
		if err := b.handle(ctx, m); err != nil {
			if !errors.Is(err, errLater) {
				b.o.Log.Warn().Err(err).Msg("a request comes again")
			}
			_ = m.NakWithDelay(retryAfter) // without it, it comes again later
			continue
		}
		if err := m.DoubleAck(ctx); err != nil {
			return fmt.Errorf("cannot acknowledge a request: %w", err) // it comes again, and the daemon knows its id
		}
	}
}

// handle serves one request. Without an error it need not come again.
func (b *Bridge) handle(ctx context.Context, m jetstream.Msg) error {
	var r fleet.Request
	if err := json.Unmarshal(m.Data(), &r); err != nil || r.ID == "" || len(r.ID) > 128 ||
		len(r.Text) > fleet.MaxQuestion {
		b.o.Log.Warn().Err(err).Int("bytes", len(m.Data())).Msg("unreadable request dropped")
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, acceptTime)
	defer cancel()
	if err := r.Verify(b.key, b.member.Consoles, b.o.Now()); err != nil {
		b.o.Log.Warn().Err(err).Str("console", r.Key).Msg("request refused")
		return b.answer(
			ctx,
			fleet.Answer{ID: "refused:" + r.ID, Re: r.ID, Text: err.Error(), Problem: fleet.ProblemUnsigned},
		)
	}
	if r.Decision != nil {
		return b.decide(ctx, r)
	}
	if b.o.Now().Before(b.postponed()) {
		return errLater
	}
	err := b.daemon.ask(ctx, r)
	var refused *ipc.Error
	if errors.As(err, &refused) {
		return b.answer(
			ctx,
			fleet.Answer{ID: "refused:" + r.ID, Re: r.ID, Text: refused.Message, Problem: fleet.ProblemRefused},
		)
	}
	return err
}

// errLater reports that the person at the machine wants to be left alone for a while.
var errLater = errors.New("not now")

// postponed returns until when the person wants no questions of the fleet. They wait in the server's queue.
func (b *Bridge) postponed() time.Time {
	m, err := ReadMembership(b.o.Dir)
	if err != nil {
		return time.Time{}
	}
	return m.NotBefore
}

// decide passes a signed decision on to the daemon, with the digest that was signed: the daemon compares it with its
// own plan.
func (b *Bridge) decide(ctx context.Context, r fleet.Request) error {
	d := *r.Decision
	reject := func(problem string, err error) error {
		b.o.Log.Warn().Err(err).Str("code", d.Code).Str("console", d.Key).Msg("decision refused")
		return b.answer(ctx, fleet.Answer{ID: "refused:" + r.ID, Re: r.ID, Text: err.Error(), Problem: problem})
	}
	if err := d.Verify(b.key, b.member.Consoles, b.o.Now()); err != nil {
		return reject(fleet.ProblemUnsigned, err)
	}
	if d.Yes {
		switch applies, err := b.daemon.appliesPolicy(ctx); {
		case err != nil:
			return err
		case !applies:
			return reject(fleet.ProblemOld, errOld)
		}
	}
	if err := b.nonces.use(d.Nonce, r.ID, d.Expires); err != nil {
		if errors.Is(err, errUsed) {
			return reject(fleet.ProblemUnsigned, err)
		}
		return err
	}
	err := b.daemon.decide(ctx, r.Console, d)
	var refused *ipc.Error
	switch {
	case errors.As(err, &refused) && refused.Code == ipc.CodePolicy:
		return reject(fleet.ProblemPolicy, refused)
	case errors.As(err, &refused):
		return reject(fleet.ProblemGone, refused)
	case err != nil:
		return err
	}
	return b.answer(ctx, fleet.Answer{ID: "decided:" + r.ID, Re: r.ID, Text: d.Code})
}

// errOld reports a daemon that would take any yes.
var errOld = errors.New("the daemon does not apply the policy of consoles: update blunux-ai and restart blunux-ai-agent.service")

// serveNotice publishes an answer of the daemon, and takes it from the daemon's outbox once the server has it on its
// disk.
func (b *Bridge) serveNotice(ctx context.Context, n ipc.Notice) error {
	return b.answer(ctx, fleet.Answer{ID: n.ID, Re: n.Re, Text: n.Body})
}

func (b *Bridge) answer(ctx context.Context, a fleet.Answer) error {
	a.At = b.o.Now().UTC()
	if len(a.Text) > fleet.MaxText {
		a.Text = cut(a.Text, fleet.MaxText) + "\n…"
	}
	return b.publish(ctx, fleet.Answered, a.ID, a)
}

// cut shortens a text to at most n bytes, at the end of a character.
func cut(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// publish sends something of this machine. The server keeps it once, however often it is sent.
func (b *Bridge) publish(ctx context.Context, kind, id string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("cannot send %s: %w", kind, err)
	}
	if _, err := b.js.Publish(ctx, b.member.Machine.Subject(kind), data, jetstream.WithMsgID(b.key+id)); err != nil {
		return fmt.Errorf("cannot send %s: %w", kind, err)
	}
	return nil
}

// reportWaiting publishes what waits for a yes. The server keeps one copy of each id.
func (b *Bridge) reportWaiting(ctx context.Context) error {
	asks, err := b.daemon.waiting(ctx)
	for _, a := range asks {
		if err == nil {
			err = b.reportAsk(ctx, a, "")
		}
	}
	return err
}

// reportAsk publishes a plan that waits, and the request that it belongs to, "" if that is not known.
func (b *Bridge) reportAsk(ctx context.Context, a ipc.Ask, re string) error {
	w := &fleet.Waiting{
		Re:      re,
		Code:    a.Code,
		Digest:  a.Digest,
		Command: ipc.Visible(a.Command),
		Reasons: a.Reasons,
		Expires: a.Expires,
		Key:     b.key,
	}
	return b.publish(
		ctx,
		fleet.Happened,
		"ask:"+a.Code+a.Digest,
		fleet.Event{ID: "ask:" + a.Code, At: b.o.Now().UTC(), Waiting: w},
	)
}

// serveResolved publishes that something was decided.
func (b *Bridge) serveResolved(ctx context.Context, r ipc.Resolved) error {
	return b.publish(
		ctx,
		fleet.Happened,
		"resolved:"+r.Code,
		fleet.Event{ID: "resolved:" + r.Code, At: b.o.Now().UTC(), Resolved: r.Code, Action: r.Action},
	)
}

// reportEnd publishes how the commands of a request ended.
func (b *Bridge) reportEnd(ctx context.Context, re string, o ipc.Outcome) error {
	end := &fleet.End{Re: re, Result: resultOf(o)}
	return b.publish(ctx, fleet.Happened, "end:"+re, fleet.Event{ID: "end:" + re, At: b.o.Now().UTC(), End: end})
}

// resultOf returns done only if every command ended well and every check shows its change.
func resultOf(o ipc.Outcome) string {
	result := fleet.ResultDone
	for _, c := range o.Checks {
		switch {
		case c.Result == ipc.CheckFailed:
			return fleet.ResultFailed
		case c.Result != "done":
			result = fleet.ResultUnproved
		}
	}
	for _, s := range o.Steps {
		switch {
		case s.Class != "SAFE" && (s.Exit != 0 || s.State == "refused"):
			return fleet.ResultFailed
		case s.Class != "SAFE" && len(o.Checks) == 0:
			result = fleet.ResultUnproved
		}
	}
	return result
}

// beat says from time to time that the machine is here, and what its policy is.
func (b *Bridge) beat(ctx context.Context) {
	run := rand.Text()
	for ctx.Err() == nil {
		allowed, err := config.ReadPolicy(b.o.Policy, config.Root, config.Unmapped)
		if err != nil {
			b.o.Log.Warn().Err(err).Msg("only the person here decides")
		}
		data, err := json.Marshal(
			fleet.Beat{Version: b.o.Version, Run: run, Approve: allowed.Approve, Quiet: allowed.Quiet},
		)
		if err == nil && b.conn.IsConnected() {
			_ = b.conn.Publish(b.member.Machine.Subject(fleet.Heartbeat), data) // the next one follows
		}
		pause(ctx, beatEvery)
	}
}

// Host returns the name that the machine gives itself, for people.
func Host() string {
	name, err := os.Hostname()
	if err != nil {
		return "?"
	}
	return strings.ToLower(cut(name+strings.Repeat(" ", 64), 64)[:min(len(name), 64)])
}
