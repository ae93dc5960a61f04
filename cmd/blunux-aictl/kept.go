package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/errand"
	"github.com/nidoit/blunux-ai/ipc"
)

// keptOutput returns what the last command printed, if the terminal keeps that: a recorded shell (`blunux-ai shell
// record`) or tmux. It returns "" otherwise.
func keptOutput(ctx context.Context, command string) string {
	text := ""
	if file := os.Getenv("BLUNUX_AI_TYPESCRIPT"); file != "" {
		text = recordedOutput(file)
	} else if pane := os.Getenv("TMUX_PANE"); os.Getenv("TMUX") != "" && pane != "" {
		text = shownOutput(paneText(ctx, pane), command)
	}
	if len(text) > maxOutput {
		text = text[len(text)-maxOutput:]
	}
	return strings.ToValidUTF8(text, "")
}

// maxTypescript bounds what is read of a recorded shell, in bytes, from its end.
const maxTypescript = 1 << 20

// Marks of a shell around a command's output: OSC 133 (the semantic prompts of FinalTerm), C before it and D after it.
const outputBegins, outputEnds = "\x1b]133;C\a", "\x1b]133;D"

// recordedOutput reads the output of the last command that has ended from the file of script(1).
func recordedOutput(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	} else if size := info.Size(); size > maxTypescript {
		if _, err := f.Seek(size-maxTypescript, io.SeekStart); err != nil {
			return ""
		}
	}
	all, err := io.ReadAll(io.LimitReader(f, maxTypescript))
	if err != nil {
		return ""
	}
	end := bytes.LastIndex(all, []byte(outputEnds))
	if end < 0 {
		return ""
	}
	all = all[:end]
	if begin := bytes.LastIndex(all, []byte(outputBegins)); begin >= 0 {
		all = all[begin+len(outputBegins):]
	}
	return withoutEscapes(string(all))
}

// escapes are control sequences of a terminal: ECMA-48, section 5.4 (CSI) and OSC; ECMA-35, section 13.2 (character sets).
var escapes = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\a\x1b]*(?:\a|\x1b\\\\)|\x1b[ -/]+[0-~]|\x1b[@-_]")

func withoutEscapes(text string) string {
	text = strings.ReplaceAll(escapes.ReplaceAllString(text, ""), "\r\n", "\n")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && ipc.Unprintable(r) {
			return -1
		}
		return r
	}, text))
}

// paneTime bounds how long tmux is waited for.
const paneTime = 2 * time.Second

// paneText returns the last lines of a pane of tmux, with wrapped ones joined: tmux(1), capture-pane.
func paneText(ctx context.Context, pane string) string {
	ctx, cancel := context.WithTimeout(ctx, paneTime)
	defer cancel()
	out, err := errand.Read(ctx, "tmux", "capture-pane", "-p", "-J", "-S", "-500", "-t", pane)
	if err != nil {
		return ""
	}
	return string(out)
}

// shownOutput returns what is between the line on which a command was typed and the last line, on which why was.
func shownOutput(pane, command string) string {
	first, _, _ := strings.Cut(command, "\n")
	lines := strings.Split(strings.TrimRight(pane, "\n "), "\n")
	for i := len(lines) - 2; i >= 0; i-- {
		if strings.HasSuffix(strings.TrimRight(lines[i], " "), strings.TrimSpace(first)) {
			return strings.TrimSpace(strings.Join(lines[i+1:len(lines)-1], "\n"))
		}
	}
	return ""
}
