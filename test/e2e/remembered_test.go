package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatIsRememberedAnswersAndNothingElse: notes in three languages answer questions in other words, without a model, and a
// question about something else is not answered from them.
func TestWhatIsRememberedAnswersAndNothingElse(t *testing.T) {
	t.Parallel()
	d := newMachine(t, "")
	d.write("config.toml", "[ai_agent]\nprovider = \"offline\"\n")
	text, err := os.ReadFile("testdata/remembered.tsv")
	require.NoError(t, err)
	var rows [][]string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Split(strings.TrimSpace(line), "\t"))
		}
	}
	for _, row := range rows {
		if row[0] != "-" {
			d.client("ask", "-s", "told", row[0])
		}
	}
	for i, row := range rows {
		answer := d.client("ask", "-s", fmt.Sprintf("asked%d", i), row[1])
		if row[0] != "-" {
			require.Contains(t, answer, row[2], row[1])
			continue
		}
		for _, other := range rows {
			if other[0] != "-" {
				require.NotContains(t, answer, other[2], row[1])
			}
		}
	}
}
