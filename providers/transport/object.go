package transport

import (
	"bytes"
	"encoding/json"
)

// Field is a field of a JSON object.
type Field struct {
	Name  string
	Value any // of type [Encoded]: JSON that is written as it is
}

// Encoded is valid, compact JSON. A [json.RawMessage] would be validated and compacted at each request.
type Encoded []byte

// EncodeJSON returns the JSON of v. It does not escape <, > and &, because raw vendor data must be sent back byte for byte.
func EncodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// EncodeObject returns a JSON object with fields in this order, encoded like [EncodeJSON].
func EncodeObject(fields []Field) ([]byte, error) {
	var b bytes.Buffer
	size := 6 << 10 // of the other values of a short request
	for _, f := range fields {
		if raw, ok := f.Value.(Encoded); ok {
			size += len(raw)
		}
	}
	b.Grow(size)
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	encode := func(v any) error {
		if raw, ok := v.(Encoded); ok {
			b.Write(raw)
			return nil
		}
		if err := enc.Encode(v); err != nil {
			return err
		}
		b.Truncate(b.Len() - 1) // without the newline
		return nil
	}
	b.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encode(f.Name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := encode(f.Value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
