package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

func (a *app) sessionsExport() *cobra.Command {
	var format, file string
	cmd := &cobra.Command{
		Use: "export KEY", Short: i18n.CmdSessionsExport.In(a.lang), Args: manual.OneArg,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if format != "md" && format != "jsonl" {
				return a.newUsageError(i18n.MistakeChoice("--format", format, "md, jsonl"))
			}
			c, err := a.connect(cmd.Context(), ipc.Hello{})
			if err != nil {
				return err
			}
			defer c.Close()
			from := &sessionReader{ctx: cmd.Context(), c: c, name: args[0]}
			if err := from.fill(); err != nil { // before an empty file is created
				return err
			}
			var to io.Writer = a.out
			if file != "" {
				f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
				if err != nil {
					return errors.New(i18n.CannotWrite(file, err).In(a.lang))
				}
				defer func() { err = errors.Join(err, f.Sync(), f.Close()) }()
				to = f
			}
			if format == "jsonl" {
				_, err = io.Copy(to, from)
				return err
			}
			return a.markdown(to, from)
		},
	}
	cmd.Flags().StringVar(&format, "format", "md", i18n.FlagFormat.In(a.lang))
	cmd.Flags().StringVarP(&file, "output", "o", "", i18n.FlagOutput.In(a.lang))
	return cmd
}

// sessionReader reads a conversation's file from the daemon in pieces, up to its length at the first request.
type sessionReader struct {
	ctx    context.Context
	c      *ipc.Client
	name   string
	key    string
	offset int64
	size   int64
	data   []byte
	end    bool
}

// Read implements [io.Reader].
func (r *sessionReader) Read(p []byte) (int, error) {
	if len(r.data) == 0 && !r.end {
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	if len(r.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.data)
	r.data = r.data[n:]
	return n, nil
}

// fill requests the next piece.
func (r *sessionReader) fill() error {
	var piece struct {
		Key  string `json:"key"`
		Size int64  `json:"size"`
		Data []byte `json:"data"`
	}
	reply, err := r.c.Do(r.ctx, ipc.Message{Type: ipc.TypeQuery}.WithData(ipc.Query{What: "export", Session: r.name, Offset: r.offset}), nil)
	switch {
	case err != nil:
		return err
	case reply.Error != nil:
		return reply.Error
	}
	if err := reply.Decode(&piece); err != nil {
		return err
	}
	if r.key == "" {
		r.key, r.name, r.size = piece.Key, piece.Key, piece.Size
	}
	r.data = piece.Data[:max(min(int64(len(piece.Data)), r.size-r.offset), 0)]
	r.offset += int64(len(r.data))
	r.end = len(r.data) == 0 || r.offset >= r.size
	return nil
}

// exportedEntry is a line of a conversation's file.
type exportedEntry struct {
	ipc.SessionEntry
	Message *struct {
		Content []exportedBlock `json:"content"`
	} `json:"message"`
}

type exportedBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Content string          `json:"content"`
	Output  *struct {
		Steps []exportedStep `json:"steps"`
	} `json:"output"`
}

type exportedStep struct {
	Command  string `json:"command"`
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
	Exit     int    `json:"exit"`
	Missing  string `json:"missing"`
	Limit    int    `json:"limit"`
	TimedOut bool   `json:"timed_out"`
	Unknown  bool   `json:"unknown"`
}

// result returns how the step ended.
func (s exportedStep) result(lang i18n.Lang) string {
	e := i18n.CommandResult{Exit: s.Exit, Program: s.Missing, Limit: s.Limit}
	switch {
	case s.Missing != "":
		e.Code = "missing"
	case s.TimedOut:
		e.Code = "timeout"
	case s.Unknown:
		e.Code = "unknown"
	}
	return i18n.CommandEnd(lang, e)
}

// markdown writes a conversation as Markdown. A note at the end counts lines that could not be read.
func (a *app) markdown(w io.Writer, from *sessionReader) error {
	fmt.Fprintf(w, "# %s\n", ipc.VisibleProse(ipc.SessionName(from.key)))
	var h ipc.SessionHealth
	bad := 0 // number of an unreadable line, unless the next line marks it as torn
	lines := bufio.NewReader(from)
	for no := 1; ; no++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if line := bytes.TrimSpace(line); len(line) > 0 {
			var e exportedEntry
			unreadable := json.Unmarshal(line, &e) != nil || e.Type == ""
			if bad > 0 && e.Type != "torn" {
				h.Damaged, h.DamagedLines = h.Damaged+1, append(h.DamagedLines, bad)
			}
			if bad = 0; unreadable {
				bad = no
			} else if err := a.writeEntry(w, e); err != nil {
				return err
			}
		}
		if err != nil {
			break
		}
	}
	if h.Damaged > 0 {
		_, err := fmt.Fprintf(w, "\n---\n\n%s\n", damageText(h, a.lang))
		return err
	}
	return nil
}

func (a *app) writeEntry(w io.Writer, e exportedEntry) error {
	if e.Type == "torn" {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s · %s%s\n", speaker(e.Type, a.lang), formatClock(e.Timestamp), callNote(e.Metadata, a.lang))
	if e.Message == nil || e.Type == "error" {
		fmt.Fprintf(&b, "\n%s\n", clean(e.Content))
	} else {
		for _, block := range e.Message.Content {
			block.write(&b, a.lang)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (k exportedBlock) write(b *strings.Builder, lang i18n.Lang) {
	switch {
	case k.Type == "text":
		fmt.Fprintf(b, "\n%s\n", clean(k.Text))
	case k.Type == "tool_use":
		writeFenced(b, visible(k.Name)+" "+string(k.Input))
	case k.Type == "tool_result" && (k.Output == nil || len(k.Output.Steps) == 0):
		writeFenced(b, k.Content)
	case k.Type == "tool_result":
		for _, s := range k.Output.Steps {
			writeFenced(b, fmt.Sprintf("$ %s\n%s%s[%s]", s.Command, s.Stdout, s.Stderr, s.result(lang)))
		}
	}
}

// writeFenced writes text as a code block that nothing in it can end.
func writeFenced(b *strings.Builder, text string) {
	text = strings.TrimRight(clean(text), "\n")
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "\n%s\n%s\n%s\n", fence, text, fence)
}
