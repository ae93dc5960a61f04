package scripted

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/nidoit/blunux-ai/providers"
)

// maxFile bounds a script file in bytes.
const maxFile = 1 << 20

// defaultPiece is the number of runes in one streamed piece.
const defaultPiece = 8

// script is a parsed script file: a TOML file with a list of steps, each of which answers one request.
//
//	[[step]]                                # answers any question
//	text = "Hello! Ask me about the disk."
//
//	[[step]]
//	user = "disk"                           # only if the user's text contains it
//	text = "Let me look."
//	[[step.tool]]
//	name  = "check_disk"
//	input = { }
//
//	[[step]]
//	text = "It says:\n{{last_tool_output}}"
//
//	[[step]]
//	user_match = '^run (.*)$'               # a regular expression; {{user.1}} is its group
//	[[step.tool]]
//	name  = "run_command"
//	input = { command = "{{user.1}}" }
//
// Fields of the file: loop (start over at the end), piece (runes in a streamed piece, default 8). Fields of a
// step, all optional:
//
//	user, user_match      matcher on the last user text: contains (letter case ignored) / regexp
//	result, result_match  matcher on the last tool result (the output, or what the model gets of it): contains /
//	                      regexp; result = "" matches if there is none
//	text                  the answer's text
//	tool                  list of tool calls: name, input (a table) or input_raw (a string sent
//	                      unchanged, for malformed arguments), id (default: generated)
//	stop                  "end_turn", "tool_use", "max_tokens", "refusal", "not_understood" or "nothing_done"
//	                      (default: the one that fits)
//	usage                 { in = 10, out = 3, cached = 4, usd = 0.02 }
//	error                 { kind, status, retry_after, message } instead of an answer; kind is one of
//	                      api, rate_limit, auth, network, parse, empty
//	delay, piece_delay    waits before the answer / before each further piece: "50ms"
//	wait                  true: sends nothing after text until the request is cancelled
//	repeat                how many requests in a row the step answers (default 1)
//	forever               true: it answers every further request of its scene
//
// Placeholders in text, input and input_raw: {{user}}, {{user.1}} …, {{last_tool_result}} (as the model gets it),
// {{result.1}} …, {{last_tool_output}} (the plain standard output of the commands), {{last_answer}} (the text
// before the user's last), {{system}}, {{lang}}, {{round}} (completions since the user's text, from 1).
//
// A step with user or user_match begins a scene. The following steps belong to it, up to the next such step. Steps
// before the first one are the opening scene. The first scene whose matcher fits the last user text plays once for
// that text: its first step answers the first request, the next step the request with the tool results, and so on.
// If no matcher fits, the opening scene continues. It runs through the whole conversation. Steps of a scene whose
// result matcher does not fit are skipped.
//
// The position is computed from the request alone, by replaying its assistant messages. Many conversations can
// therefore share one script, and a restarted program continues where it stopped. The exception is a step with
// error or wait, which leaves no assistant message: the model counts how often exactly this request was made, and
// continues after repeat times.
type script struct {
	Loop  bool   `toml:"loop"`
	Piece int    `toml:"piece"`
	Steps []step `toml:"step"`

	scenes []scene
}

// step is the answer to one request. [script] describes the fields.
type step struct {
	User        *string  `toml:"user"`
	UserMatch   *pattern `toml:"user_match"`
	Result      *string  `toml:"result"`
	ResultMatch *pattern `toml:"result_match"`

	Text       template   `toml:"text"`
	Tools      []toolStep `toml:"tool"`
	Stop       stopWord   `toml:"stop"`
	Usage      usageStep  `toml:"usage"`
	Error      *failure   `toml:"error"`
	Delay      duration   `toml:"delay"`
	PieceDelay duration   `toml:"piece_delay"`
	Wait       bool       `toml:"wait"`
	Repeat     int        `toml:"repeat"`
	Forever    bool       `toml:"forever"`
}

type toolStep struct {
	Name     string         `toml:"name"`
	ID       string         `toml:"id"`
	Input    map[string]any `toml:"input"`
	InputRaw *template      `toml:"input_raw"`
}

// usageStep is the usage that a step reports: tokens, and US dollars.
type usageStep struct {
	In     int     `toml:"in"`
	Out    int     `toml:"out"`
	Cached int     `toml:"cached"`
	USD    float64 `toml:"usd"`
}

func (u usageStep) usage() providers.Usage {
	return providers.Usage{InputTokens: u.In, OutputTokens: u.Out, CachedTokens: u.Cached, CostUSD: u.USD}
}

type failure struct {
	Kind       kindWord `toml:"kind"`
	Status     int      `toml:"status"`
	RetryAfter duration `toml:"retry_after"`
	Message    string   `toml:"message"`
}

func (f *failure) error() error {
	return &providers.Error{
		Kind: f.Kind.Kind, Provider: Name, Status: f.Status,
		RetryAfter: time.Duration(f.RetryAfter), Message: f.Message,
	}
}

// These types implement encoding.TextUnmarshaler, so that the decoder's errors name line and column of an
// invalid value. Some are structs because the decoder sets string kinds directly.
type (
	pattern  struct{ *regexp.Regexp }
	duration time.Duration
	template struct{ string }
	stopWord struct{ providers.StopReason }
	kindWord struct{ providers.Kind }
)

