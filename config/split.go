package config

import (
	"bytes"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Split separates a file that contains both settings and automations: [[automation]], [[automations]] and their
// subtables are rules, everything else is settings. Each result keeps its line numbers; lines of the other are
// empty. After a syntax error, the type of the preceding line applies.
func Split(text []byte) (settings, rules []byte) {
	var p unstable.Parser
	p.Reset(text)
	lines := bytes.SplitAfter(text, []byte("\n"))
	isRule := make([]bool, len(lines)+1)
	lists := map[string]bool{}
	for p.NextExpression() {
		n := p.Expression()
		if n.Kind != unstable.Table && n.Kind != unstable.ArrayTable {
			continue
		}
		it := n.Key()
		it.Next()
		name := string(it.Node().Data)
		if n.Kind == unstable.ArrayTable && (name == "automation" || name == "automations") && it.IsLast() {
			lists[name] = true
		}
		from := p.Shape(n.Child().Raw).Start.Line - 1
		for i := from; i < len(isRule); i++ {
			isRule[i] = lists[name]
		}
	}
	for i, line := range lines {
		if isRule[i] {
			settings, rules = append(settings, lineEnd(line)...), append(rules, line...)
		} else {
			settings, rules = append(settings, line...), append(rules, lineEnd(line)...)
		}
	}
	return settings, rules
}

func lineEnd(line []byte) []byte {
	if bytes.HasSuffix(line, []byte("\n")) {
		return []byte("\n")
	}
	return nil
}
