package memory_test

import (
	"strings"
	"testing"

	"github.com/nidoit/blunux-ai/memory"
)

func BenchmarkSplit(b *testing.B) {
	for name, line := range map[string]string{
		"items":      "- **nas-address**: 내 NAS 주소는 192.168.0.20 이고 거실에 있다 (2026-02-20)\n",
		"daily":      "- 09:15 · 디스크 꽉 찼어? · df -h · 42%가 남아 있어요\n",
		"paragraphs": "likes vim, tea, and short answers\n",
	} {
		text := strings.Repeat(line, (1<<20)/len(line))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(1 << 20)
			for b.Loop() {
				memory.Split("daily/2026-02-20.md", text, today)
			}
		})
	}
}
