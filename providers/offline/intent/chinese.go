package intent

import "github.com/nidoit/blunux-ai/internal/names"

// simplified converts Chinese text to the simplified form used in the data files.
func simplified(s string) string { return names.Simplified(s) }
