package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nidoit/blunux-ai/internal/journal"
)

// errUsed reports a decision that arrives a second time, in another request.
var errUsed = errors.New("this decision was used before")

// used is a nonce in the journal. The request that brought it may arrive again.
type used struct {
	Nonce   string    `json:"nonce"`
	Request string    `json:"request"`
	Expires time.Time `json:"expires"`
}

// nonces remembers the nonces of decisions until they expire, on disk. The bridge serves one request at a time.
type nonces struct {
	journal *journal.Journal
	now     func() time.Time
	seen    map[string]used
}

func openNonces(path string, now func() time.Time) (*nonces, error) {
	n := &nonces{journal: journal.New(path), now: now, seen: map[string]used{}}
	var live []any
	total := 0
	_, err := n.journal.Read(func(line []byte) error {
		var u used
		if err := json.Unmarshal(line, &u); err != nil {
			return err
		}
		if total++; now().Before(u.Expires) {
			n.seen[u.Nonce] = u
			live = append(live, u)
		}
		return nil
	})
	if err == nil && total > 1000 && len(live) < total/2 {
		err = n.journal.Rewrite(live)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the used decisions: %w", err)
	}
	return n, nil
}

// use records a nonce before its decision is carried out. It returns [errUsed] if another request brought it.
func (n *nonces) use(nonce, request string, expires time.Time) error {
	if u, ok := n.seen[nonce]; ok {
		if u.Request != request {
			return errUsed
		}
		return nil
	}
	u := used{nonce, request, expires}
	mark, err := n.journal.Append(u)
	if err == nil {
		err = n.journal.Sync(mark)
	}
	if err != nil {
		return fmt.Errorf("cannot record a decision: %w", err)
	}
	n.seen[nonce] = u
	return nil
}

func (n *nonces) close() { n.journal.Close() }
