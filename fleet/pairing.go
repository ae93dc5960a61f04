package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// Pairing is a machine or a leaf server that asks a server to be paired.
type Pairing struct {
	Certificate [32]byte // that the server shows
	Console     string   // the console's public key, as the server says

	conn   *nats.Conn
	paired chan Machine
}

// connectTime bounds the wait for a server.
const connectTime = 20 * time.Second

// AskToPair asks the server at an address to pair the holder of a key.
func AskToPair(ctx context.Context, id *Identity, address string, r PairRequest) (*Pairing, error) {
	p := &Pairing{paired: make(chan Machine, 1)}
	var err error
	p.conn, err = nats.Connect(
		"tls://"+address,
		id.Option(),
		nats.Secure(Pin(nil, func(sum [32]byte) { p.Certificate = sum })),
		nats.CustomInboxPrefix(Inbox(id.Public)),
		nats.NoReconnect(),
		nats.Timeout(connectTime),
	)
	if err != nil {
		return nil, &ReachError{Address: address, Err: err}
	}
	if _, err = p.conn.Subscribe(PairedSubject(id.Public), func(m *nats.Msg) { p.serve(m, r.Leaf != "") }); err == nil {
		p.Console, err = p.ask(ctx, id.Public, r)
	}
	if err != nil {
		p.Close()
		return nil, fmt.Errorf("cannot ask to be paired: %w", err)
	}
	return p, nil
}

// serve takes the name that the server gives. That of a leaf server is only its site.
func (p *Pairing) serve(m *nats.Msg, leaf bool) {
	var machine Machine
	if json.Unmarshal(m.Data, &machine) != nil || CheckName(machine.Site) != nil ||
		(machine.Name == "") != leaf || !leaf && CheckName(machine.Name) != nil {
		return
	}
	select {
	case p.paired <- machine:
	default:
	}
}

func (p *Pairing) ask(ctx context.Context, key string, r PairRequest) (console string, err error) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	data, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	m, err := Query(ctx, p.conn, PairSubject(key), data)
	var reply PairReply
	if err == nil {
		err = json.Unmarshal(m.Data, &reply)
	}
	if err == nil && reply.Console == "" {
		err = errors.New("the answer names no console")
	}
	return reply.Console, err
}

// Wait waits until the server has accepted the key, and returns its name.
func (p *Pairing) Wait(ctx context.Context) (Machine, error) {
	select {
	case m := <-p.paired:
		return m, nil
	case <-ctx.Done():
		return Machine{}, ctx.Err()
	}
}

// Close ends the pairing.
func (p *Pairing) Close() { p.conn.Close() }
