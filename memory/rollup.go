package memory

import (
	"context"
	"time"
)

// RollUp is to be written.
func (m *Memory) RollUp(ctx context.Context, now time.Time) error { return nil }
