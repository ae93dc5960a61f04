package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// attachment is text sent with a question as data: a file, or standard input if the name is empty.
type attachment struct {
	name string
	text input
}

// readFiles reads the files given with a question. Of long files it keeps the beginning and the end.
func (a *app) readFiles(ctx context.Context, names []string) ([]attachment, error) {
	var given []attachment
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, a.fileError(name, err)
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
			return nil, a.fileError(name, err)
		}
		given = append(given, attachment{name, text})
	}
	return given, nil
}

// fileError returns the error for a file that cannot be read. The question is then not sent.
func (a *app) fileError(name string, err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.CannotRead(name, err).In(a.lang), Hint: i18n.LookAtFile(quoteName(name)).In(a.lang)}
}

// quoteName quotes a name for a shell.
func quoteName(name string) string {
	if name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+", r))
	}) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// joinAttachments joins the texts sent with a question, each below its name. They share budget, in bytes on the wire.
func joinAttachments(given []attachment, budget int, lang i18n.Lang) string {
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

// latestSession returns the name of this channel's conversation that changed last, or "" (a new one) if there
// is none.
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
