package tools

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/diagnose"
)

// TestTheToolNamesEveryTopic: a model chooses from its description.
func TestTheToolNamesEveryTopic(t *testing.T) {
	text, err := toolFiles.ReadFile("tool/diagnose.json")
	require.NoError(t, err)
	for _, topic := range diagnose.Topics() {
		require.Regexp(t, `\b`+topic.ID+`\b`, string(text))
	}
}

// TestWhatIsNoNameBecomesNoLook: the object is a word of commands.
func TestWhatIsNoNameBecomesNoLook(t *testing.T) {
	type input = struct{ Topic, Object, Package, Text, Lang string }
	for _, bad := range []string{"a;b", "$(reboot)", "-rf", "a b", "`x`", "a|b", "a\nb", "a'b", "../x y"} {
		_, err := planDiagnose(input{Topic: "start", Object: bad})
		require.Error(t, err, bad)
		_, err = planDiagnose(input{Topic: "start", Object: "x", Package: bad})
		require.Error(t, err, bad)
	}
	for topic, object := range map[string]string{"nope": "x", "start": ""} {
		_, err := planDiagnose(input{Topic: topic, Object: object})
		require.Error(t, err)
	}
	a, err := planDiagnose(input{Topic: "unit", Object: "user@1000.service", Lang: "ko"})
	require.NoError(t, err)
	require.Equal(t, []string{"blunux-aictl", "diagnose", "unit", "user@1000.service"}, a.Argv())
}
