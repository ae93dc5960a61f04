package main

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/ui/setup"
)

// completionTime limits how long a shell waits for the daemon after Tab.
const completionTime = 300 * time.Millisecond

// complete registers completions for names of notes and the values of flags. Missing commands and flags are skipped.
func complete(root *cobra.Command) {
	for _, path := range []string{"memory show", "memory edit"} {
		if cmd, rest, err := root.Find(strings.Fields(path)); err == nil && len(rest) == 0 {
			cmd.ValidArgsFunction = noteFiles
		}
	}
	for _, f := range []struct {
		path, flag string
		values     cobra.CompletionFunc
	}{
		{"", "lang", fixed("ko", "en", "zh", "zh-Hant")},
		{"chat", "session", chatNames},
		{"setup", "provider", fixed(setup.Providers()...)},
		{"setup", "claude-mode", fixed("api", "oauth")},
		{"setup", "language", fixed("auto", "ko", "en", "zh", "zh-Hant")},
		{"setup", "automations", fixed("on", "off")},
	} {
		if cmd, rest, err := root.Find(strings.Fields(f.path)); err == nil && len(rest) == 0 {
			_ = cmd.RegisterFlagCompletionFunc(f.flag, f.values)
		}
	}
}

// noteFiles completes the name of a file of notes, with its path.
func noteFiles(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	paths, err := config.FindPaths(os.Getenv)
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	files, _ := memory.New(paths.Memory(), memory.Options{}).Files(cmd.Context())
	for _, f := range files {
		names = append(names, ipc.VisibleLine(f.Name)+"\t"+ipc.VisibleLine(f.Path))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func fixed(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// chatNames completes the terminal's conversations, which a running daemon lists. On errors and timeouts it
// returns no completions.
func chatNames(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	d := ipc.NewDialer()
	d.NoStart = true
	c, err := ipc.Connect(ctx, d, ipc.Hello{Client: "blunux-ai/" + buildVersion(), Channel: "tui"})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer c.Close()
	var rows []namedChat
	reply, err := c.Do(ctx, ipc.Message{Type: ipc.TypeQuery}.WithData(ipc.Query{What: "sessions", Limit: 50, Page: 1}), nil)
	if err == nil && reply.Error == nil {
		_ = reply.Decode(&rows)
	}
	return chatCompletions(rows), cobra.ShellCompDirectiveNoFileComp
}

// namedChat is a conversation in the daemon's list.
type namedChat struct {
	Key   string `json:"key"`
	Title string `json:"title"`
}

// chatCompletions returns the names of the terminal's conversations, each with its title after a tab. Names
// that the list shortens are left out.
func chatCompletions(rows []namedChat) []string {
	var names []string
	for _, r := range rows {
		if _, name, ok := strings.Cut(r.Key, ":session:tui/"); ok && name != "" && !strings.HasSuffix(name, "…") {
			title := ipc.VisibleLine(strings.Join(strings.Fields(r.Title), " "))
			names = append(names, ipc.VisibleLine(name)+"\t"+displaywidth.TruncateString(title, 60, "…"))
		}
	}
	return names
}
