package safety

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestU8WhatIsTypedOnOneLineIsShownOnOneLine: the executed print has the layout of the typed text.
func TestU8WhatIsTypedOnOneLineIsShownOnOneLine(t *testing.T) {
	c := testChecker()
	for _, command := range []string{
		"for i in 1 2; do echo $i; done", "for i in 1 2; do touch $i; done", "if true; then touch x; else touch y; fi", "while read -r x; do echo $x; done </etc/fstab",
		"touch a && touch b || touch c; touch d", "{ touch x; touch y; }", "(cd /tmp && ls)", "case a in a) touch x ;; esac", "f() { touch x; }; f", "ls | head -n 3", "bash -c 'touch x'",
	} {
		v := c.Judge(command)
		require.Equal(t, command, v.Source)
		require.Equal(t, v.Source, c.Judge(v.Source).Source)
		require.Equal(t, v.Class, c.Judge(v.Source).Class)
	}
	background := c.Judge("for i in 1 2; do (touch x) & done; wait").Source
	require.NotEmpty(t, background)
	require.Equal(t, background, c.Judge(background).Source)
	require.Equal(t, "touch x\ntouch y", c.Judge("touch x\ntouch y").Source, "several lines stay several")
}
