// Package console is what a console of the fleet does: it asks machines, shows what they answer alike, and signs
// decisions.
package console

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/nidoit/blunux-ai/fleet"
	"github.com/nidoit/blunux-ai/fleet/server"
)

// Console is a connection of a console. Its key is that of the server's directory.
type Console struct {
	name string
	dir  string
	id   *fleet.Identity
	conn *nats.Conn
	js   jetstream.JetStream
	now  func() time.Time

	mu   sync.Mutex
	keys map[fleet.Machine]string
}

// callTime bounds the wait for the server.
const callTime = 20 * time.Second

// Open connects to the server at an address with the key in its directory.
func Open(dir, address, name string) (*Console, error) {
	text, err := os.ReadFile(filepath.Join(dir, "server.pem"))
	if err != nil {
		return nil, fmt.Errorf("cannot read the server's certificate; start the server first: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("cannot read the server's certificate: it is no PEM")
	}
	pin := sha256.Sum256(block.Bytes)
	id, err := fleet.OpenIdentity(filepath.Join(dir, "console.nk"))
	if err != nil {
		return nil, err
	}
	c := &Console{name: name, dir: dir, id: id, now: time.Now}
	c.conn, err = nats.Connect(
		"tls://"+address,
		id.Option(),
		nats.Secure(fleet.Pin(&pin, nil)),
		nats.CustomInboxPrefix(fleet.Inbox(id.Public)),
		nats.Timeout(callTime),
	)
	if err != nil {
		return nil, &fleet.ReachError{Address: address, Err: err}
	}
	if c.js, err = jetstream.New(c.conn); err != nil {
		c.conn.Close()
		return nil, fmt.Errorf("cannot use JetStream: %w", err)
	}
	return c, nil
}

// OpenInside uses the connection of a server of this process, with the key in its directory. The server closes it.
func OpenInside(s *server.Server, dir, name string) (*Console, error) {
	id, err := fleet.OpenIdentity(filepath.Join(dir, "console.nk"))
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(s.Conn())
	if err != nil {
		return nil, fmt.Errorf("cannot use JetStream: %w", err)
	}
	return &Console{name: name, id: id, conn: s.Conn(), js: js, now: time.Now}, nil
}

// Close ends the connection.
func (c *Console) Close() { c.conn.Close() }

// Call makes a request to the server.
func (c *Console) Call(ctx context.Context, name string, call server.Call) (server.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	data, err := json.Marshal(call)
	if err != nil {
		return server.Result{}, fmt.Errorf("cannot ask the server: %w", err)
	}
	m, err := fleet.Query(ctx, c.conn, fleet.ConsoleSubject(name), data)
	var r server.Result
	if err == nil {
		err = json.Unmarshal(m.Data, &r)
	}
	if err != nil {
		return r, fmt.Errorf("cannot ask the server: %w", err)
	}
	return r, r.Err()
}

// Select returns the machines with all of these labels; without labels, all machines.
func (c *Console) Select(ctx context.Context, labels map[string]string) ([]fleet.Machine, error) {
	r, err := c.Call(ctx, server.CallMachines, server.Call{})
	var all []fleet.Machine
	for _, m := range r.Machines {
		fits := true
		for k, v := range labels {
			fits = fits && (m.Labels[k] == v || k == "site" && m.Site == v || k == "name" && m.Name == v)
		}
		if fits {
			all = append(all, m.Machine)
		}
	}
	return all, err
}

// Ask puts a question into the queues of machines, and returns its id. A machine that is off answers when it is back,
// for seven days.
func (c *Console) Ask(ctx context.Context, machines []fleet.Machine, text, lang string) (id string, err error) {
	if len(text) > fleet.MaxQuestion {
		return "", fmt.Errorf("cannot ask: a question has at most %d bytes", fleet.MaxQuestion)
	}
	r := fleet.Request{ID: rand.Text(), Console: c.name, Text: text, Lang: lang, Sent: c.now().UTC()}
	sent := 0
	for _, m := range machines {
		if err = c.Send(ctx, m, r); err != nil {
			break
		}
		sent++
	}
	if sent > 0 {
		c.recordQuestion(ctx, r, machines[:sent])
	}
	return r.ID, err
}

// Send puts a request into a machine's queue. It is there once, however often it is sent with its id.
func (c *Console) Send(ctx context.Context, m fleet.Machine, r fleet.Request) error {
	key, err := c.keyOf(ctx, m)
	if err == nil {
		err = c.id.SignRequest(&r, key)
	}
	var data []byte
	if err == nil {
		data, err = json.Marshal(r)
	}
	if err == nil {
		_, err = c.js.Publish(ctx, m.Subject(fleet.Ask), data, jetstream.WithMsgID(m.String()+" "+r.ID))
	}
	var refused *jetstream.APIError
	if errors.As(err, &refused) && refused.ErrorCode == storeFailed || err != nil && !server.HasRoom(c.dir) {
		err = ErrFull
	}
	if err != nil {
		return fmt.Errorf("cannot send to %s: %w", m, err)
	}
	return nil
}

// ErrFull reports a server that cannot store a question.
var ErrFull = errors.New("the server's storage is full")

// storeFailed is the server's code for a stream that is full, or a disk (JSStreamStoreFailedF in nats-server's errors.json).
const storeFailed = 10077

// keyOf returns the key of a machine, for which a request is signed.
func (c *Console) keyOf(ctx context.Context, m fleet.Machine) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if key, ok := c.keys[m]; ok {
		return key, nil
	}
	r, err := c.Call(ctx, server.CallMachines, server.Call{})
	if err != nil {
		return "", err
	}
	c.keys = map[fleet.Machine]string{}
	for _, member := range r.Machines {
		c.keys[member.Machine] = member.Key
	}
	if key, ok := c.keys[m]; ok {
		return key, nil
	}
	return "", server.ErrUnknown
}

