// Package embed gets embedding vectors of texts from a server. With them, notes are found that have the same
// meaning in other words. It supports any server with OpenAI's embeddings endpoint (llama.cpp, vLLM, LM Studio,
// hosted ones) and Ollama.
package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// Dialect is the API that a server speaks.
type Dialect string

// The dialects.
const (
	// OpenAI is POST base/embeddings (OpenAI API reference, "Create embeddings").
	OpenAI Dialect = "openai"
	// Ollama is POST base/api/embed (Ollama API reference, "Generate Embeddings").
	Ollama Dialect = "ollama"
)

// Bounds of one request.
const (
	maxBatch  = 64
	maxText   = 8 << 10  // bytes of a text; longer ones are cut
	maxAnswer = 32 << 20 // bytes; 64 vectors of 4,096 numbers are 6 MiB
	maxSize   = 16 << 10 // numbers of a vector
)

// Options configures a [Client].
type Options struct {
	BaseURL string // of the API: https://host/v1 or http://127.0.0.1:11434
	Model   string
	Key     string  // sent as a bearer token; may be empty
	Dialect Dialect // empty means OpenAI
	// HTTPClient sends the requests. If nil, the client creates one.
	HTTPClient *http.Client
}

// Client gets vectors of one model from one server. It can be used concurrently.
type Client struct {
	model   string
	dialect Dialect
	address string
	calls   *transport.Client
}

// New returns a client. It fails if the address, the dialect or the key is invalid, or the model is empty. It
// sends no request.
func New(o Options) (*Client, error) {
	if strings.TrimSpace(o.Model) == "" {
		return nil, fmt.Errorf("cannot make vectors: no model set")
	}
	u, err := transport.BaseURL(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("cannot make vectors: %w", err)
	}
	switch o.Dialect {
	case "", OpenAI:
		o.Dialect, u = OpenAI, withPath(u, strings.TrimSuffix(u.Path, "/embeddings")+"/embeddings")
	case Ollama:
		base := strings.TrimSuffix(strings.TrimSuffix(u.Path, "/api/embed"), "/v1")
		u = withPath(u, base+"/api/embed")
	default:
		return nil, fmt.Errorf("cannot make vectors: unknown dialect %q: use %s or %s", o.Dialect, OpenAI, Ollama)
	}
	calls, err := transport.New(transport.Options{
		Provider: "embeddings", Model: o.Model, Key: o.Key, HTTPClient: o.HTTPClient, Limits: transport.Limits{MaxAnswer: maxAnswer},
	})
	if err != nil {
		return nil, fmt.Errorf("cannot make vectors: %w", err)
	}
	return &Client{model: o.Model, dialect: o.Dialect, address: u.String(), calls: calls}, nil
}

func withPath(u *url.URL, path string) *url.URL {
	there := *u
	there.Path = path
	return &there
}

// Model returns the model's name. Vectors of different models cannot be compared.
func (c *Client) Model() string { return c.model }

// Embed returns a vector for every text, in order, all of the same length. It uses at most 8 KiB of a text and
// sends 64 texts a request. It ends when ctx does. Errors are [providers.Error]s with a hint.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	var all [][]float32
	for len(texts) > 0 {
		n := min(maxBatch, len(texts))
		vectors, err := c.batch(ctx, texts[:n])
		if err == nil && len(all) > 0 && len(vectors[0]) != len(all[0]) {
			err = &providers.Error{Kind: providers.KindParse, Provider: "embeddings", Message: "vectors of different lengths"}
		}
		if err != nil {
			return nil, fmt.Errorf("cannot make vectors with %s: %w%s", c.model, err, c.hint(err))
		}
		all, texts = append(all, vectors...), texts[n:]
	}
	return all, nil
}

