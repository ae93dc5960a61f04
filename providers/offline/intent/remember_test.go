package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAQuestionWhetherItRemembersIsNoNote(t *testing.T) {
	for _, row := range []struct{ text, tool, argument, value string }{
		{"내 NAS 주소 기억해?", "recall", "query", "내 NAS 주소"},
		{"내 생일 기억해？", "recall", "query", "내 생일"},
		{"내 생일은 3월 2일이야 기억해", "remember", "text", "내 생일은 3월 2일이야"},
		{"기억해줘 내 NAS는 192.168.0.20", "remember", "text", "내 NAS는 192.168.0.20"},
	} {
		plan := BuiltIn().Understand(row.text, Context{})
		require.Equal(t, row.tool, plan.Steps[0].Tool, row.text)
		require.Equal(t, row.value, plan.Steps[0].Input[row.argument], row.text)
	}
}

func TestTheSubjectOfAMemoryQuestionIsNotTheRemembering(t *testing.T) {
	for _, text := range []string{"내 생일 기억나?", "내 생일 기억해?", "내 생일 기억하고 있어?"} {
		require.Equal(t, []string{"생일"}, BuiltIn().Read(text).SubjectWords(), text)
	}
}
