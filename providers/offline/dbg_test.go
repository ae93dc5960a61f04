package offline

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestDbg(t *testing.T) {
	for _, s := range strings.Split(os.Getenv("Q"), "|||") {
		r := shared().read(newUtterance(s))
		fmt.Println(s, r.has, spacedLatinOrFlat(r.u), r.coverage(), r.acts)
		p := Understand(s)
		fmt.Println("  =>", p.Steps, p.Why())
	}
}
