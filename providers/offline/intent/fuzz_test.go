package intent

import (
	"testing"
)

func FuzzUnderstand(f *testing.F) {
	for _, s := range []string{"disk full?", "크롬 깔아줘", "rm -rf /", "매일 9시에 디스크", "x\n\n<data a>\nerror\n</data a>", "run `ls`", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := Understand(s, Context{})
		if p.Kind == KindCall && len(p.Steps) == 0 {
			t.Fatalf("a call without steps: %q", s)
		}
		for _, step := range p.Steps {
			if command, ok := step.Input["command"].(string); ok && destructiveCommand(command) {
				t.Fatalf("destructive command planned: %q", s)
			}
		}
	})
}
