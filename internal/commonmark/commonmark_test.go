package commonmark_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark/ast"

	"github.com/nidoit/blunux-ai/internal/commonmark"
)

// outline returns the kinds of a document's nodes below its blocks, in order.
func outline(markdown string) string {
	root, _ := commonmark.Parse(markdown)
	var kinds []string
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && n.Kind() != ast.KindDocument {
			kinds = append(kinds, n.Kind().String())
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(kinds, " ")
}

func TestWhatModelsWriteIsParsed(t *testing.T) {
	for markdown, want := range map[string]string{
		"**41%**만":            "Paragraph Emphasis Text Text",
		"그는**\"네\"**라고":       "Paragraph Text Emphasis Text Text",
		"값*(수*율)":             "Paragraph Text Text Text",
		"~~x~~":               "Paragraph Strikethrough Text",
		"- [x] a":             "List ListItem TextBlock TaskCheckBox Text",
		"|a|\n|-|\n|b|":       "Table TableHeader TableCell Text TableRow TableCell Text",
		"&#27; <b>\n\n<div>x": "Paragraph Text RawHTML HTMLBlock",
	} {
		require.Equal(t, want, outline(markdown), markdown)
	}
}

func TestTextIsTheSource(t *testing.T) {
	for markdown, want := range map[string]string{
		"# **a** `b`\nc &amp; \\* <i>d</i> <http://e>": "a b\nc &amp; \\* <i>d</i> http://e",
		"```go\nx\n\ty\n```":                           "x\n\ty",
		"    z\n":                                      "z",
		"<!-- a\nb -->\n\n> - c":                       "<!-- a\nb -->\n\nc",
	} {
		root, source := commonmark.Parse(markdown)
		require.Equal(t, want, commonmark.Text(root, source), markdown)
	}
}
