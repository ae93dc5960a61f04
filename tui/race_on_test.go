//go:build race

package tui

// longReply is how long a long reply is, in bytes: with the race detector everything
// takes ten times as long.
const longReply = 1 << 20
