package packaging

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// attribute is what the linker appends to the name of a symbol, such as <UsedInIface>.
var attribute = regexp.MustCompile(` <\w+>`)

// keptFrom returns the symbols that lead to the first one that looks up methods by a name known only at run time, or nil if
// no symbol does. dump is what the linker prints with -dumpdep: "symbol -> symbol that it reaches first" in each line.
func keptFrom(dump string) []string {
	const mark = "<ReflectMethod>"
	from, looksUp := map[string]string{}, ""
	for line := range strings.Lines(dump) {
		a, b, ok := strings.Cut(strings.TrimSpace(line), " -> ")
		if !ok {
			continue
		}
		for _, symbol := range []string{a, b} {
			if looksUp == "" && strings.Contains(symbol, mark) {
				looksUp = attribute.ReplaceAllString(symbol, "")
			}
		}
		a, b = attribute.ReplaceAllString(a, ""), attribute.ReplaceAllString(b, "")
		if _, known := from[b]; !known {
			from[b] = a
		}
	}
	if looksUp == "" {
		return nil
	}
	chain := []string{looksUp}
	for from[chain[0]] != "" && !slices.Contains(chain, from[chain[0]]) {
		chain = slices.Insert(chain, 0, from[chain[0]])
	}
	return chain
}

func TestTheChainToALookUpIsFound(t *testing.T) {
	require.Nil(t, keptFrom("main.main -> fmt.Println\nfmt.Println -> type:int <UsedInIface>\n"))
	require.Equal(t, []string{"_", "main.main", "a.b", "text/template.eval"}, keptFrom(
		"# x/cmd/y\n_ -> main.main\nmain.main -> a.b <UsedInIface>\na.b <UsedInIface> -> text/template.eval <ReflectMethod>\n"+
			"text/template.eval <ReflectMethod> -> a.b <UsedInIface>\n"))
}

// TestNoProgramKeepsEveryMethod: a program that looks up methods by a name known only at run time, as text/template does,
// keeps every exported method of every type. That made the daemon 6 MB, the chat and the WhatsApp bridge 5 MB larger.
func TestNoProgramKeepsEveryMethod(t *testing.T) {
	t.Parallel()
	for _, module := range []string{"..", "../bridge/whatsapp"} {
		programs, err := filepath.Glob(filepath.Join(module, "cmd/*"))
		require.NoError(t, err)
		require.NotEmpty(t, programs)
		for _, program := range programs {
			t.Run(filepath.Base(program), func(t *testing.T) {
				cmd := exec.Command("go", "build", "-C", module, "-mod=readonly", "-ldflags=-dumpdep", "-o", os.DevNull, "./cmd/"+filepath.Base(program))
				cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
				var dump bytes.Buffer
				cmd.Stdout, cmd.Stderr = &dump, &dump
				err := cmd.Run()
				require.NoError(t, err, "%s", dump.Bytes()[:min(dump.Len(), 2000)])
				require.Contains(t, dump.String(), "main.main -> ", "the linker prints what it keeps")
				require.Empty(t, keptFrom(dump.String()), "these symbols look up methods by name; a constant name keeps the methods of that name in all types")
			})
		}
	}
}
