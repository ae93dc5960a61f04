package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

// ask sends a message over the gateway and returns the answer.
func ask(address, token, text string) (answer string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	ws, _, err := websocket.Dial(ctx, "ws://"+address, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
	if err != nil {
		return "", err
	}
	defer ws.CloseNow()
	request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "chat.send", "params": map[string]string{"text": text, "channelId": "probe"}})
	if err == nil {
		err = ws.Write(ctx, websocket.MessageText, request)
	}
	for err == nil {
		var reply []byte
		if _, reply, err = ws.Read(ctx); err != nil {
			break
		}
		var m struct {
			Method string
			Params struct{ Text string }
			Error  *struct{ Message string }
		}
		switch {
		case json.Unmarshal(reply, &m) != nil:
		case m.Error != nil:
			return "", errors.New(m.Error.Message)
		case m.Method == "chat.response":
			return m.Params.Text, ws.Close(websocket.StatusNormalClosure, "")
		}
	}
	return "", err
}
