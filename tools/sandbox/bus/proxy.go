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

// The bounds of messages, in bytes: what the specification allows ("Message
// Protocol"), and what a reading call may need.
const (
	maxMessage = 128 << 20
	maxCall    = 1 << 20
	maxLine    = 16 << 10
)

// proxy is one client's way to a bus.
type proxy struct {
	system         bool // it is the system's bus
	client, server net.Conn
	fromClient     *bufio.Reader
	fromServer     *bufio.Reader
	mu             sync.Mutex // of writes to the client: replies and refusals
}

func newProxy(client, server net.Conn, system bool) *proxy {
	return &proxy{system: system, client: client, server: server, fromClient: bufio.NewReader(client), fromServer: bufio.NewReader(server)}
}

// authenticate introduces us to the bus, then lets the client in: whoever
// reaches the socket is the user (its directory is 0700), and gets no more
// than reading.
func (p *proxy) authenticate() error {
	guid, err := p.introduce()
	if err != nil {
		return err
	}
	return p.admit(guid)
}

// introduce authenticates us with the bus and returns its id. BEGIN goes with the
// rest: a service manager that finds it in one read with the first message
// leaves that message lying until the next one comes.
func (p *proxy) introduce() (string, error) {
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
		return "", errors.New("the bus does not let us in")
	}
	return guid, nil
}

// admit is the server's side of authentication. File descriptors are not agreed
// upon: they would carry more than words.
func (p *proxy) admit(guid string) error {
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
		default: // NEGOTIATE_UNIX_FD among them
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

// header is the fixed part of a message.
type header struct {
	raw   [16]byte
	order binary.ByteOrder
	size  int // of the whole message
}

// readHeader reads a message's fixed part (D-Bus Specification, "Message Format").
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

// replies hands on everything the bus says.
func (p *proxy) replies() {
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

// calls hands on the client's reading calls and refuses the others.
func (p *proxy) calls() {
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
			return // what we cannot read, the bus must not
		}
		if err := p.judge(m, raw, h.order); err != nil {
			return
		}
	}
}

// judge sends a reading call on, and answers any other.
func (p *proxy) judge(m *dbus.Message, raw []byte, order binary.ByteOrder) error {
	if m.Type != dbus.TypeMethodCall {
		return nil // a confined program has nothing to tell others
	}
	call := callOf(m)
	if Reads(call) {
		if !p.startable(call) {
			raw[flagsAt] |= byte(dbus.FlagNoAutoStart)
		}
		_, err := p.server.Write(raw)
		return err
	}
	if m.Flags&dbus.FlagNoReplyExpected != 0 {
		return nil
	}
	var answer bytes.Buffer
	if err := refusal(m, call).EncodeTo(&answer, order); err != nil {
		return err
	}
	// The library numbers messages only on its own connections, and 0 is invalid.
	order.PutUint32(answer.Bytes()[8:], refusalSerial)
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := answer.WriteTo(p.client)
	return err
}

// flagsAt is where a message has its flags (D-Bus Specification, "Message Format").
const flagsAt = 2

// startable reports whether a call may start the service it is for: only on the
// system bus, whose services root installed.
func (p *proxy) startable(c Call) bool { return p.system && onDemand[c.Destination] }

// refusalSerial numbers our own answers. Nobody replies to them.
const refusalSerial = 1<<32 - 1

func callOf(m *dbus.Message) Call {
	text := func(f dbus.HeaderField) string {
		s, _ := m.Headers[f].Value().(string)
		return s
	}
	return Call{Destination: text(dbus.FieldDestination), Interface: text(dbus.FieldInterface), Member: text(dbus.FieldMember)}
}

// refusal is the error that answers a call.
func refusal(m *dbus.Message, c Call) *dbus.Message {
	text := "only reading is allowed here, not " + c.Interface + "." + c.Member
	return &dbus.Message{
		Type: dbus.TypeError,
		Headers: map[dbus.HeaderField]dbus.Variant{
			dbus.FieldErrorName:   dbus.MakeVariant("org.freedesktop.DBus.Error.AccessDenied"),
			dbus.FieldReplySerial: dbus.MakeVariant(m.Serial()),
			dbus.FieldSender:      dbus.MakeVariant(driver),
			dbus.FieldSignature:   dbus.MakeVariant(dbus.SignatureOf("")),
		},
		Body: []any{text},
	}
}
