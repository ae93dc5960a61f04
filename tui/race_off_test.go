//go:build !race

package tui

// longReply is how long a long reply is, in bytes.
const longReply = 5 << 20
