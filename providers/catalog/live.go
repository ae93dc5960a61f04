package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// maxListed bounds the number of model ids from a server, and maxModelID the length of one in bytes.
const (
	maxListed  = 500
	maxModelID = 200
)

// ListModels returns the sorted ids of the models that a provider's server offers, using GET /v1/models or the Gemini
// equivalent. The error is one of [Build]'s or a [providers.Error]. ctx and s.Limits bound the time.
func ListModels(ctx context.Context, s Spec) ([]string, error) {
	e, ok := Lookup(s.Provider)
	if !ok {
		return nil, &UnknownProviderError{Name: s.Provider}
	}
	s.BaseURL = cmp.Or(s.BaseURL, e.BaseURL)
	if s.BaseURL == "" {
		return nil, fmt.Errorf("%s: %w: set base_url in [providers.%s]", e.Name, ErrNotConfigured, e.Name)
	}
	dialect, usual := e.dialectAt(s.BaseURL)
	style := transport.AuthStyle(cmp.Or(s.AuthStyle, string(usual)))
	key, err := s.findKey(e, style)
	if err != nil {
		return nil, err
	}
	address, err := modelsURL(dialect, s.BaseURL)
	if err != nil {
		return nil, err
	}
	client, err := transport.New(transport.Options{
		Provider: e.Name, Key: key, AuthStyle: style, HTTPClient: s.HTTPClient, Limits: s.Limits, Observer: s.Observer,
	})
	if err != nil {
		return nil, err
	}
	return fetchModels(ctx, client, address, e)
}

// modelsURL returns the URL of a server's model list for any form of its configured base URL.
func modelsURL(d Dialect, base string) (string, error) {
	u, err := transport.BaseURL(base)
	if err != nil {
		return "", err
	}
	version := "/v1"
	switch d {
	case DialectGemini:
		version = "/v1beta"
		u.Path, _, _ = strings.Cut(u.Path, "/models")
	default:
		u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/chat/completions"), "/messages")
	}
	if u.Path == "" || d == DialectMessages && !strings.HasSuffix(u.Path, version) {
		u.Path += version
	}
	u.Path += "/models"
	query := u.Query()
	query.Del("alt") // the streaming format of generateContent
	u.RawQuery = query.Encode()
	return u.String(), nil
}

func fetchModels(ctx context.Context, client *transport.Client, address string, e Entry) ([]string, error) {
	call := client.Call(ctx)
	defer call.End(true)
	req, err := http.NewRequestWithContext(call.Context(), http.MethodGet, address, nil)
	if err != nil {
		return nil, call.Fail(err)
	}
	req.Header.Set("Accept", "application/json")
	if e.Dialect == DialectMessages {
		req.Header.Set("Anthropic-Version", "2023-06-01")
	}
	resp, err := call.Do(req)
	if err != nil {
		return nil, call.Fail(err)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, int64(call.Limit())))
	if err != nil {
		return nil, call.Fail(err)
	}
	ids, err := parseModels(text)
	if err != nil {
		return nil, &providers.Error{Kind: providers.KindParse, Provider: e.Name, Message: "cannot read the server's list of models", Err: err}
	}
	return ids, nil
}

// parseModels parses a server's list of model ids: {"data":[{"id":…}]}, or {"models":[{"name":"models/…"}]} from
// some servers.
func parseModels(text []byte) ([]string, error) {
	var answer struct {
		Data   []struct{ ID string }
		Models []struct{ Name string }
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, err
	}
	ids := []string{}
	for _, m := range answer.Data {
		ids = append(ids, m.ID)
	}
	for _, m := range answer.Models {
		ids = append(ids, strings.TrimPrefix(m.Name, "models/"))
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" || len(id) > maxModelID })
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return ids[:min(len(ids), maxListed)], nil
}
