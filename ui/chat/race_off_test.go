//go:build !race

package chat

// longReply is the length of a long reply in bytes.
const longReply = 5 << 20
