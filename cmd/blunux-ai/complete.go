package main

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/ui/setup"
)

// completionTime limits how long a shell waits for the daemon after Tab.
const completionTime = 300 * time.Millisecond

// complete registers completions for names of notes and the values of flags.
func complete(root *cobra.Command) {
	notes := map[string]cobra.CompletionFunc{"memory show": noteFiles, "memory edit": noteFiles}
	manual.Complete(root, notes, map[string]cobra.CompletionFunc{
		"--lang":              manual.Fixed("ko", "en", "zh", "zh-Hant"),
		"chat --session":      chatNames,
		"setup --provider":    manual.Fixed(setup.Providers()...),
		"setup --claude-mode": manual.Fixed("api", "oauth"),
		"setup --language":    manual.Fixed("auto", "ko", "en", "zh", "zh-Hant"),
		"setup --automations": manual.Fixed("on", "off"),
		"setup --for":         manual.Fixed(hosts()...),
	})
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
	var rows []ipc.SessionRow
	_ = c.Query(ctx, ipc.Query{What: "sessions", Limit: 50, Page: 1}, &rows) // no completions after an error
	return chatCompletions(rows), cobra.ShellCompDirectiveNoFileComp
}

// chatCompletions returns the names of the terminal's conversations, each with its title after a tab. Names
// that the list shortens are left out.
func chatCompletions(rows []ipc.SessionRow) []string {
	var names []string
	for _, r := range rows {
		if _, name, ok := strings.Cut(r.Key, ":session:tui/"); ok && name != "" && !strings.HasSuffix(name, "…") {
			title := ipc.VisibleLine(strings.Join(strings.Fields(r.Title), " "))
			names = append(names, ipc.VisibleLine(name)+"\t"+displaywidth.TruncateString(title, 60, "…"))
		}
	}
	return names
}
