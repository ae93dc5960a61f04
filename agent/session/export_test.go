package session

// OnRead calls a function before a store reads n bytes of the end of a file.
func (s *Store) OnRead(call func(n int)) { s.onRead = call }

// Cached returns the number of cached conversations and the size of their cached lines in the files.
func (s *Store) Cached() (conversations int, size int64) {
	for _, t := range s.cache.tails {
		size += t.bytes()
	}
	return len(s.cache.tails), size
}

// The bounds of the cache.
const (
	MaxCached      = maxCached
	MaxCachedBytes = maxCachedBytes
)

// CountMessages returns the number of messages of entries for a model, and the bound that decides early.
func CountMessages(entries []Entry) (n, bound int) {
	located := make([]locatedEntry, len(entries))
	for i, e := range entries {
		located[i] = locatedEntry{e, int64(i)}
	}
	for _, x := range groupExchanges(located) {
		n += len(x.messages)
	}
	return n, maxMessages(located)
}
