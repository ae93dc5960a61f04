package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// The error codes of JSON-RPC 2.0, and codeServer for all errors of the gateway and the daemon, whose own code is in
// the data.
const (
	codeParse   = -32700
	codeRequest = -32600
	codeMethod  = -32601
	codeParams  = -32602
	codeServer  = -32000
)

// maxDepth bounds how deep the values of a message are nested.
const maxDepth = 64

// request is a request or, without an id, a notification of a client.
type request struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// response answers a request. Exactly one of Result and Error is set.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// notification is a message to a client without an answer.
type notification struct {
	Version string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

// rpcError is an error of JSON-RPC with the daemon's code and hint.
type rpcError struct {
	Code    int        `json:"code"`
	Message string     `json:"message"`
	Data    *errorData `json:"data,omitempty"`
}

type errorData struct {
	Code       ipc.Code `json:"code"`
	Hint       string   `json:"hint,omitempty"`
	RetryAfter int      `json:"retryAfter,omitempty"` // seconds
}

// Error implements error.
func (e *rpcError) Error() string { return e.Message }

var (
	errEncoding = errors.New("invalid UTF-8")
	errDepth    = errors.New("nested too deeply")
	errObject   = errors.New("not an object")
)

// parseRequest reads a message of a client. Its error is an [rpcError] whose id could be read as far as r has it.
func parseRequest(text []byte) (r request, err error) {
	if err := checkJSON(text); err != nil {
		return request{}, newError(codeParse, ipc.CodeBadRequest, i18n.GatewayNotRequest(err))
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return request{}, newError(codeParse, ipc.CodeBadRequest, i18n.GatewayNotRequest(err))
	}
	if r.Version != "2.0" || r.Method == "" || !isID(r.ID) {
		return r, newError(codeRequest, ipc.CodeBadRequest, i18n.GatewayNotVersion)
	}
	return r, nil
}

// checkJSON refuses a text that is no single object, before a parser spends memory on it.
func checkJSON(text []byte) error {
	if !utf8.Valid(text) {
		return errEncoding
	}
	if text = bytes.TrimSpace(text); len(text) == 0 || text[0] != '{' {
		return errObject
	}
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return errDepth
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// isID reports whether an id is missing, or a string or a number.
func isID(id json.RawMessage) bool {
	return len(id) == 0 || id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9'
}

// decodeParams reads the parameters of a request, which are named. Missing ones leave v as it is.
func decodeParams(params json.RawMessage, v any) error {
	if len(params) == 0 || string(params) == "null" {
		return nil
	}
	if params[0] != '{' {
		return badParams(errObject)
	}
	if err := json.Unmarshal(params, v); err != nil {
		return badParams(err)
	}
	return nil
}

func badParams(err error) error {
	return newError(codeParams, ipc.CodeBadRequest, i18n.GatewayParams(err))
}

// textError is an error with a text that is written in the client's language.
type textError struct {
	code int
	of   ipc.Code
	text i18n.Text
	hint string
	wait int // seconds
}

func (e *textError) Error() string { return e.text.In(i18n.English) }

func newError(code int, of ipc.Code, text i18n.Text) *textError {
	return &textError{code: code, of: of, text: text}
}

// encodeError converts an error for a client.
func encodeError(err error, lang i18n.Lang) *rpcError {
	var text *textError
	var wire *ipc.Error
	switch {
	case errors.As(err, &text):
		return &rpcError{text.code, text.text.In(lang), &errorData{Code: text.of, Hint: text.hint, RetryAfter: text.wait}}
	case errors.As(err, &wire):
		code := codeServer
		if wire.Code == ipc.CodeBadRequest {
			code = codeParams
		}
		return &rpcError{code, wire.Message, &errorData{Code: wire.Code, Hint: wire.Hint, RetryAfter: wire.RetryAfter}}
	case errors.Is(err, ipc.ErrTooLarge):
		return &rpcError{codeServer, i18n.ErrTooLarge.In(lang), &errorData{Code: ipc.CodeTooLarge}}
	}
	if errors.Is(err, ipc.ErrNoReply) {
		return &rpcError{codeServer, i18n.ErrTimeout.In(lang), &errorData{Code: ipc.CodeTimeout}}
	}
	return &rpcError{codeServer, i18n.GatewayNoDaemon.In(lang), &errorData{Code: ipc.CodeNetwork}}
}

// encode returns the text of a message to a client.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil { // cannot happen: values of this program
		panic(err)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
