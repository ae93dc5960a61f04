package claudecli

import "encoding/json"

// event is a line that claude prints with --output-format stream-json. It has the fields of all event types
// that matter here (docs/claude.md has a transcript).
type event struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`

	// system/init
	Tools   []string `json:"tools"`
	Servers []struct {
		Name   string `json:"name"`
		Status string `json:"status"`
	} `json:"mcp_servers"`
	Model   string `json:"model"`
	Version string `json:"claude_code_version"`

	// stream_event
	Event struct {
		Type  string `json:"type"`
		Delta struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"delta"`
	} `json:"event"`

	// assistant; Error is set if the message is an error message of claude itself
	Message struct {
		Model   string `json:"model"`
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
	} `json:"message"`
	Error json.RawMessage `json:"error"`

	// system/api_retry
	RetryDelay  float64 `json:"retry_delay_ms"`
	ErrorStatus int     `json:"error_status"`

	// rate_limit_event
	RateLimit struct {
		Status   string  `json:"status"`
		ResetsAt float64 `json:"resetsAt"` // Unix time
	} `json:"rate_limit_info"`

	// result
	IsError    bool     `json:"is_error"`
	Result     string   `json:"result"`
	Errors     []string `json:"errors"`
	StopReason string   `json:"stop_reason"`
	Terminal   string   `json:"terminal_reason"`
	Status     *int     `json:"api_error_status"`
	Cost       float64  `json:"total_cost_usd"`
	Usage      struct {
		Input   int `json:"input_tokens"`
		Created int `json:"cache_creation_input_tokens"`
		Read    int `json:"cache_read_input_tokens"`
		Output  int `json:"output_tokens"`
	} `json:"usage"`
}

// errorName returns the name of the reported error, or "".
func (e event) errorName() string {
	var name string
	_ = json.Unmarshal(e.Error, &name) // other values are not names
	return name
}

// text returns the message's text.
func (e event) text() string {
	var all string
	for _, c := range e.Message.Content {
		if c.Type == "text" {
			all += c.Text
		}
	}
	return all
}
