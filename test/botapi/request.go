package botapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
)

// maxRequest is the maximum size of a request.
const maxRequest = 64 << 20

// values are a request's parameters.
type values struct {
	text  map[string]string
	files map[string]upload
}

type upload struct {
	name, kind string
	data       []byte
}

// parseArguments reads parameters from the query string and from a body that is a form, a multipart form
// or JSON (section "Making requests").
func parseArguments(r *http.Request) (values, error) {
	v := values{map[string]string{}, map[string]upload{}}
	v.form(r.URL.Query())
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	body := http.MaxBytesReader(nil, r.Body, maxRequest)
	switch kind {
	case "multipart/form-data":
		return v, v.multipart(r, params["boundary"])
	case "application/json":
		return v, v.json(body)
	case "application/x-www-form-urlencoded":
		data, err := io.ReadAll(body)
		if err != nil {
			return v, err
		}
		q, err := url.ParseQuery(string(data))
		v.form(q)
		return v, err
	}
	return v, nil
}

func (v values) form(q url.Values) {
	for k := range q {
		v.text[k] = q.Get(k)
	}
}

func (v values) json(body io.Reader) error {
	fields := map[string]json.RawMessage{}
	if err := json.NewDecoder(body).Decode(&fields); err != nil && !errors.Is(err, io.EOF) {
		return errors.New("can't parse JSON object")
	}
	for k, raw := range fields {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			s = string(raw)
		}
		v.text[k] = s
	}
	return nil
}

// multipart reads a multipart form. The library sends one without parts for methods without
// parameters.
func (v values) multipart(r *http.Request, boundary string) error {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxRequest))
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(body)) == 0 || bytes.HasPrefix(bytes.TrimSpace(body), []byte("--"+boundary+"--")) {
		return nil
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	parts, err := r.MultipartReader()
	if err != nil {
		return err
	}
	for {
		p, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("cannot read the form: %w", err)
		}
		data, err := io.ReadAll(p)
		if err != nil {
			return fmt.Errorf("cannot read the form: %w", err)
		}
		if p.FileName() == "" {
			v.text[p.FormName()] = string(data)
			continue
		}
		v.files[p.FormName()] = upload{p.FileName(), p.Header.Get("Content-Type"), data}
	}
}
