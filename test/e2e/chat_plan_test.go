package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChatShowsAPlanPageByPageAndTakesItBack(t *testing.T) {
	t.Parallel()
	d := newMachine(t, stepsPlot).setLang("ko")
	s := d.chat()
	s.resize(80, 16)
	s.ask("설정해줘")
	s.wait(`3단계로 진행할까요\?`)
	require.NotRegexp(t, `touch ~/made`, s.wait("다음 쪽"), "it does not fit")
	require.NoFileExists(t, d.home+"/made")
	s.pressUntil("PageDown", `! 되돌릴 수 없어요`)
	s.pressUntil("Enter", "all done")
	require.FileExists(t, d.home+"/made")
	s.resize(100, 30)
	s.wait(`✓ uname -s`)
	s.wait(`✓ put \(보관한 내용 [0-9a-f]{12}\)`)
	s.wait(`○ touch ~/made`)

	s.ask("/undo")
	s.wait(`작업을 이렇게 되돌릴까요\?`)
	s.pressUntil("Enter", `greeting이 없어졌어요`)
	require.NoFileExists(t, d.home+"/greeting")
}
