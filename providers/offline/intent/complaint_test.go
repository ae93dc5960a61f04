package intent

import (
	"cmp"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestComplaintsReachTheirTopic: testdata/complaints.txt.
func TestComplaintsReachTheirTopic(t *testing.T) {
	text, err := os.ReadFile("testdata/complaints.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 3 {
			continue
		}
		p := BuiltIn().Understand(f[2], Context{})
		topic, object := "", ""
		if len(p.Steps) == 1 && p.Steps[0].Tool == "diagnose" {
			topic, _ = p.Steps[0].Input["topic"].(string)
			object, _ = p.Steps[0].Input["object"].(string)
		}
		if topic != f[0] || cmp.Or(object, "-") != f[1] {
			t.Errorf("%s: %s %q instead of %s %s: %s", f[2], topic, object, f[0], f[1], p.Why())
		}
	}
}

// TestNoComplaintNoDiagnosis: orders, questions of state and requests about other devices start none.
func TestNoComplaintNoDiagnosis(t *testing.T) {
	for _, request := range []string{
		"install a webcam viewer", "what is a certificate?", "turn off the screen", "절전 모드로 바꿔줘", "백업 스크립트 짜줘", "open port 8080", "my router's port 80 is blocked",
		"remember that the login is broken", "disk full?", "is the printer on?",
	} {
		for _, s := range BuiltIn().Understand(request, Context{}).Steps {
			require.NotEqual(t, "diagnose", s.Tool, request)
		}
	}
}
