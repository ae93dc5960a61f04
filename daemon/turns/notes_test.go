package turns

import (
	"testing"

	"github.com/nidoit/blunux-ai/memory"
	"github.com/stretchr/testify/require"
)

func TestANoteIsCalledByItsKeyOrItsFirstWords(t *testing.T) {
	for want, n := range map[string]memory.Note{
		"nas address":           {Key: "nas-address", Text: "NAS는 192.168.0.20"},
		"NAS 주소":                {Key: "nas-주소는-192-168-0-20", Text: "NAS 주소는 192.168.0.20"},
		"내가 싫어하는 음식":            {Key: "내가-싫어하는-음식은", Text: "내가 싫어하는 음식은 오이야"},
		"my dog":                {Key: "my-dog-is-bori-2", Text: "my dog is Bori"},
		"likes tea":             {Text: "likes tea."},
		"我的打印机":                 {Key: "我的打印机是-hp", Text: "我的打印机是 HP"},
		"the printer jams with": {Text: "the printer jams, with thick paper"},
	} {
		require.Equal(t, want, noteName(n))
	}
}
