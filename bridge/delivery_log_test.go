package bridge

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ipc"
)

func TestTheOldestConfirmationsAreForgottenFirst(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	log := newDeliveryLog(filepath.Join(t.TempDir(), "sent.jsonl"), func() time.Time { return now })
	for i := range maxConfirmations + 10 {
		now = now.Add(time.Second)
		require.NoError(t, log.record(deliveryRecord{Confirmation: &confirmation{Code: fmt.Sprint(i), Chat: "7", At: now}}, false))
	}
	require.Len(t, log.confirmations, maxConfirmations)
	for i := range maxConfirmations + 10 {
		_, kept := log.confirmations[fmt.Sprint(i)]
		require.Equal(t, i >= 10, kept, i)
	}
}

func TestAPolicyThatCouldNotBeSavedIsSavedWithTheNextOne(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "telegram")
	require.NoError(t, os.WriteFile(dir, nil, 0o600)) // a file where the directory belongs
	b := newInbox(filepath.Join(dir, "inbox.jsonl"), time.Now)
	policy := ipc.ChannelPolicy{Admitted: []string{"7"}}
	require.Error(t, b.savePolicy(policy))
	require.NoError(t, os.Remove(dir))
	require.NoError(t, b.savePolicy(policy))
	loaded := newInbox(filepath.Join(dir, "inbox.jsonl"), time.Now)
	_, err := loaded.load()
	require.NoError(t, err)
	require.NotNil(t, loaded.policy)
}
