package bus

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"
)

// The limits in bytes: the specification's ("Message Protocol") for messages, and what a reading call can need.
const (
	maxMessage = 128 << 20
	maxCall    = 1 << 20
	maxLine    = 16 << 10
)

// proxy forwards messages between one client and a bus.
type proxy struct {
	system         bool // the upstream is the system bus
	client, server net.Conn
	fromClient     *bufio.Reader
	fromServer     *bufio.Reader
	mu             sync.Mutex // protects writes to the client: replies and refusals
}

func newProxy(client, server net.Conn, system bool) *proxy {
	return &proxy{system: system, client: client, server: server, fromClient: bufio.NewReader(client), fromServer: bufio.NewReader(server)}
}

// authenticate logs in to the bus and then accepts the client without a check: only the user can reach the
// socket (its directory is 0700), and it only gives read access.
func (p *proxy) authenticate() error {
	guid, err := p.login()
	if err != nil {
		return err
	}
	return p.acceptClient(guid)
}

// login authenticates with the bus and returns the bus's id. It sends BEGIN together with the rest: a service manager
// that reads BEGIN together with the first message does not process that message until the next one arrives.
func (p *proxy) login() (string, error) {
	uid := hex.EncodeToString([]byte(strconv.Itoa(os.Getuid())))
	if _, err := fmt.Fprintf(p.server, "\x00AUTH EXTERNAL %s\r\nBEGIN\r\n", uid); err != nil {
		return "", err
	}
	answer, err := readLine(p.fromServer)
	if err != nil {
		return "", err
	}
	guid, ok := strings.CutPrefix(answer, "OK ")
	if !ok {
		return "", errors.New("the bus refused the authentication")
	}
	return guid, nil
}

// acceptClient is the server side of the authentication. It does not agree on passing file descriptors, which would
// allow more than messages.
func (p *proxy) acceptClient(guid string) error {
	if zero, err := p.fromClient.ReadByte(); err != nil || zero != 0 {
		return errors.Join(err, errors.New("not a D-Bus client"))
	}
	for {
		line, err := readLine(p.fromClient)
		if err != nil {
			return err
		}
		var answer string
		command, _, _ := strings.Cut(line, " ")
		switch {
		case command == "BEGIN":
			return nil
		case line == "AUTH EXTERNAL":
			answer = "DATA"
		case strings.HasPrefix(line, "AUTH EXTERNAL "), command == "DATA":
			answer = "OK " + guid
		case command == "AUTH", command == "CANCEL":
			answer = "REJECTED EXTERNAL"
		default: // including NEGOTIATE_UNIX_FD
			answer = "ERROR"
		}
		if _, err := io.WriteString(p.client, answer+"\r\n"); err != nil {
			return err
		}
	}
}

func readLine(r *bufio.Reader) (string, error) {
	var line []byte
	for len(line) < maxLine {
		c, err := r.ReadByte()
		if err != nil {
			return "", err
		}
		if line = append(line, c); c == '\n' {
			return strings.TrimRight(string(line), "\r\n"), nil
		}
	}
	return "", errors.New("the line is too long")
}

// header is the fixed-size part of a message.
type header struct {
	raw   [16]byte
	order binary.ByteOrder
	size  int // of the whole message
}

// readHeader reads a message's fixed-size part (D-Bus Specification, "Message Format").
func readHeader(r io.Reader, most int) (header, error) {
	var h header
	if _, err := io.ReadFull(r, h.raw[:]); err != nil {
		return h, err
	}
	switch h.raw[0] {
	case 'l':
		h.order = binary.LittleEndian
	case 'B':
		h.order = binary.BigEndian
	default:
		return h, errors.New("not a D-Bus message")
	}
	body, fields := int64(h.order.Uint32(h.raw[4:])), int64(h.order.Uint32(h.raw[12:]))
	size := 16 + (fields+7)/8*8 + body
	if size > int64(most) {
		return h, errors.New("the message is too long")
	}
	h.size = int(size)
	return h, nil
}

