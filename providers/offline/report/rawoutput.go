package report

import (
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// The limits of "show more": a screenful or two, in whole lines.
const (
	moreLines      = 60  // of one command
	moreLinesInAll = 150 // of all commands together
)

// RawOutput shows the raw output of a case's commands.
func (c Case) RawOutput() string {
	left := moreLinesInAll
	var blocks []string
	for _, res := range c.Results {
		if res.Output == nil {
			continue
		}
		for _, s := range res.Output.Steps {
			text := strings.TrimRight(s.Stdout, "\n")
			if strings.TrimSpace(text) == "" {
				text = s.Stderr
			}
			if n := len(machine.Lines(text)); n > 0 && left > 0 {
				shown := min(moreLines, left)
				blocks = append(blocks, joinBlocks(i18n.HelperRawoutputMoreOf(s.Command).In(c.Lang), quote(excerpt(text, shown))))
				left -= min(n, shown)
			}
		}
	}
	if len(blocks) == 0 {
		return i18n.HelperRawoutputMoreNothing.In(c.Lang)
	}
	return paragraphs(blocks...)
}
