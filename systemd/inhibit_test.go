package systemd_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/systemd"
)

func TestWithoutASystemBusNothingIsHeldAndItIsTold(t *testing.T) {
	release, err := systemd.Inhibitor{Address: "unix:path=" + filepath.Join(t.TempDir(), "none")}.Inhibit(t.Context(), "why")
	require.ErrorContains(t, err, "cannot keep the machine awake")
	require.Nil(t, release)
}
