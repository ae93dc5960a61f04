// Package ollama lists the models of the Ollama server on this computer, so that the program works without a
// key if there is one (Ollama API reference, "List Local Models" and "Show Model Information"). Completions use
// the chat/completions dialect (package openai).
package ollama

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/sorting"
)

// DefaultServer is Ollama's default address.
const DefaultServer = "http://127.0.0.1:11434"

// FindTimeout is the total time limit of [Find]: a missing server must not delay the daemon's start.
const FindTimeout = 200 * time.Millisecond

// maxAnswer bounds an answer in bytes. A list of a hundred models takes 50 KiB.
const maxAnswer = 4 << 20

// maxShown is the number of models whose capabilities [Find] requests.
const maxShown = 4

// Model is one installed model.
type Model struct {
	Name  string
	Size  int64 // bytes
	Tools bool  // the model supports tools
}

// List returns the models of a server, the most recently modified first. server is a base URL, with or without
// /v1.
func List(ctx context.Context, client *http.Client, server string) ([]Model, error) {
	var answer struct {
		Models []struct {
			Name       string    `json:"name"`
			Size       int64     `json:"size"`
			ModifiedAt time.Time `json:"modified_at"`
		} `json:"models"`
	}
	if err := ask(ctx, client, http.MethodGet, server, "/api/tags", nil, &answer); err != nil {
		return nil, err
	}
	sorting.Stably(answer.Models, func(a, b struct {
		Name       string    `json:"name"`
		Size       int64     `json:"size"`
		ModifiedAt time.Time `json:"modified_at"`
	},
	) int {
		return b.ModifiedAt.Compare(a.ModifiedAt)
	})
	var models []Model
	for _, m := range answer.Models {
		if m.Name != "" {
			models = append(models, Model{Name: m.Name, Size: m.Size})
		}
	}
	return models, nil
}

// Find returns the model to use on the local server and whether there is one. It prefers the newest model that
// supports tools, then the newest. It takes at most [FindTimeout].
func Find(ctx context.Context, client *http.Client, server string) (Model, bool) {
	ctx, cancel := context.WithTimeout(ctx, FindTimeout)
	defer cancel()
	models, err := List(ctx, client, server)
	if err != nil {
		return Model{}, false // no server, or not Ollama
	}
	models = slices.DeleteFunc(models, func(m Model) bool { return isEmbedding(m.Name) })
	if len(models) == 0 {
		return Model{}, false
	}
	for _, m := range models[:min(len(models), maxShown)] {
		if supportsTools(ctx, client, server, m.Name) {
			m.Tools = true
			return m, true
		}
	}
	return models[0], true
}

// isEmbedding reports whether a model produces embeddings instead of text.
func isEmbedding(name string) bool { return strings.Contains(name, "embed") }

func supportsTools(ctx context.Context, client *http.Client, server, name string) bool {
	var answer struct {
		Capabilities []string `json:"capabilities"`
	}
	err := ask(ctx, client, http.MethodPost, server, "/api/show", map[string]string{"model": name}, &answer)
	return err == nil && slices.Contains(answer.Capabilities, "tools")
}

func ask(ctx context.Context, client *http.Client, method, server, path string, question, answer any) error {
	if server == "" {
		server = DefaultServer
	}
	u, err := url.Parse(strings.TrimSuffix(strings.TrimRight(server, "/"), "/v1"))
	if err != nil {
		return fmt.Errorf("cannot ask the model server: %w", err)
	}
	body := ""
	if question != nil {
		raw, err := json.Marshal(question)
		if err != nil {
			return err
		}
		body = string(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.JoinPath(path).String(), strings.NewReader(body))
	if err != nil {
		return fmt.Errorf("cannot ask the model server: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("cannot ask the model server: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("cannot ask the model server: HTTP %d", resp.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(answer); err != nil {
		return fmt.Errorf("cannot read the model server's answer: %w", err)
	}
	return nil
}
