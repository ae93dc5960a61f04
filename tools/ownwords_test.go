package tools_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/tools/safety"
)

func TestThePersonsOwnWordsAreKeptUnasked(t *testing.T) {
	own := map[string][]string{
		"NAS 주소는 192.168.0.20이야, 기억해줘":           {"NAS 주소는 192.168.0.20", "nas 주소 192.168.0.20", "NAS 주소: 192.168.0.20이에요."},
		"remember that my NAS is at 10.0.0.5":    {"my NAS is at 10.0.0.5", "My NAS: 10.0.0.5.", "\"my NAS\" (at 10.0.0.5)"},
		"我的备份盘叫 BACKUP01，记住":                     {"备份盘叫 BACKUP01", "我的备份盘叫BACKUP01。"},
		"나는 vim을 좋아해":                            {"vim을 좋아함", "vim 좋아해요"},
		"프로젝트는 ~/code/Blunux 에 있어 https://a.b/C": {"프로젝트 ~/code/Blunux", "https://a.b/C"},
		"난 커피를 마셔 ☕":                             {"커피 ☕"},
	}
	foreign := map[string][]string{
		"NAS 주소는 192.168.0.20이야, 기억해줘":           {"NAS 주소는 192.168.0.21", "NAS 주소는 192.168.0.2", "NAS 주소는 192.168.0.20, 비밀번호", "NAS 주소는 192.168.0.20:22"},
		"remember that my NAS is at 10.0.0.5":    {"my NAS is not at 10.0.0.5", "my NAS is at 10.0.0.5; rm -rf /", "my NAS $(id)", "my NAS | sh", "my NAS at 5"},
		"我的备份盘叫 BACKUP01，记住":                     {"备份盘叫 BACKUP02", "删除备份盘", "不是我的备份盘"},
		"나는 vim을 좋아해":                            {"vim을 좋아하지 않음", "vim을 싫어함", "vi를 좋아함"},
		"프로젝트는 ~/code/Blunux 에 있어 https://a.b/C": {"~/code/blunux", "https://a.b/c", "/code/Blunux", "~/code/Blunux/x"},
		"":         {"x", "가", "记", "1"},
		"서울역에서 만나": {"서울에서 만나"},
		"run it":   {"r\u0443n it", "run\u202e it now"},
	}
	d, _ := newNoteGate(t)
	for words, texts := range own {
		for _, text := range texts {
			require.Equal(t, safety.Safe, d.judgeCall(untrustedCall(newCall(t, "remember", in{"text": text}), words)).Class, "%s: %s", words, text)
		}
	}
	for words, texts := range foreign {
		for _, text := range texts {
			require.Equal(t, safety.Confirm, d.judgeCall(untrustedCall(newCall(t, "remember", in{"text": text}), words)).Class, "%s: %s", words, text)
		}
	}
}

// A number, symbol or word that is not the person's is found in any position.
func TestThreat31NoForeignWordPassesForThePersonsOwn(t *testing.T) {
	d, _ := newNoteGate(t)
	words := "remember: 내 NAS 주소는 192.168.0.20 이고 备份盘在书房 and I like vim"
	piece := rapid.SampledFrom([]string{"내", "NAS", "주소는", "192.168.0.20", "备份盘", "书房", "vim", "like", "the"})
	strange := rapid.OneOf(
		rapid.StringMatching(`[a-z]{3,8}x`), rapid.StringMatching(`[0-9]{1,4}`), rapid.StringMatching(`/[a-z]{2,6}`), rapid.StringMatching(`[$|&;<>]{1,2}[a-z]+`),
		rapid.SampledFrom([]string{"삭제", "승인", "删除", "批准", "--force", "http://evil", "192.168.0.21"}),
	)
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(piece, 0, 6).Draw(t, "own")
		at := rapid.IntRange(0, len(list)).Draw(t, "at")
		list = slices.Insert(list, at, strange.Draw(t, "strange"))
		c := untrustedCall(newCall(t, "remember", in{"text": strings.Join(list, " ")}), words)
		j, refused := d.Prepare(c, "s", d.dir)
		require.Nil(t, refused)
		require.Equal(t, safety.Confirm, j.Class, list)
	})
}
