package turns

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/shell"
)

func TestAQuestionAboutAPlanWaitsAtMostTenMinutes(t *testing.T) {
	one, several := tools.JudgedPlan{}, tools.JudgedPlan{Plan: tools.Plan{Typed: &plan.Plan{}}}
	require.Equal(t, time.Hour, answerTime(one, time.Hour))
	require.Equal(t, 10*time.Minute, answerTime(several, time.Hour))
	require.Equal(t, 5*time.Minute, answerTime(several, 5*time.Minute))
}

func TestTheQuestionAboutAPlanIsOneSentence(t *testing.T) {
	j := tools.JudgedPlan{Plan: tools.Plan{Tool: "plan", Typed: &plan.Plan{Goal: "tidy\n\u202eup"}}}
	j.Plan.Commands = make([]shell.Command, 3)
	require.Equal(t, "Carry out these 3 steps? The goal: \"tidy \\u202eup\"", Question(j, i18n.English), "clients make it visible")
	j.Plan.Typed.Goal = ""
	require.Equal(t, "3단계로 진행할까요?", Question(j, i18n.Korean))
	j.Plan.TakesBack = "U4K7P"
	require.Equal(t, "Take U4K7P back like this?", Question(j, i18n.English))
}

func TestTheWordsOfAButtonAreThoseOfAPerson(t *testing.T) {
	for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
		for _, want := range []string{"U4K7P", "UMBVC"} {
			id, words := cutReceipt(strings.ToLower(i18n.UndoWords(want).In(lang)))
			require.Equal(t, want, id, lang)
			require.True(t, i18n.IsUndo(words), lang)
		}
	}
}
