package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/wire"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/logfile"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/internal/tail"
	"github.com/nidoit/blunux-ai/internal/watch"
	"github.com/nidoit/blunux-ai/ipc"
)

// maxLogLines limits how many of the last lines are shown.
const maxLogLines = 100_000

// exitCancelled is the exit status after Ctrl-C.
const exitCancelled = 130

type logsOptions struct {
	lines            int
	follow, json     bool
	commands, daemon bool
}

// newLogs returns the command that shows the log files. It works without a daemon and with a broken configuration.
func newLogs() *cobra.Command {
	var o logsOptions
	cmd := &cobra.Command{
		Use:  "logs [-f] [-n N]",
		Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.commands && o.daemon:
				return newUsageError(i18n.MistakeBoth("--commands", "--daemon"))
			case o.lines < 0 || o.lines > maxLogLines || o.lines == 0 && !o.follow:
				return newUsageError(i18n.MistakeLineCount(o.lines, maxLogLines))
			}
			if o.commands {
				fmt.Fprintln(cmd.ErrOrStderr(), i18n.MistakeElsewhere("blunux-aictl log").In(commandLineLang()))
			}
			return o.run(cmd)
		},
	}
	cmd.Flags().BoolVarP(&o.follow, "follow", "f", false, "")
	cmd.Flags().IntVarP(&o.lines, "lines", "n", 50, "")
	cmd.Flags().BoolVar(&o.daemon, "daemon", false, "")
	cmd.Flags().BoolVar(&o.commands, "commands", false, "")
	for _, spare := range []string{"daemon", "commands"} {
		_ = cmd.Flags().MarkHidden(spare) // the default, and blunux-aictl log
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "")
	return cmd
}

func (o logsOptions) files(p config.Paths) tail.Files {
	if o.commands {
		return tail.SingleFile(p.CommandLog())
	}
	return tail.Files{Dir: p.Logs(), Match: logfile.IsLogName}
}

func (o logsOptions) run(cmd *cobra.Command) error {
	paths, err := config.FindPaths(os.Getenv)
	if err != nil {
		return err
	}
	files := o.files(paths)
	if o.follow {
		return o.printFollowed(cmd.Context(), files, cmd.OutOrStdout())
	}
	lines, err := files.Last(o.lines, nil)
	if err != nil {
		return err
	}
	if len(lines) == 0 && !o.json {
		distribution, _ := cmd.Flags().GetString("blunux-config")
		fmt.Fprintln(cmd.ErrOrStderr(), i18n.LogsNothing.In(configuredLang(langOf(cmd), wire.NewSource(paths, distribution))))
	}
	for _, line := range lines {
		if err := o.show(cmd.OutOrStdout(), line); err != nil {
			return err
		}
	}
	return nil
}

type loggedLine struct {
	Log  string `json:"log"` // daemon or commands
	Line string `json:"line"`
}

func (o logsOptions) show(w io.Writer, line string) error {
	if !o.json {
		_, err := fmt.Fprintln(w, ipc.Clean(line))
		return err
	}
	l := loggedLine{"daemon", line}
	if o.commands {
		l.Log = "commands"
	}
	return writeJSON(w, l)
}

// printFollowed shows the last lines and then new ones until ctx ends. It starts watching before it finds the end of
// the log, so that no line is missed.
func (o logsOptions) printFollowed(ctx context.Context, files tail.Files, w io.Writer) error {
	watcher, err := watch.New(nil, watch.Dir{Path: files.Dir, Match: files.Match, Appends: true})
	if err != nil {
		return i18n.CannotFollow(err).WithCause(err)
	}
	defer watcher.Close()
	from, err := files.PositionBefore(o.lines)
	if err != nil {
		return err
	}
	reader := files.From(from)
	defer reader.Close()
	for {
		for ctx.Err() == nil {
			line, ok, err := reader.Next()
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			if err := o.show(w, line.Text); err != nil {
				return err
			}
		}
		select {
		case <-watcher.Changes():
		case <-ctx.Done():
			return exitError(exitCancelled)
		}
	}
}