// UnmarshalText implements [encoding.TextUnmarshaler].
func (p *pattern) UnmarshalText(text []byte) (err error) {
	p.Regexp, err = regexp.Compile(string(text))
	return err
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil || v < 0 {
		return fmt.Errorf("%q is not a duration such as \"50ms\" or \"2s\"", text)
	}
	*d = duration(v)
	return nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (t *template) UnmarshalText(text []byte) error {
	t.string = string(text)
	return t.check()
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *stopWord) UnmarshalText(text []byte) error {
	switch w := providers.StopReason(text); w {
	case providers.StopEndTurn, providers.StopToolUse, providers.StopMaxTokens, providers.StopRefusal,
		providers.StopNotUnderstood, providers.StopNothingDone:
		s.StopReason = w
		return nil
	}
	return fmt.Errorf("%q is not a stop reason: end_turn, tool_use, max_tokens, refusal, not_understood or nothing_done", text)
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (k *kindWord) UnmarshalText(text []byte) error {
	switch w := providers.Kind(text); w {
	case providers.KindAPI, providers.KindRateLimit, providers.KindAuth, providers.KindNetwork, providers.KindParse, providers.KindEmpty:
		k.Kind = w
		return nil
	}
	return fmt.Errorf("%q is not an error kind: api, rate_limit, auth, network, parse or empty", text)
}

// Load reads a script file of at most 1 MiB. Errors include line and column.
func Load(path string) (*Model, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the script: %w", err)
	}
	return Parse(path, data)
}

// Parse parses a script. name is its name in errors.
func Parse(name string, data []byte) (*Model, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("cannot read the script %s: larger than %d bytes", name, maxFile)
	}
	s, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("cannot read the script %s:%w", name, err)
	}
	return &Model{file: name, script: s, attempts: map[[32]byte]int{}}, nil
}

// scriptError is an error at a position in the file.
type scriptError struct {
	line, column int
	message      string
}

// Error returns "LINE:COLUMN: what".
func (f *scriptError) Error() string { return fmt.Sprintf("%d:%d: %s", f.line, f.column, f.message) }

func parse(data []byte) (*script, error) {
	s := &script{}
	if err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(s); err != nil {
		return nil, withPosition(err)
	}
	if s.Piece <= 0 {
		s.Piece = defaultPiece
	}
	places := stepPositions(data)
	for i := range s.Steps {
		if what := s.Steps[i].problem(); what != "" {
			f := &scriptError{line: 1, column: 1, message: fmt.Sprintf("step %d: %s", i+1, what)}
			if i < len(places) {
				f.line, f.column = places[i].Line, places[i].Column
			}
			return nil, f
		}
	}
	if len(s.Steps) == 0 {
		return nil, &scriptError{line: 1, column: 1, message: "there is no [[step]]"}
	}
	s.scenes = splitScenes(s.Steps)
	return s, nil
}

// withPosition adds line and column of the decoder's errors.
func withPosition(err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		line, column := strict.Errors[0].Position()
		return &scriptError{line, column, fmt.Sprintf("unknown field %q", strings.Join(strict.Errors[0].Key(), "."))}
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		line, column := decode.Position()
		return &scriptError{line, column, strings.TrimPrefix(decode.Error(), "toml: ")}
	}
	return fmt.Errorf(" %w", err)
}

// stepPositions returns the positions of the [[step]] tables, as far as possible. For another notation (step =
// [{…}]) it returns none.
func stepPositions(data []byte) []unstable.Position {
	var places []unstable.Position
	var p unstable.Parser
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.ArrayTable {
			continue
		}
		key := e.Key()
		if key.Next() && string(key.Node().Data) == "step" && key.IsLast() {
			places = append(places, p.Shape(key.Node().Raw).Start)
		}
	}
	return places
}

// problem returns the reason why a step is invalid, or "".
func (s *step) problem() string {
	switch {
	case s.User != nil && s.UserMatch != nil:
		return "user and user_match exclude each other"
	case s.Result != nil && s.ResultMatch != nil:
		return "result and result_match exclude each other"
	case s.Error != nil && (s.Text.string != "" || len(s.Tools) > 0 || s.Wait):
		return "error excludes text, tool and wait"
	case s.Error != nil && s.Error.Kind.Kind == "":
		return "error needs a kind"
	case s.Repeat < 0:
		return "repeat must be positive"
	case s.Forever && s.Repeat > 0:
		return "forever and repeat exclude each other"
	}
	for i, t := range s.Tools {
		switch {
		case t.Name == "":
			return fmt.Sprintf("tool %d needs a name", i+1)
		case t.Input != nil && t.InputRaw != nil:
			return fmt.Sprintf("tool %d: input and input_raw exclude each other", i+1)
		}
		if err := checkTemplates(t.Input); err != nil {
			return fmt.Sprintf("tool %d: %s", i+1, err)
		}
		if _, err := json.Marshal(t.Input); err != nil {
			return fmt.Sprintf("tool %d: input has no JSON form: %s", i+1, err)
		}
	}
	return ""
}
