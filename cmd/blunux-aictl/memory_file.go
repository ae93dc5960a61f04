package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

// memoryFiles is the daemon's answer about the files of notes.
type memoryFiles struct {
	Files     []memoryFile `json:"files"`
	Clearable struct {
		Days  int `json:"days"`
		Notes int `json:"notes"`
	} `json:"clearable"`
}

// memoryFile is a file of notes. Text is empty unless it was requested.
type memoryFile struct {
	Name     string    `json:"name"`
	Path     string    `json:"path"`
	Size     int64     `json:"size"` // bytes
	Modified time.Time `json:"modified,omitzero"`
	Text     string    `json:"text"`
	Cut      bool      `json:"cut,omitempty"` // Text is only the end of the file
	Problem  string    `json:"problem,omitempty"`
}

func (a *app) memoryShow() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "show [FILE]", Short: i18n.CmdMemoryShow.In(a.lang), Args: manual.AtMostOneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := a.readMemory(cmd.Context(), args)
			switch {
			case err != nil:
				return err
			case asJSON:
				return printJSON(a.out, files)
			}
			return a.printMemory(files)
		},
	}
	a.jsonFlag(cmd, &asJSON)
	return cmd
}

// readMemory reads all files, or the named one.
func (a *app) readMemory(ctx context.Context, only []string) ([]memoryFile, error) {
	c, err := a.connect(ctx, ipc.Hello{})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var all memoryFiles
	if err := askDaemon(ctx, c, ipc.Query{What: "memory"}, &all); err != nil {
		return nil, err
	}
	files := all.Files
	if len(only) > 0 {
		files = slices.DeleteFunc(slices.Clone(files), func(f memoryFile) bool {
			return shortName(f.Name) != shortName(only[0])
		})
	}
	if len(only) > 0 && len(files) == 0 {
		names := make([]string, len(all.Files))
		for i, f := range all.Files {
			names[i] = f.Name
		}
		return nil, a.newUsageError(i18n.MemoryNoFile(only[0], strings.Join(names, ", ")))
	}
	for i, f := range files {
		if f.Problem == "" {
			if err := askDaemon(ctx, c, ipc.Query{What: "memory", Text: f.Name}, &files[i]); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// shortName returns a file's name without daily/ and .md.
func shortName(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(name), "daily/"), ".md")
}

// askDaemon makes a query over an existing connection.
func askDaemon(ctx context.Context, c *ipc.Client, q ipc.Query, v any) error {
	reply, err := c.Do(ctx, ipc.Message{Type: ipc.TypeQuery}.WithData(q), nil)
	switch {
	case err != nil:
		return err
	case reply.Error != nil:
		return reply.Error
	}
	return reply.Decode(v)
}

// printMemory prints files one after the other. For a file that cannot be read it prints the reason and returns
// an exit status.
func (a *app) printMemory(files []memoryFile) error {
	if len(files) == 0 {
		fmt.Fprintln(os.Stderr, i18n.MemoryEmpty.In(a.lang))
	}
	var failed error
	for i, f := range files {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		fmt.Fprintf(a.out, "── %s ──\n", visible(f.Name))
		switch {
		case f.Problem != "":
			fmt.Fprintln(a.out, clean(f.Problem))
			failed = quietExit(exitFailure)
		case f.Text != "":
			if f.Cut {
				fmt.Fprintln(a.out, i18n.MemoryCut(visible(f.Path)).In(a.lang))
			}
			fmt.Fprintln(a.out, strings.TrimSuffix(clean(f.Text), "\n"))
		}
	}
	return failed
}

func (a *app) memoryExport() *cobra.Command {
	return &cobra.Command{
		Use: "export [FILE]", Short: i18n.CmdMemoryExport.In(a.lang), Args: manual.AtMostOneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := a.exportMemory(cmd.Context())
			switch {
			case err != nil:
				return err
			case len(args) == 0 || args[0] == "-":
				_, err = a.out.Write(all)
				return err
			}
			f, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return errors.New(i18n.CannotWrite(args[0], err).In(a.lang))
			}
			_, err = f.Write(all)
			return errors.Join(err, f.Sync(), f.Close())
		},
	}
}

// exportTries limits how often an export restarts because the notes changed meanwhile.
const exportTries = 5

// exportMemory reads an export from the daemon in pieces.
func (a *app) exportMemory(ctx context.Context) ([]byte, error) {
	c, err := a.connect(ctx, ipc.Hello{})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	for range exportTries {
		all, whole, err := readExport(ctx, c)
		if err != nil || whole {
			return all, err
		}
	}
	return nil, errors.New(i18n.NotesChange.In(a.lang))
}

// readExport reads an export once. whole is false if the notes changed meanwhile.
func readExport(ctx context.Context, c *ipc.Client) (all []byte, whole bool, err error) {
	digest := ""
	for {
		var piece struct {
			Size   int64  `json:"size"`
			Digest string `json:"digest"`
			Data   []byte `json:"data"`
		}
		if err := askDaemon(ctx, c, ipc.Query{What: "memory-export", Offset: int64(len(all))}, &piece); err != nil {
			return nil, false, err
		}
		if digest != "" && piece.Digest != digest {
			return nil, false, nil
		}
		digest, all = piece.Digest, append(all, piece.Data...)
		if int64(len(all)) >= piece.Size || len(piece.Data) == 0 {
			return all, true, nil
		}
	}
}

// maxImport limits the text sent to the daemon in one message, in bytes.
const maxImport = 512 << 10

func (a *app) memoryImport() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "import FILE", Short: i18n.CmdMemoryImport.In(a.lang), Args: manual.OneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			var from io.Reader = os.Stdin
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return errors.New(i18n.CannotRead(args[0], err).In(a.lang))
				}
				defer f.Close()
				from = f
			}
			data, err := io.ReadAll(io.LimitReader(ipc.Interruptible(cmd.Context(), from), maxImport+1))
			if cmd.Context().Err() != nil {
				return cmd.Context().Err()
			}
			if err != nil {
				return errors.New(i18n.CannotRead(args[0], err).In(a.lang))
			}
			if len(data) > maxImport {
				return a.newUsageError(i18n.MistakeTooLarge(maxImport>>10, args[0]))
			}
			return a.noteAction(cmd, ipc.ActionImportMemory, ipc.Note{Text: string(data)}, asJSON)
		},
	}
	a.jsonFlag(cmd, &asJSON)
	return cmd
}
