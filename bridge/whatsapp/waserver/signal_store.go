package waserver

import (
	"context"
	"maps"
	"sync"

	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/util/keys"
)

// signalStore is a phone's Signal store: known identities, sessions, and one-time keys.
type signalStore struct {
	*store.NoopStore
	mu         sync.Mutex
	identities map[string][32]byte
	sessions   map[string][]byte
	oneTime    map[uint32]*keys.PreKey
	next       uint32
}

func newSignalStore() *signalStore {
	return &signalStore{
		NoopStore:  &store.NoopStore{Error: nil},
		identities: map[string][32]byte{}, sessions: map[string][]byte{}, oneTime: map[uint32]*keys.PreKey{},
	}
}

// forget removes all sessions, because the other side has a new device.
func (m *signalStore) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.identities)
	clear(m.sessions)
}

func (m *signalStore) PutIdentity(_ context.Context, address string, key [32]byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.identities[address] = key
	return nil
}

func (m *signalStore) IsTrustedIdentity(_ context.Context, address string, key [32]byte) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, ok := m.identities[address]
	return !ok || known == key, nil
}

func (m *signalStore) GetSession(_ context.Context, address string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sessions[address], nil
}

func (m *signalStore) HasSession(_ context.Context, address string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.sessions[address]
	return ok, nil
}

func (m *signalStore) PutSession(_ context.Context, address string, session []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sessions[address] = session
	return nil
}

func (m *signalStore) PutManySessions(_ context.Context, sessions map[string][]byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.Copy(m.sessions, sessions)
	return nil
}

func (m *signalStore) GetPreKey(_ context.Context, id uint32) (*keys.PreKey, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.oneTime[id], nil
}

// GenOnePreKey generates a one-time key for a new conversation.
func (m *signalStore) GenOnePreKey(context.Context) (*keys.PreKey, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next++
	key := keys.NewPreKey(m.next)
	m.oneTime[m.next] = key
	return key, nil
}

func (m *signalStore) RemovePreKey(_ context.Context, id uint32) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.oneTime, id)
	return nil
}
