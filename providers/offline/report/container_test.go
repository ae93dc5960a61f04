package report

import (
	"testing"

	"github.com/nidoit/blunux-ai/machine"

	"github.com/stretchr/testify/require"
)

// The output of df -h in a container: the root is an overlay, and files of the host's disk are mounted below
// it.
func TestAContainersRootIsItsDisk(t *testing.T) {
	docker := `Filesystem      Size  Used Avail Use% Mounted on
overlay         252G   14G   78G  15% /
tmpfs            64M     0   64M   0% /dev
shm              64M     0   64M   0% /dev/shm
/dev/vda1       252G   14G   78G  15% /etc/hosts
tmpfs            12G     0   12G   0% /proc/acpi
`
	got := realFileSystems(read(machine.ParseDF, docker))
	require.Len(t, got, 1)
	require.Equal(t, "/", got[0].Target)

	nspawn := `Filesystem      Size  Used Avail Use% Mounted on
overlay          12G  1.0M   12G   1% /
/dev/vda        252G   43G  196G  18% /run/host/os-release
/dev/vdb        100G   90G   10G  90% /data
`
	got = realFileSystems(read(machine.ParseDF, nspawn))
	require.Len(t, got, 2)
	require.Equal(t, "/data", got[0].Target)
	require.Equal(t, "/", got[1].Target)
}