// forwardReplies forwards everything from the bus to the client.
func (p *proxy) forwardReplies() {
	for {
		h, err := readHeader(p.fromServer, maxMessage)
		if err != nil {
			return
		}
		p.mu.Lock()
		_, err = p.client.Write(h.raw[:])
		if err == nil {
			_, err = io.CopyN(p.client, p.fromServer, int64(h.size-len(h.raw)))
		}
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// forwardCalls forwards the client's reading calls and refuses all others.
func (p *proxy) forwardCalls() {
	for {
		h, err := readHeader(p.fromClient, maxCall)
		if err != nil {
			return
		}
		raw := make([]byte, h.size)
		copy(raw, h.raw[:])
		if _, err := io.ReadFull(p.fromClient, raw[len(h.raw):]); err != nil {
			return
		}
		m, err := dbus.DecodeMessage(bytes.NewReader(raw))
		if err != nil {
			return // do not forward messages that cannot be parsed
		}
		if err := p.forwardCall(m, raw, h.order); err != nil {
			return
		}
	}
}

// forwardCall forwards a reading call, and answers any other with an error.
func (p *proxy) forwardCall(m *dbus.Message, raw []byte, order binary.ByteOrder) error {
	if m.Type != dbus.TypeMethodCall {
		return nil // drop signals and replies
	}
	call := parseCall(m)
	if IsReading(call) {
		if !p.canStart(call) {
			raw[flagsOffset] |= byte(dbus.FlagNoAutoStart)
		}
		_, err := p.server.Write(raw)
		return err
	}
	if m.Flags&dbus.FlagNoReplyExpected != 0 {
		return nil
	}
	var answer bytes.Buffer
	if err := refusalMessage(m, call).EncodeTo(&answer, order); err != nil {
		return err
	}
	// The library only numbers messages on its own connections, and 0 is invalid.
	order.PutUint32(answer.Bytes()[8:], refusalSerial)
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := answer.WriteTo(p.client)
	return err
}

// flagsOffset is the offset of a message's flags (D-Bus Specification, "Message Format").
const flagsOffset = 2

// canStart reports whether a call is allowed to start its service: only on the system bus, whose services root
// installed.
func (p *proxy) canStart(c Call) bool { return p.system && onDemand[c.Destination] }

// refusalSerial is the serial of our own answers, which are never replied to.
const refusalSerial = 1<<32 - 1

func parseCall(m *dbus.Message) Call {
	text := func(f dbus.HeaderField) string {
		s, _ := m.Headers[f].Value().(string)
		return s
	}
	return Call{Destination: text(dbus.FieldDestination), Interface: text(dbus.FieldInterface), Member: text(dbus.FieldMember)}
}

// refusalMessage returns the error message that answers a call. GLib asks the bus to start a service before it reads
// from it; if there is none to start, it goes on with one that runs (gdbusproxy.c, async_init_start_service_by_name_cb).
func refusalMessage(m *dbus.Message, c Call) *dbus.Message {
	name := "org.freedesktop.DBus.Error.AccessDenied"
	if c.Destination == driver && c.Member == "StartServiceByName" {
		name = "org.freedesktop.DBus.Error.ServiceUnknown"
	}
	text := "only reading is allowed here, not " + c.Interface + "." + c.Member
	return &dbus.Message{
		Type: dbus.TypeError,
		Headers: map[dbus.HeaderField]dbus.Variant{
			dbus.FieldErrorName:   dbus.MakeVariant(name),
			dbus.FieldReplySerial: dbus.MakeVariant(m.Serial()),
			dbus.FieldSender:      dbus.MakeVariant(driver),
			dbus.FieldSignature:   dbus.MakeVariant(dbus.SignatureOf("")),
		},
		Body: []any{text},
	}
}
