package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// attachment is a text that goes with a question as data: a file's, or with no
// name what was piped in.
type attachment struct {
	name string
	text input
}

// readFiles reads the files a person gave with a question; of long ones the
// beginning and the end.
func (a *app) readFiles(ctx context.Context, names []string) ([]attachment, error) {
	var given []attachment
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, a.unreadable(name, err)
		}
		text, err := readInput(ctx, f, nil)
		f.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var failed inputError
		if errors.As(err, &failed) {
			err = failed.error
		}
		if err != nil {
			return nil, a.unreadable(name, err)
		}
		given = append(given, attachment{name, text})
	}
	return given, nil
}

// unreadable tells that a file that was to go along cannot: nothing is asked.
func (a *app) unreadable(name string, err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.CannotRead.In(a.lang, name, err), Hint: i18n.LookAtFile.In(a.lang, quoted(name))}
}

// quoted is a name as a shell takes it.
func quoted(name string) string {
	if name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+", r))
	}) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// attached is what goes with a question, each text below its name, within budget
// bytes on the wire, which they share.
func attached(given []attachment, budget int, lang i18n.Lang) string {
	var texts []string
	for i, at := range given {
		if at.text.size() == 0 && at.name == "" {
			continue
		}
		head := ""
		if at.name != "" {
			head = "=== " + visible(at.name) + " ===\n"
		}
		share := budget / (len(given) - i)
		text := head + at.text.text(share-ipc.WireSize([]byte(head))-2, lang)
		texts, budget = append(texts, text), budget-ipc.WireSize([]byte(text))
	}
	return strings.Join(texts, "\n")
}

// latestSession is the name of this program's conversation that was changed last;
// "" where there is none, which is a new one.
func latestSession(ctx context.Context, c *ipc.Client) (string, error) {
	var rows []sessionRow
	if err := askDaemon(ctx, c, ipc.Query{What: "sessions", Limit: 100, Page: 1}, &rows); err != nil {
		return "", err
	}
	for _, r := range rows {
		if name, ok := ownSession(r.Key); ok {
			return name, nil
		}
	}
	return "", nil
}
