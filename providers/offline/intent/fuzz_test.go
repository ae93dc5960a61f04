package intent

import (
	"testing"
	"testing/fstest"
)

func FuzzUnderstand(f *testing.F) {
	for _, s := range []string{"disk full?", "크롬 깔아줘", "rm -rf /", "매일 9시에 디스크", "x\n\n<data a>\nerror\n</data a>", "run `ls`", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := shared().Understand(s, Context{})
		if p.Kind == KindCall && len(p.Steps) == 0 {
			t.Fatalf("a call without steps: %q", s)
		}
		for _, step := range p.Steps {
			if command, ok := step.Input["command"].(string); ok && isDestructive(command) {
				t.Fatalf("destructive command planned: %q", s)
			}
		}
	})
}

func FuzzOwnFiles(f *testing.F) {
	f.Add("foo\t-\tapp\t푸\n", "disk\tx, y\n", "hi\tcheck_disk\t\n")
	f.Add("\t\t\t", "\ufeff#", "a\tfind_large\tpath=~/x;;")
	f.Fuzz(func(t *testing.T, names, concepts, phrases string) {
		l := emptyLexicon()
		l.addConcept([]string{"disk", "disk, 디스크"})
		l.addUserFiles(fstest.MapFS{"names.tsv": {Data: []byte(names)}, "concepts.tsv": {Data: []byte(concepts)}, "phrases.tsv": {Data: []byte(phrases)}})
		l.sort()
		l.read(newUtterance("disk " + names))
	})
}
