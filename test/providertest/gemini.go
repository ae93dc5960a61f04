package providertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
)

// geminiWire is Google's generateContent. Thinking is sent as a thought part, the signature with the first
// call.
type geminiWire struct{}

const geminiMethod = ":streamGenerateContent"

func (geminiWire) serves(path string) bool {
	return strings.HasPrefix(path, "/v1beta/models/") && strings.HasSuffix(path, geminiMethod)
}

type geminiPart struct {
	Text       *string `json:"text"`
	Thought    bool    `json:"thought"`
	Signature  string  `json:"thoughtSignature"`
	InlineData *struct {
		MimeType string `json:"mimeType"`
		Data     []byte `json:"data"`
	} `json:"inlineData"`
	FunctionCall *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	FunctionResponse *struct {
		ID       string             `json:"id"`
		Name     string             `json:"name"`
		Response map[string]*string `json:"response"`
	} `json:"functionResponse"`
}

type geminiContent struct {
	Role  string       `json:"role"`
	Parts []geminiPart `json:"parts"`
}

func (geminiWire) decode(path string, body []byte) (Request, error) {
	var req struct {
		Contents []geminiContent `json:"contents"`
		System   geminiContent   `json:"system_instruction"`
		Tools    []struct {
			Functions []struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				Schema      json.RawMessage `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
		Config struct {
			MaxTokens int `json:"maxOutputTokens"`
		} `json:"generationConfig"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return Request{}, err
	}
	model := strings.TrimSuffix(strings.TrimPrefix(path, "/v1beta/models/"), geminiMethod)
	seen := Request{Model: model, MaxTokens: req.Config.MaxTokens, Stream: true}
	if len(req.Contents) == 0 {
		return seen, errors.New("GenerateContentRequest.contents: contents is not specified")
	}
	for _, p := range req.System.Parts {
		seen.System += *p.Text
	}
	for _, t := range req.Tools {
		for _, f := range t.Functions {
			seen.Tools = append(seen.Tools, providers.ToolDefinition{Name: f.Name, Description: f.Description, InputSchema: f.Schema})
		}
	}
	return seen, seen.readContents(req.Contents)
}

// readContents converts the contents and checks, like Google, that as many responses directly follow a turn of
// calls.
func (s *Request) readContents(contents []geminiContent) error {
	var open []string
	for _, c := range contents {
		role := providers.RoleUser
		if c.Role == "model" {
			role = providers.RoleAssistant
		} else if c.Role != "user" {
			return fmt.Errorf("please use a valid role: user, model; got %q", c.Role)
		}
		answered, calls := 0, []string{}
		for _, p := range c.Parts {
			e, err := p.entry(role)
			if err != nil {
				return err
			}
			if e.Kind == "tool_use" {
				calls = append(calls, e.ID)
			}
			if e.Kind == "tool_result" {
				answered++
			}
			s.Entries = append(s.Entries, e)
		}
		if answered != len(open) {
			return errors.New("please ensure that the number of function response parts is equal to the number of function call parts of the function call turn")
		}
		open = calls
	}
	return nil
}

// entry converts one part. It ignores the placeholder signature.
func (p geminiPart) entry(role providers.Role) (Entry, error) {
	e := Entry{Role: role, Kind: "text", Signature: strings.TrimPrefix(p.Signature, "skip_thought_signature_validator")}
	switch {
	case p.FunctionCall != nil:
		if p.FunctionCall.Name == "" || len(p.FunctionCall.Args) == 0 || p.FunctionCall.Args[0] != '{' {
			return e, fmt.Errorf("malformed function call %q", p.FunctionCall.Name)
		}
		e.Kind, e.ID, e.Name, e.Input = "tool_use", p.FunctionCall.ID, p.FunctionCall.Name, string(p.FunctionCall.Args)
	case p.FunctionResponse != nil:
		e.Kind, e.ID = "tool_result", p.FunctionResponse.ID
		if p.FunctionResponse.Name == "" {
			return e, errors.New("function_response.name: name cannot be empty")
		}
		for key, text := range p.FunctionResponse.Response {
			e.IsError, e.Text = key == "error", *text
		}
	case p.InlineData != nil:
		e.Kind, e.MediaType, e.Data = "image", p.InlineData.MimeType, p.InlineData.Data
	case p.Text == nil:
		return e, errors.New("required oneof field 'data' must have one initialized field")
	case p.Thought:
		e.Kind, e.Text = "thinking", *p.Text
	default:
		e.Text = *p.Text
	}
	return e, nil
}

func geminiAnswer(parts []object, finish string, u *providers.Usage) object {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	answer := object{"candidates": []object{candidate}, "modelVersion": "fake", "responseId": "r1"}
	if u != nil {
		answer["usageMetadata"] = object{
			"promptTokenCount": u.InputTokens, "candidatesTokenCount": u.OutputTokens,
			"totalTokenCount": u.InputTokens + u.OutputTokens, "cachedContentTokenCount": u.CachedTokens,
		}
	}
	return answer
}

func geminiEvent(parts ...object) string {
	return "data: " + mustJSON(geminiAnswer(parts, "", nil)) + "\r\n\r\n"
}

func geminiCalls(r Reply) []object {
	var parts []object
	for i, c := range r.Tools {
		// Arguments that are not an object are sent as a string, like some proxies do.
		var args any = json.RawMessage(c.Input)
		if !json.Valid([]byte(c.Input)) {
			args = c.Input
		}
		p := object{"functionCall": object{"id": c.ID, "name": c.Name, "args": args}}
		if i == 0 && r.Signature != "" {
			p["thoughtSignature"] = r.Signature
		}
		parts = append(parts, p)
	}
	return parts
}

func (geminiWire) events(r Reply) []string {
	var list []string
	if r.Thinking != "" {
		for _, s := range halves(r.Thinking) {
			list = append(list, geminiEvent(object{"text": s, "thought": true}))
		}
	}
	for _, s := range r.Text {
		list = append(list, geminiEvent(object{"text": s}))
	}
	for _, p := range geminiCalls(r) {
		list = append(list, geminiEvent(p))
	}
	return list
}

func (geminiWire) piece(s string) string { return geminiEvent(object{"text": s}) }

func (geminiWire) ending(r Reply) []string {
	return []string{"data: " + mustJSON(geminiAnswer([]object{{"text": ""}}, geminiFinish(r), &r.Usage)) + "\r\n\r\n"}
}

func geminiFinish(r Reply) string {
	switch r.Stop {
	case providers.StopMaxTokens:
		return "MAX_TOKENS"
	case providers.StopRefusal:
		return "SAFETY"
	}
	return "STOP"
}

func (geminiWire) document(r Reply) any {
	var parts []object
	if r.Thinking != "" {
		parts = append(parts, object{"text": r.Thinking, "thought": true})
	}
	for _, s := range r.Text {
		parts = append(parts, object{"text": s})
	}
	return geminiAnswer(append(parts, geminiCalls(r)...), geminiFinish(r), &r.Usage)
}

func (geminiWire) failure(status int, message string) any {
	word := map[int]string{
		400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
		429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE",
	}[status]
	if word == "" {
		word = "INTERNAL"
	}
	return object{"error": object{"code": status, "message": message, "status": word}}
}
