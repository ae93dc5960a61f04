package recall

import "context"

// Embedder makes vectors of texts that are near each other where the texts mean
// the same.
type Embedder interface {
	// Embed returns a vector for each text, all of one length.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Model names what makes them: vectors of two models cannot be compared.
	Model() string
}

func (x *Index) embed(context.Context) error { return nil }
