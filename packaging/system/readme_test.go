//go:build systemtest

package system

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadmeAndGuideAreFollowedByNewcomers runs package docs' test of README and guide in both languages, each
// as a new user with what makepkg and pacman install. The project is cloned from this working tree. makepkg
// finds built packages; TestTheCheckoutTakesWhatIsCommitted tests their build.
func TestReadmeAndGuideAreFollowedByNewcomers(t *testing.T) {
	p := packages(t)
	dir := stories(t, p)
	commit, _, err := workingTree()
	require.NoError(t, err)
	project := filepath.Join(dir, "blunux-ai")
	require.NoError(t, os.RemoveAll(project))
	for _, args := range [][]string{
		{"init", "-q", "-b", "none", project},
		{"-C", root, "push", "-q", project, commit + ":refs/heads/main"},
		{"-C", project, "checkout", "-q", "main"},
	} {
		require.NoError(t, command(exec.Command("git", args...)))
	}
	build := exec.Command("go", "test", "-c", "-vet=off", "-mod=readonly", "-trimpath", "-o", filepath.Join(dir, "docs.test"), root+"/docs")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	require.NoError(t, command(build))
	runStory(t, "readme")
}
