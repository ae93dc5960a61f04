package ipc

import "strings"

// SessionName returns the name of a conversation as people read and type it, CHANNEL/NAME, from its key.
func SessionName(key string) string {
	if _, name, ok := strings.Cut(key, ":session:"); ok && name != "" {
		return name
	}
	return key
}
