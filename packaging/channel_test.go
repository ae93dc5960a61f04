package packaging

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/channel"
)

// parts are the packages: blunux-ai, and a bridge for each messenger that has one.
func parts() []string {
	all := []string{"blunux-ai"}
	for _, c := range channel.WithBridge() {
		all = append(all, c.Program)
	}
	return all
}

// targets are the targets of make that install the parts.
func targets() []string {
	var all []string
	for _, p := range parts() {
		all = append(all, "install-"+strings.TrimPrefix(p, "blunux-"))
	}
	return all
}

// TestEveryMessengerIsPackaged compares what packages, units and the installer list with the table of channels.
func TestEveryMessengerIsPackaged(t *testing.T) {
	read := func(file string) string { return string(mustRead(t, file)) }
	pkgbuild, makefile, script := read("../PKGBUILD"), read("../Makefile"), read("card/install-ai-agent.sh")
	require.Contains(t, pkgbuild, "\npkgname=("+strings.Join(parts(), " ")+")\n")
	var c card
	require.NoError(t, json.Unmarshal(mustRead(t, "card/ai-agent.card.json"), &c))
	require.Len(t, c.Optional, len(channel.WithBridge()))
	var sockets []string
	for i, ch := range channel.WithBridge() {
		require.Equal(t, ch.Program+".service", ch.Unit, "make installs this unit")
		require.Regexp(t, `(?m)^BRIDGES *:=.* `+ch.Program+`( |$)`, makefile)
		require.Contains(t, pkgbuild, "\npackage_"+ch.Program+"() {\n  pkgdesc=\"Ask your desktop from "+ch.Title+": bridge to blunux-ai\"")
		require.Contains(t, pkgbuild, "'"+ch.Program+": the assistant on "+ch.Title+"'")
		require.Contains(t, pkgbuild, "make "+targets()[i+1]+" BUILT=1")
		upgraded, err := filepath.Match("blunux-*-bridge.service", ch.Unit)
		require.NoError(t, err)
		require.True(t, upgraded, "blunux-ai.install does not restart %s", ch.Unit)

		unit := read("../systemd/" + ch.Unit)
		require.Contains(t, unit, "bridge to "+ch.Title+"\n")
		require.Contains(t, unit, "\nConditionPathExists=%E/blunux-ai/"+ch.Name+"/"+ch.Login+"\n")
		require.Contains(t, unit, "\nExecStart=/usr/bin/"+ch.Program+"\n")
		require.Contains(t, unit, "\nBindPaths=%E/blunux-ai/"+ch.Name+" %t/blunux-ai-bridges/"+ch.Name+"\n")
		sockets = append(sockets, "ListenStream=%t/blunux-ai-bridges/"+ch.Name+"/socket")

		optional := c.Optional[i]
		require.Equal(t, ch.Name, optional.ID)
		require.Equal(t, []string{ch.Program}, optional.Packages)
		require.Equal(t, []string{"./install-ai-agent.sh", "--bridge", ch.Name}, optional.Install)
		require.Contains(t, script, "\t--bridge="+ch.Name+") bridges+=("+ch.Program+") ;;\n")
		require.Contains(t, script, ch.Title+": "+ch.Program+" login\\n")
		require.Equal(t, 3, strings.Count(read("desktop/org.blunux.ai.metainfo.xml"), ch.Title), "a line in each language")
	}
	require.Contains(t, read("../systemd/blunux-ai-bridges.socket"), strings.Join(sockets, "\n"))
	require.Contains(t, read("../blunux-ai.install"), "'blunux-*-bridge.service'")
	require.Contains(t, script, "for name in "+strings.Join(parts()[1:], " ")+" blunux-ai; do")
}
