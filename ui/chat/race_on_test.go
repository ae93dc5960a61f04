//go:build race

package chat

// longReply is the length of a long reply in bytes. The race detector makes tests ten times slower.
const longReply = 1 << 20
