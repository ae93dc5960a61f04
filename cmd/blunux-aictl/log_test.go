package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/tools/commandlog"
)

func TestEveryFlawHasWords(t *testing.T) {
	for _, flaw := range []commandlog.Flaw{
		commandlog.Edited, commandlog.Removed, commandlog.Moved, commandlog.Added, commandlog.Cut, commandlog.Missing, commandlog.Old,
	} {
		for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
			require.NotEqual(t, string(flaw), i18n.LogFlaws.In(string(flaw), lang))
		}
	}
	require.Equal(t, "brand-new", i18n.LogFlaws.In("brand-new", i18n.English))
}

func TestAReportIsOneLineOrOneForEachProblem(t *testing.T) {
	r := logReport{OK: true, Records: 9, Lines: 4, Before: 1, Repaired: 2, Pending: 1}
	require.Equal(t, "The log is intact: 4 lines in commands.log, 9 records in audit.jsonl; lines from before the hash chain began: 1; "+
		"cut off by a crash and recovered: 2; cut off by a crash, to be recovered with the next record: 1", r.text(i18n.English))
	require.Equal(t, "기록이 온전해요: commands.log 4줄, audit.jsonl 9건", logReport{OK: true, Records: 9, Lines: 4}.text(i18n.Korean))
	r = logReport{Problems: []logProblem{{"commands.log", "edited", 2, 4}, {"audit.head", "missing", 0, 0}}, More: 3}
	require.Equal(t, "commands.log 第 2 行（记录 4）：内容被修改\naudit.head: 文件不存在或无法读取\n其他问题：3 个", r.text(i18n.Chinese))
}
