package chrome

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/nidoit/blunux-ai/tools/browser"
)

// cdpEmpty are the parameters of a command without any.
type cdpEmpty = cdp.Empty

// element is an element of the page that a reference names.
type element struct {
	node       cdp.BackendNodeID
	frame      cdp.FrameID
	role, name string
}

// usable are the roles of elements that get a reference (WAI-ARIA 1.2, section 5.3.2).
var usable = strings.Fields(`button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio searchbox
	slider spinbutton switch tab textbox treeitem DisclosureTriangle`)

// snapshot returns the page as assistive technology reads it, and records its references.
func (w *window) snapshot(ctx context.Context) (text string, cut bool, err error) {
	var o outline
	err = w.read(ctx, func(tab context.Context) error {
		o = outline{refs: map[string]element{}}
		tree, err := chromedp.Call(tab, page.GetFrameTree, cdpEmpty{})
		if err != nil {
			return err
		}
		return o.addFrame(tab, tree.FrameTree, 0)
	})
	w.refs = o.refs
	return o.text.String(), o.cut, err
}

// outline is the text of a page.
type outline struct {
	text strings.Builder
	cut  bool
	refs map[string]element
	// pending is a line of text that may go on, and depth its own.
	pending strings.Builder
	depth   int
}

// maxFrames bounds the frames of a page that are read.
const maxFrames = 20

// addFrame adds a frame and those in it. A frame of another site is in another process; only its address is said.
func (o *outline) addFrame(ctx context.Context, tree *page.FrameTree, number int) error {
	if tree == nil || tree.Frame == nil || number > maxFrames {
		return nil
	}
	got, err := chromedp.Call(ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{FrameID: tree.Frame.ID})
	switch {
	case err != nil && number == 0:
		return err
	case err != nil:
		o.line(0, "frame of "+tree.Frame.URL+" (not read)")
		return nil
	case number > 0:
		o.line(0, "frame of "+tree.Frame.URL+":")
	}
	o.addTree(got.Nodes, tree.Frame.ID)
	for _, child := range tree.ChildFrames {
		number++
		if err := o.addFrame(ctx, child, number); err != nil {
			return err
		}
	}
	return nil
}

// addTree adds the nodes of a frame.
func (o *outline) addTree(nodes []*accessibility.Node, frame cdp.FrameID) {
	byID := make(map[accessibility.NodeID]*accessibility.Node, len(nodes))
	for _, n := range nodes {
		byID[n.NodeID] = n
	}
	for _, n := range nodes {
		if byID[n.ParentID] == nil {
			o.addNode(byID, n, frame, 0)
		}
	}
	o.endText()
}

// maxDepth bounds the depth of a page.
const maxDepth = 200

// addNode adds a node and what is below it.
func (o *outline) addNode(byID map[accessibility.NodeID]*accessibility.Node, n *accessibility.Node, frame cdp.FrameID, depth int) {
	if n == nil || depth > maxDepth || o.cut {
		return
	}
	role, name := valueText(n.Role), oneLine(valueText(n.Name))
	if role == "StaticText" {
		o.addText(depth, valueText(n.Name))
		return
	}
	if !n.Ignored && !slices.Contains(inline, role) {
		o.endText()
		defer o.endText()
	}
	below := depth
	named := "" // the name that the text below would repeat
	if line, shown := o.describe(n, role, name, frame); shown {
		o.line(depth, line)
		below++
		named = name
		if slices.Contains(fields, role) {
			return // its text is its value
		}
	}
	for _, id := range n.ChildIDs {
		child := byID[id]
		if child == nil || valueText(child.Role) == "InlineTextBox" {
			continue
		}
		if named != "" && valueText(child.Role) == "StaticText" && oneLine(valueText(child.Name)) == named {
			continue
		}
		o.addNode(byID, child, frame, below)
	}
}

// describe returns the line of a node, and whether it has one.
func (o *outline) describe(n *accessibility.Node, role, name string, frame cdp.FrameID) (string, bool) {
	switch {
	case n.Ignored || role == "" || role == "none" || role == "RootWebArea" || role == "InlineTextBox" || slices.Contains(inline, role):
		return "", false
	}
	line := role
	if name != "" {
		line += " " + quote(name)
	}
	for _, p := range n.Properties {
		if text := propertyText(p); text != "" {
			line += " " + text
		}
	}
	if value := oneLine(valueText(n.Value)); strings.Trim(value, "•") == "" && value != "" {
		line += ` = "•••"` // a password, without its length
	} else if value != "" && role != "link" {
		line += " = " + quote(value)
	}
	if slices.Contains(usable, role) && n.BackendDOMNodeID != 0 {
		ref := fmt.Sprintf("e%d", len(o.refs)+1)
		o.refs[ref] = element{n.BackendDOMNodeID, frame, role, name}
		line += " [" + ref + "]"
	} else if name == "" && len(n.Properties) == 0 {
		return "", false
	}
	return line, name != "" || slices.Contains(usable, role) || slices.Contains(structure, role)
}

// structure are the roles that say something without a name.
var structure = strings.Fields("alert alertdialog article cell columnheader dialog form heading list listitem main navigation row rowheader search table img image")

// fields are the roles whose text is their value, and inline those within a line of text.
var (
	fields = strings.Fields("textbox searchbox spinbutton")
	inline = strings.Fields("generic strong emphasis code mark superscript subscript insertion deletion time abbr LineBreak")
)

// addText adds a piece of a line of text.
func (o *outline) addText(depth int, text string) {
	if o.pending.Len() == 0 {
		o.depth = depth
	}
	o.pending.WriteString(text)
}

// endText writes the line of text that is complete.
func (o *outline) endText() {
	text := oneLine(o.pending.String())
	o.pending.Reset()
	if text != "" {
		o.line(o.depth, text)
	}
}

// propertyText returns a property that matters for using the page.
func propertyText(p *accessibility.Property) string {
	if p == nil || p.Value == nil {
		return ""
	}
	value := valueText(p.Value)
	switch p.Name {
	case "level":
		return "level " + value
	case "checked", "expanded", "pressed", "selected":
		return string(p.Name) + " " + value
	case "disabled", "required", "readonly":
		if value == "true" {
			return string(p.Name)
		}
	}
	return ""
}

// line adds a line, unless the text is long enough.
func (o *outline) line(depth int, text string) {
	if o.text.Len()+len(text) > browser.MaxText {
		o.cut = true
		return
	}
	o.text.WriteString(strings.Repeat("  ", min(depth, 12)))
	o.text.WriteString(text)
	o.text.WriteByte('\n')
}

// valueText returns a value as text.
func valueText(v *accessibility.Value) string {
	if v == nil || len(v.Value) == 0 {
		return ""
	}
	var text string
	if json.Unmarshal(v.Value, &text) == nil {
		return text
	}
	return string(v.Value)
}

// maxName bounds a name in a snapshot, in bytes.
const maxName = 2000

// oneLine returns a text of a page on one line, without characters that are not seen.
func oneLine(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	text = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs) {
			return -1
		}
		return r
	}, text)
	if len(text) > maxName {
		text = strings.ToValidUTF8(text[:maxName], "") + "…"
	}
	return text
}

func quote(text string) string { return `"` + strings.ReplaceAll(text, `"`, "'") + `"` }