// Collect gathers the answers to a request, until all of these machines have answered or ctx ends, which is no error.
func (c *Console) Collect(
	ctx context.Context,
	id string,
	machines []fleet.Machine,
) (map[fleet.Machine]fleet.Answer, error) {
	missing := map[fleet.Machine]bool{}
	for _, m := range machines {
		missing[m] = true
	}
	got := map[fleet.Machine]fleet.Answer{}
	err := c.read(ctx, fleet.Answered, func(m fleet.Machine, data []byte) bool {
		var a fleet.Answer
		if json.Unmarshal(data, &a) == nil && a.Re == id && missing[m] {
			delete(missing, m)
			got[m] = a
		}
		return len(missing) > 0
	})
	return got, err
}

// Waiting is a plan that waits for a yes on a machine.
type Waiting struct {
	Machine fleet.Machine
	fleet.Waiting
}

// Waits returns what waits for a yes in the fleet, the oldest first.
func (c *Console) Waits(ctx context.Context) ([]Waiting, error) {
	var all []Waiting
	err := c.Events(ctx, func(m fleet.Machine, e fleet.Event) {
		keep := all[:0]
		for _, w := range all {
			if w.Machine != m || w.Code != e.Resolved && (e.Waiting == nil || w.Code != e.Waiting.Code) {
				keep = append(keep, w)
			}
		}
		all = keep
		if e.Waiting != nil && c.now().Before(e.Waiting.Expires) {
			all = append(all, Waiting{m, *e.Waiting})
		}
	})
	return all, err
}

// Events passes what happened on the machines to visit, the oldest first.
func (c *Console) Events(ctx context.Context, visit func(fleet.Machine, fleet.Event)) error {
	all := source{stream: fleet.Replies, filter: "f.*.*." + fleet.Happened}
	return c.readStored(ctx, all, func(subject string, data []byte) {
		var e fleet.Event
		if m, _, ok := fleet.MachineOf(subject); ok && json.Unmarshal(data, &e) == nil {
			visit(m, e)
		}
	})
}

// Decide signs a yes or no to what waits, and sends it to its machine. It returns the id of the request, to which the
// machine answers.
func (c *Console) Decide(ctx context.Context, w Waiting, yes bool) (id string, err error) {
	d := fleet.Decision{
		Machine: w.Key, Code: w.Code, Digest: w.Digest, Yes: yes, Expires: c.now().Add(fleet.MaxDecision - time.Minute).UTC(), Nonce: rand.Text(),
	}
	if err := c.id.Sign(&d); err != nil {
		return "", err
	}
	id = rand.Text()
	return id, c.Send(ctx, w.Machine, fleet.Request{ID: id, Console: c.name, Sent: c.now().UTC(), Decision: &d})
}

// read passes the messages of a kind to visit, the stored ones first, until it returns false or ctx ends, which is no
// error.
func (c *Console) read(ctx context.Context, kind string, visit func(m fleet.Machine, data []byte) bool) error {
	consumer, err := c.consumer(ctx, source{stream: fleet.Replies, filter: "f.*.*." + kind})
	if err != nil {
		return err
	}
	return readMessages(ctx, consumer, func(subject string, data []byte) bool {
		m, _, ok := fleet.MachineOf(subject)
		return !ok || visit(m, data)
	})
}

// source selects messages of a stream, with a time only later ones.
type source struct {
	stream, filter string
	since          time.Time
}

// readStored passes the stored messages of a source to visit.
func (c *Console) readStored(ctx context.Context, from source, visit func(subject string, data []byte)) error {
	consumer, err := c.consumer(ctx, from)
	if err != nil {
		return err
	}
	info := consumer.CachedInfo()
	defer func() { _ = c.js.DeleteConsumer(ctx, from.stream, info.Name) }() // else the server does, when it is idle
	left := info.NumPending
	if left == 0 {
		return nil
	}
	return readMessages(ctx, consumer, func(subject string, data []byte) bool {
		visit(subject, data)
		left--
		return left > 0
	})
}

func (c *Console) consumer(ctx context.Context, from source) (jetstream.Consumer, error) {
	config := jetstream.OrderedConsumerConfig{FilterSubjects: []string{from.filter}}
	if !from.since.IsZero() {
		config.DeliverPolicy, config.OptStartTime = jetstream.DeliverByStartTimePolicy, &from.since
	}
	consumer, err := c.js.OrderedConsumer(ctx, from.stream, config)
	if err != nil {
		return nil, readError(err)
	}
	return consumer, nil
}

// readMessages passes messages to visit until it returns false or ctx ends, which is no error.
func readMessages(ctx context.Context, from jetstream.Consumer, visit func(subject string, data []byte) bool) error {
	all, err := from.Messages()
	if err != nil {
		return readError(err)
	}
	defer context.AfterFunc(ctx, all.Stop)()
	defer all.Stop()
	for {
		m, err := all.Next()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return readError(err)
		}
		if !visit(m.Subject(), m.Data()) {
			return nil
		}
	}
}

func readError(err error) error { return fmt.Errorf("cannot read what machines sent: %w", err) }
