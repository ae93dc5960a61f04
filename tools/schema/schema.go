// Package schema checks the input of tools against their JSON Schemas.
package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
)

// schema is the part of a tool's JSON Schema that its input is checked against. Other servers check the rest of
// their schemas themselves.
type schema struct {
	Type       typeNames         `json:"type"`
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Enum       []any             `json:"enum"`
	Minimum    *float64          `json:"minimum"`
	Maximum    *float64          `json:"maximum"`
	Items      *schema           `json:"items"`
	Additional json.RawMessage   `json:"additionalProperties"`
}

// typeNames is one type or a list of them.
type typeNames []string

func (t *typeNames) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = typeNames{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(t))
}

// Check checks a call's input against the tool's schema and returns the input for the tool. For our own
// tools it removes unknown arguments. For other servers' tools it refuses them if the schema does.
func Check(def providers.ToolDefinition, input json.RawMessage, ours bool) (json.RawMessage, error) {
	var s schema
	if len(def.InputSchema) == 0 || json.Unmarshal(def.InputSchema, &s) != nil {
		return input, nil // without a schema, the tool checks its input itself
	}
	object, err := readObject(input)
	if err != nil {
		return nil, err
	}
	dropped := ours && dropUnknown(object, s)
	if err := s.check("", object); err != nil {
		return nil, fmt.Errorf("%w; %s takes %s", err, def.Name, s.usage())
	}
	if !dropped {
		return input, nil
	}
	return Encode(object)
}

// Encode encodes an object without HTML escapes.
func Encode(object map[string]any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(object)
	return bytes.TrimSpace(b.Bytes()), err
}

func readObject(input json.RawMessage) (map[string]any, error) {
	if text := string(bytes.TrimSpace(input)); text == "" || text == "null" {
		return map[string]any{}, nil
	}
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.UseNumber()
	var object map[string]any
	if err := dec.Decode(&object); err != nil || object == nil {
		return nil, fmt.Errorf("cannot read the input: it is not one JSON object")
	}
	return object, nil
}

// dropUnknown removes unknown arguments and optional null arguments, and reports whether there were any.
func dropUnknown(object map[string]any, s schema) bool {
	all := len(object)
	for name, v := range object {
		if _, known := s.Properties[name]; !known || v == nil && !slices.Contains(s.Required, name) {
			delete(object, name)
		}
	}
	return len(object) < all
}

// check returns an error for the first part of a value that violates the schema.
func (s schema) check(at string, v any) error {
	if len(s.Type) > 0 && !slices.ContainsFunc(s.Type, func(t string) bool { return hasType(t, v) }) {
		return fmt.Errorf("%s must be %s, and it is %s", quotePath(at), strings.Join(s.Type, " or "), shortValue(v))
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e any) bool { return wholeValue(e) == wholeValue(v) }) {
		return fmt.Errorf("%s is %s, and must be one of %s", quotePath(at), shortValue(v), shortValue(s.Enum))
	}
	switch v := v.(type) {
	case json.Number:
		return s.checkNumber(at, v)
	case map[string]any:
		return s.checkObject(at, v)
	case []any:
		for i, item := range v {
			if s.Items == nil {
				break
			}
			if err := s.Items.check(fmt.Sprintf("%s[%d]", at, i), item); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s schema) checkNumber(at string, n json.Number) error {
	f, err := n.Float64()
	switch {
	case err != nil:
		return fmt.Errorf("%s is %s, which is too large", quotePath(at), n)
	case s.Minimum != nil && f < *s.Minimum:
		return fmt.Errorf("%s is %s, and must be at least %v", quotePath(at), n, *s.Minimum)
	case s.Maximum != nil && f > *s.Maximum:
		return fmt.Errorf("%s is %s, and must be at most %v", quotePath(at), n, *s.Maximum)
	}
	return nil
}

func (s schema) checkObject(at string, object map[string]any) error {
	for _, name := range s.Required {
		if _, there := object[name]; !there {
			return fmt.Errorf("%s is missing", quotePath(joinPath(at, name)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		p, known := s.Properties[name]
		if !known {
			if string(bytes.TrimSpace(s.Additional)) == "false" { // only listed properties are allowed
				return fmt.Errorf("there is no argument %s", quotePath(joinPath(at, name)))
			}
			continue
		}
		if err := p.check(joinPath(at, name), object[name]); err != nil {
			return err
		}
	}
	return nil
}

// usage lists the arguments, required ones first.
func (s schema) usage() string {
	if len(s.Properties) == 0 {
		return "no arguments"
	}
	var required, optional []string
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		text := name + " (" + strings.Join(s.Properties[name].Type, " or ") + ")"
		if slices.Contains(s.Required, name) {
			required = append(required, text+" required")
		} else {
			optional = append(optional, text)
		}
	}
	return strings.Join(slices.Concat(required, optional), ", ")
}

func joinPath(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func quotePath(at string) string {
	if at == "" {
		return "the input"
	}
	return fmt.Sprintf("%q", at)
}

// maxShortValue is the maximum length of a wrong value in a message, in bytes.
const maxShortValue = 100

func shortValue(v any) string {
	text := wholeValue(v)
	if len(text) > maxShortValue {
		return strings.ToValidUTF8(text[:maxShortValue], "") + "…"
	}
	return text
}

func wholeValue(v any) string {
	data, err := json.Marshal(v)
	if err != nil { // it was decoded from JSON
		return "unreadable"
	}
	return string(data)
}

// hasType reports whether a decoded value has a JSON Schema type.
func hasType(name string, v any) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	case json.Number:
		f, err := v.Float64()
		return name == "number" || name == "integer" && (err != nil || f == math.Trunc(f))
	}
	return false
}

// Decode parses a tool's input. It ignores unknown fields, so an "approved": true has no effect.
func Decode[T any](input json.RawMessage) (in T, err error) {
	if len(input) == 0 || string(input) == "null" {
		return in, nil
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return in, fmt.Errorf("cannot read the input: %w", err)
	}
	return in, nil
}
