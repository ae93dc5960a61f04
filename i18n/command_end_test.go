package i18n

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestU11EndsAreSaidPlainly: a timeout is not reported as a signal's status, and a missing program not as -1.
func TestU11EndsAreSaidPlainly(t *testing.T) {
	for _, c := range []struct {
		end        CommandResult
		ko, en, zh string
	}{
		{CommandResult{Code: "timeout", Exit: 143, Limit: 60}, "60초가 지나도 끝나지 않아 멈췄어요", "timed out after 60 s", "60 秒后超时，已停止"},
		{CommandResult{Code: "timeout", Exit: 137}, "제한 시간이 지나 멈췄어요", "timed out", "已超时停止"},
		{CommandResult{Code: "missing", Exit: -1, Program: "duf"}, "duf가 설치되어 있지 않아요", "duf is not installed", "未安装 duf"},
		{CommandResult{Code: "missing", Exit: -1}, "프로그램이 설치되어 있지 않아요", "the program is not installed", "程序未安装"},
		{CommandResult{Code: "cancelled", Exit: 143}, "취소했어요", "cancelled", "已取消"},
		{CommandResult{Code: "unknown", Exit: -1}, "도중에 멈췄어요", "stopped before it finished", "中途停止"},
		{CommandResult{Exit: -1}, "도중에 멈췄어요", "stopped before it finished", "中途停止"},
		{CommandResult{Exit: 2}, "종료 코드 2", "exit 2", "退出码 2"},
		{CommandResult{Code: "new", Exit: 0}, "종료 코드 0", "exit 0", "退出码 0"},
	} {
		require.Equal(t, []string{c.ko, c.en, c.zh}, []string{CommandEnd(Korean, c.end), CommandEnd(English, c.end), CommandEnd(Chinese, c.end)})
	}
}
