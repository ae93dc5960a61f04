package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/memory"
)

func (m *memoryCommand) show() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:  "show [FILE]",
		Args: manual.AtMostOneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			return m.with(cmd, func(ctx context.Context, n notebook) error {
				files := n.FilesWithProblems(ctx, n.lang)
				if len(args) > 0 {
					var err error
					if files, err = n.selectFile(files, args[0]); err != nil {
						return err
					}
				}
				if asJSON {
					return writeJSON(n.out, files)
				}
				return n.print(files)
			})
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

// isNamed reports whether word names the file, with or without daily/ and .md.
func isNamed(file, word string) bool {
	short := func(name string) string {
		return strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(name), "daily/"), ".md")
	}
	return short(file) == short(word)
}

// selectFile returns the one file with the given name.
func (n notebook) selectFile(files []memory.File, name string) ([]memory.File, error) {
	var names []string
	for _, f := range files {
		if isNamed(f.Name, name) {
			return []memory.File{f}, nil
		}
		names = append(names, f.Name)
	}
	return nil, manual.NewUsageError(i18n.MemoryNoFile(name, strings.Join(names, ", ")).In(n.lang))
}

// print prints files one after the other. For a file that cannot be read it prints the reason and returns an
// exit status.
func (n notebook) print(files []memory.File) error {
	if len(files) == 0 {
		fmt.Fprintln(n.errs, i18n.MemoryEmpty.In(n.lang))
	}
	for i, f := range files {
		if i > 0 {
			fmt.Fprintln(n.out)
		}
		fmt.Fprintf(n.out, "── %s ──\n", f.Name)
		if f.Problem != "" {
			fmt.Fprintln(n.out, f.Problem)
			continue
		}
		if f.Cut {
			fmt.Fprintln(n.out, i18n.MemoryCut(f.Path).In(n.lang))
		}
		if f.Text != "" {
			fmt.Fprintln(n.out, strings.TrimSuffix(ipc.Clean(f.Text), "\n"))
		}
	}
	if slices.ContainsFunc(files, func(f memory.File) bool { return f.Problem != "" }) {
		return exitError(1)
	}
	return nil
}

func (m *memoryCommand) count() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "count", Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return m.with(cmd, func(ctx context.Context, n notebook) error {
				counted, err := n.CountWithProblems(ctx, n.lang)
				switch {
				case err != nil:
					return err
				case asJSON:
					return writeJSON(n.out, counted)
				}
				return n.printCount(counted)
			})
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

// printCount prints how many notes there are. For files that cannot be counted it prints the reason and returns
// an exit status.
func (n notebook) printCount(counted memory.NoteCounts) error {
	fmt.Fprintln(n.out, i18n.MemoryCount(counted.Notes).In(n.lang))
	for _, c := range counted.Categories {
		fmt.Fprintf(n.out, "%6d  %s\n", c.Notes, ipc.VisibleLine(string(c.Category)))
	}
	for _, p := range counted.Problems {
		fmt.Fprintln(n.errs, p)
	}
	if len(counted.Problems) > 0 {
		return exitError(1)
	}
	return nil
}

func (m *memoryCommand) search() *cobra.Command {
	var q memory.Query
	var categories []string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "search WORDS...", Args: atLeastOneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if q.Limit < 1 || q.Limit > 200 {
				return newUsageError(i18n.MistakeBetween("--limit", 1, 200))
			}
			return m.with(cmd, func(ctx context.Context, n notebook) error {
				q.Words = joinArgs(args)
				hits, err := n.Search(ctx, q, categories)
				if err != nil {
					return err
				}
				if asJSON {
					return writeJSON(n.out, map[string]any{"hits": hits})
				}
				if len(hits) == 0 {
					fmt.Fprintln(n.errs, i18n.MemoryNoHits.In(n.lang))
				}
				for _, h := range hits {
					fmt.Fprintln(n.out, hitLine(h))
				}
				return nil
			})
		},
	}
	cmd.Flags().IntVar(&q.Limit, "limit", 10, "")
	cmd.Flags().StringSliceVar(&categories, "category", nil, "")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// hitLine formats a search hit on one line: time, file, text.
func hitLine(h memory.Hit) string {
	place := h.Source
	if h.Line > 0 {
		place = fmt.Sprintf("%s:%d", h.Source, h.Line)
	}
	return fmt.Sprintf("%s  %s  %s", h.Updated.Local().Format("2006-01-02"), ipc.VisibleLine(place), ipc.Clean(strings.Join(strings.Fields(h.Text), " ")))
}
