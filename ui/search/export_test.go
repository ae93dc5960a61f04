package search

// What tests see.
var (
	MayAsk = mayAsk
	Clean  = clean
)
