package memory

import (
	"path"
	"regexp"
	"strings"
	"time"
)

// place is a block with its position in the file's structure.
type place struct {
	block
	heading  string
	category Category
	day      string // YYYY-MM-DD, of daily notes
}

var (
	dayName  = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	dayStart = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}\b`)
)

// locateBlocks determines for every block its headings, category and day.
func locateBlocks(file string, lines []string, blocks []block) []place {
	var (
		out    []place
		trail  [7]string // headings by level; 0 is a table's header
		parent []block   // items that contain the current one
		daily  = path.Dir(file) == "daily"
		base   = place{category: Core}
	)
	if daily {
		base.category = Daily
		if name := strings.TrimSuffix(path.Base(file), ".md"); dayName.MatchString(name) {
			base.day = name
		}
	}
	now := base
	for _, b := range blocks {
		if b.kind == heading {
			b.text = truncate(plainText(b.text), maxHeading)
			if b.level > 0 {
				clear(trail[b.level:])
			}
			trail[0] = ""
			trail[b.level], parent = b.text, nil
			if b.level == 1 || b.level == 2 {
				now = placeBelow(base, file, b)
			}
		}
		switch b.kind {
		case item:
			trail[0] = ""
			for len(parent) > 0 && parent[len(parent)-1].indent >= b.indent {
				parent = parent[:len(parent)-1]
			}
		case paragraph, fence:
			trail[0], parent = "", nil
		}
		p := now
		p.block, p.heading = b, headingPath(trail, parent, lines)
		out = append(out, p)
		if b.kind == item {
			parent = append(parent, b)
		}
	}
	return out
}

// placeBelow returns the place of blocks below a heading of level 1 or 2: in MEMORY.md the second level names the
// category, in a daily file a day.
func placeBelow(base place, file string, b block) place {
	p := base
	switch {
	case b.level == 2 && file == "MEMORY.md":
		if c := Slug(b.text); c != "" {
			p.category = Category(c)
		}
	case p.category == Daily && dayStart.MatchString(b.text):
		p.day = b.text[:len(time.DateOnly)]
	}
	return p
}

// headingPath returns the headings above a block, the outermost first, then the items around it, then the header of
// its table.
func headingPath(trail [7]string, parent []block, lines []string) string {
	var all []string
	for _, h := range trail[1:] {
		if h != "" {
			all = append(all, h)
		}
	}
	for _, p := range parent {
		all = append(all, truncate(plainText(strings.TrimRight(firstText(lines, p), ":： ")), maxHeading/2))
	}
	if trail[0] != "" {
		all = append(all, trail[0])
	}
	return truncate(strings.Join(all, " / "), 2*maxHeading)
}
