package embed

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/nidoit/blunux-ai/providers/transport"
)

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
