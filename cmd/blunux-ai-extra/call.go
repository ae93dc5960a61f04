package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"syscall"

	"github.com/coder/websocket"

	"github.com/nidoit/blunux-ai/i18n"
)

// maxAnswer bounds a message of the gateway, maxToken a token, in bytes.
const (
	maxAnswer = 8 << 20
	maxToken  = 1 << 10
)

// message is what the gateway sends.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// task is the part of a result or a chat.response that says whether more follows.
type task struct {
	TaskID string `json:"taskId"`
	Status string `json:"status"`
}

// callOptions are a request to the gateway. The token comes on standard input.
type callOptions struct {
	Lang    i18n.Lang       `json:"lang"`
	Address string          `json:"address"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// errCallFailed reports an answer that is an error, which was printed.
var errCallFailed = errors.New("the call failed")

// runCall sends one request to the gateway and prints each message that belongs to it: the answer and, if that is pending,
// what comes until the result.
func runCall(options []byte) (i18n.Lang, error) {
	var o callOptions
	if err := readOptions(options, &o); err != nil {
		return o.Lang, err
	}
	token, err := io.ReadAll(io.LimitReader(os.Stdin, maxToken))
	if err != nil {
		return o.Lang, fmt.Errorf("cannot read the token: %w", err)
	}
	ctx, stop := untilSignal(syscall.SIGINT)
	defer stop()
	return o.Lang, sendCall(ctx, o, string(token))
}

func sendCall(ctx context.Context, o callOptions, token string) error {
	ws, _, err := websocket.Dial(ctx, "ws://"+o.Address, &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}, CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		return i18n.GatewayUnreachable(o.Address, err).WithCause(err)
	}
	defer ws.CloseNow()
	ws.SetReadLimit(maxAnswer)
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": o.Method, "params": o.Params})
	if err != nil {
		return fmt.Errorf("cannot write the request: %w", err)
	}
	if err := ws.Write(ctx, websocket.MessageText, text); err != nil {
		return fmt.Errorf("cannot send the request: %w", err)
	}
	return printAnswers(ctx, ws)
}

// printAnswers prints messages until the request has its result.
func printAnswers(ctx context.Context, ws *websocket.Conn) error {
	var early [][]byte // notifications that come before the answer says which task is ours
	ours := ""
	for {
		_, text, err := ws.Read(ctx)
		if err != nil {
			return fmt.Errorf("cannot read the answer: %w", err)
		}
		var m message
		if err := json.Unmarshal(text, &m); err != nil {
			return fmt.Errorf("cannot read the answer: %w", err)
		}
		if m.Method == "" {
			fmt.Println(string(text))
			if m.Error != nil {
				return errCallFailed
			}
			var t task
			if json.Unmarshal(m.Result, &t) != nil || t.Status != "pending" {
				return nil
			}
			ours = t.TaskID
			for _, text := range early {
				if done, err := printNotification(text, ours); done {
					return err
				}
			}
			continue
		}
		if ours == "" {
			early = append(early, text)
			continue
		}
		if done, err := printNotification(text, ours); done {
			return err
		}
	}
}

// printNotification prints a notification about a task, and reports whether it is its result.
func printNotification(text []byte, ours string) (done bool, err error) {
	var m message
	var t task
	if json.Unmarshal(text, &m) != nil || json.Unmarshal(m.Params, &t) != nil || t.TaskID != ours {
		return false, nil
	}
	fmt.Fprintln(os.Stdout, string(text))
	if m.Method != "chat.response" {
		return false, nil
	}
	if t.Status != "success" {
		err = errCallFailed
	}
	return true, err
}
