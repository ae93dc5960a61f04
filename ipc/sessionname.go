package ipc

import "strings"

// SessionName returns a conversation's name as people read and type it, CHANNEL/NAME,
// by its key.
func SessionName(key string) string {
	if _, name, ok := strings.Cut(key, ":session:"); ok && name != "" {
		return name
	}
	return key
}
