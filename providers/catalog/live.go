package catalog

import (
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

// maxListed bounds how many model ids are taken of a server, and maxModelID how
// long one may be, in bytes.
const (
	maxListed  = 500
	maxModelID = 200
)

// Live asks a provider's server which models it has, by GET /v1/models as both
// wire dialects have it. It returns their ids, sorted. Errors are those of
// [Build], or a [providers.Error]. How long it may take ctx and s.Limits say.
func Live(ctx context.Context, s Spec) ([]string, error) {
	e, ok := Lookup(s.Provider)
	if !ok {
		return nil, &UnknownProviderError{Name: s.Provider}
	}
	s.BaseURL = first(s.BaseURL, e.BaseURL)
	if s.BaseURL == "" {
		return nil, fmt.Errorf("%s: %w: set base_url in [providers.%s]", e.Name, ErrNotConfigured, e.Name)
	}
	dialect, usual := e.dialectAt(s.BaseURL)
	style := transport.AuthStyle(first(s.AuthStyle, string(usual)))
	key, err := s.key(e, style)
	if err != nil {
		return nil, err
	}
	address, err := listAddress(dialect, s.BaseURL)
	if err != nil {
		return nil, err
	}
	client, err := transport.New(transport.Options{
		Provider: e.Name, Key: key, AuthStyle: style, HTTPClient: s.HTTPClient, Limits: s.Limits, Observer: s.Observer,
	})
	if err != nil {
		return nil, err
	}
	return list(ctx, client, address, e)
}

// listAddress is where a server lists its models, whatever of its address was
// configured.
func listAddress(d Dialect, base string) (string, error) {
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
	query.Del("alt") // how generateContent is to stream
	u.RawQuery = query.Encode()
	return u.String(), nil
}

func list(ctx context.Context, client *transport.Client, address string, e Entry) ([]string, error) {
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
	ids, err := listed(text)
	if err != nil {
		return nil, &providers.Error{Kind: providers.KindParse, Provider: e.Name, Message: "the server's list of models cannot be read", Err: err}
	}
	return ids, nil
}

// listed reads the ids out of a server's list: {"data":[{"id":…}]}, or
// {"models":[{"name":"models/…"}]} as some have it.
func listed(text []byte) ([]string, error) {
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