func (c *Client) hint(err error) string {
	switch kind := providers.KindOf(err); {
	case c.dialect == Ollama && kind == providers.KindModel:
		return " (get it with: ollama pull " + c.model + ")"
	case c.dialect == Ollama && kind == providers.KindNetwork:
		return " (is it running? systemctl status ollama)"
	case kind == providers.KindModel:
		return " (check the model's name)"
	case kind == providers.KindAuth:
		return " (check the key)"
	case kind == providers.KindParse, kind == providers.KindAPI:
		return " (check base_url and dialect)"
	}
	return ""
}

// request is the request of both dialects.
type request struct {
	Model string   `json:"model"`
	Input []string `json:"input"`
}

func (c *Client) batch(ctx context.Context, texts []string) ([][]float32, error) {
	q := request{Model: c.model}
	for _, t := range texts {
		q.Input = append(q.Input, fit(t))
	}
	body, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	call := c.calls.Call(ctx)
	vectors, err := c.ask(call, body, len(texts))
	err = call.Fail(err)
	call.End(err == nil)
	return vectors, err
}

// fit returns a text that servers accept: valid UTF-8, not empty, bounded.
func fit(text string) string {
	if len(text) > maxText {
		n := maxText
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		text = text[:n]
	}
	if text = strings.ToValidUTF8(text, "\ufffd"); strings.TrimSpace(text) == "" {
		return "-"
	}
	return text
}

func (c *Client) ask(call *transport.Call, body []byte, n int) ([][]float32, error) {
	req, err := http.NewRequestWithContext(call.Context(), http.MethodPost, c.address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	resp, err := call.Do(req)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, int64(call.Limit())+1))
	if err != nil {
		return nil, err
	}
	if err := call.Count(len(text)); err != nil {
		return nil, err
	}
	return c.read(text, n)
}

// number is one number of a vector. It rejects JSON's null and numbers that are too large for 32 bits.
type number float32

func (n *number) UnmarshalJSON(data []byte) error {
	var v float64
	if string(data) == "null" {
		return transport.ErrProtocol("a number of a vector is null")
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	if math.Abs(v) > math.MaxFloat32 {
		return transport.ErrProtocol("a number of a vector is too large: %s", data)
	}
	*n = number(v)
	return nil
}

// read returns the n vectors of an answer in the order of the texts.
func (c *Client) read(text []byte, n int) ([][]float32, error) {
	var answer struct {
		Data []struct {
			Index     *int     `json:"index"`
			Embedding []number `json:"embedding"`
		} `json:"data"`
		Embeddings [][]number `json:"embeddings"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, err
	}
	ordered := answer.Embeddings
	if c.dialect == OpenAI {
		ordered = make([][]number, n)
		if len(answer.Data) != n {
			return nil, transport.ErrProtocol("%d vectors for %d texts", len(answer.Data), n)
		}
		for i, d := range answer.Data {
			if d.Index != nil {
				i = *d.Index
			}
			if i < 0 || i >= n || ordered[i] != nil {
				return nil, transport.ErrProtocol("a vector for text %d of %d", i, n)
			}
			ordered[i] = d.Embedding
		}
	}
	return checkVectors(ordered, n)
}

// checkVectors returns the vectors if there are n, all of the same length and none zero.
func checkVectors(numbers [][]number, n int) ([][]float32, error) {
	if len(numbers) != n {
		return nil, transport.ErrProtocol("%d vectors for %d texts", len(numbers), n)
	}
	vectors := make([][]float32, n)
	for i, from := range numbers {
		if len(from) == 0 || len(from) > maxSize || len(from) != len(numbers[0]) {
			return nil, transport.ErrProtocol("a vector of %d numbers", len(from))
		}
		v := make([]float32, len(from))
		sum := 0.0
		for k, x := range from {
			v[k] = float32(x)
			sum += float64(x) * float64(x)
		}
		if sum == 0 {
			return nil, fmt.Errorf("vector %d: %w", i, transport.ErrProtocol("all of its numbers are 0"))
		}
		vectors[i] = v
	}
	return vectors, nil
}
