package intent

import "github.com/nidoit/blunux-ai/names"

// simplified writes Chinese text as the data files do.
func simplified(s string) string { return names.Simplified(s) }
