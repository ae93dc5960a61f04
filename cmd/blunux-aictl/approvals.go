package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/confirm"
)

func (a *app) approvals() *cobra.Command {
	list := func(use string) *cobra.Command {
		return newListCommand(a, use, i18n.CmdApprovals, i18n.NoApprovals, "approvals", func(ask ipc.Ask) string {
			row := fmt.Sprintf("%s  %s  %-8s %s", ask.Code, ask.Expires.Local().Format("01-02 15:04"), ask.Channel, briefCommand(ask, a.lang))
			return strings.Join(append([]string{row}, ask.ForeseenLines()...), "\n      ")
		})
	}
	cmd := list("approvals")
	cmd.AddCommand(list("list"), a.grants())
	return cmd
}

// allGrants is the value of --revoke that names every grant.
const allGrants = "all"

// grants returns the command that lists what is allowed for conversations, and revokes it.
func (a *app) grants() *cobra.Command {
	var revoke string
	cmd := a.jsonCommand("grants", i18n.CmdGrants, manual.NoArgs, func(in invocation) error {
		if in.Flags().Changed("revoke") {
			return a.revokeGrants(in, strings.TrimSpace(revoke))
		}
		list := []ipc.Grant{}
		if err := a.query(in.Context(), ipc.Query{What: "grants"}, &list); err != nil {
			return err
		}
		if in.json {
			return printJSON(a.out, list)
		}
		if len(list) == 0 {
			fmt.Fprintln(os.Stderr, i18n.NoGrants.In(a.lang))
		}
		for _, g := range list {
			fmt.Fprintf(a.out, "%s  %s  %s  %s\n", g.Code, g.Since.Local().Format("01-02 15:04"), visible(ipc.SessionName(g.Session)), grantLine(g, a.lang))
		}
		return nil
	})
	cmd.Flags().StringVar(&revoke, "revoke", "", i18n.FlagRevoke.In(a.lang))
	return cmd
}

// grantLine returns what a grant covers, in one line.
func grantLine(g ipc.Grant, lang i18n.Lang) string {
	if g.Family != nil {
		return "A: " + ipc.VisibleLine(confirm.FamilyLine(*g.Family, lang))
	}
	return "a: " + ipc.VisibleLine(g.Command)
}

func (a *app) revokeGrants(in invocation, code string) error {
	change := ipc.Revocation{Code: code}
	if strings.EqualFold(code, allGrants) {
		change = ipc.Revocation{All: true}
	}
	reply, err := a.request(in.Context(), ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionRevokeGrant}.WithData(change))
	if err != nil {
		return err
	}
	var ended ipc.Revoked
	if err := reply.Decode(&ended); err != nil {
		return err
	}
	if in.json {
		return printJSON(a.out, ended)
	}
	fmt.Fprintln(a.out, i18n.GrantsRevoked(ended.Revoked).In(a.lang))
	return nil
}

// briefCommand returns the command of an ask in one line: of a plan the first one.
func briefCommand(ask ipc.Ask, lang i18n.Lang) string {
	if steps := ask.Steps(); len(steps) > 1 {
		return i18n.PlanBrief(firstLine(ipc.Visible(steps[0].Command)), len(steps)).In(lang)
	}
	return firstLine(visible(ask.Command))
}

// atTerminal is the value of --edit without a command.
const atTerminal = "\x00"

func (a *app) approve() *cobra.Command {
	var edit string
	var grant bool
	cmd := a.jsonCommand("approve CODE", i18n.CmdApprove, manual.OneArg, func(in invocation) error {
		ask, err := a.pendingAsk(in.Context(), in.args[0])
		if err != nil {
			return err
		}
		action, answer := ipc.ActionAllowOnce, ipc.Answer{Code: in.args[0], Digest: ask.Digest}
		switch {
		case in.Flags().Changed("edit") && grant:
			return a.newUsageError(i18n.MistakeBoth("--edit", "--session"))
		case in.Flags().Changed("edit"):
			action = ipc.ActionEdit
			if answer.Command, err = a.editedCommand(in.Context(), edit); err != nil {
				return err
			}
		case grant:
			action = ipc.ActionAllowSession
		}
		return a.sendAnswer(in.Context(), action, answer, in.json)
	})
	cmd.Flags().StringVar(&edit, "edit", "", i18n.FlagEdit.In(a.lang))
	cmd.Flags().Lookup("edit").NoOptDefVal = atTerminal
	cmd.Flags().BoolVar(&grant, "session", false, i18n.FlagGrant.In(a.lang))
	return cmd
}

func (a *app) deny() *cobra.Command {
	return a.jsonCommand("deny CODE", i18n.CmdDeny, manual.OneArg, func(in invocation) error {
		ask, err := a.pendingAsk(in.Context(), in.args[0])
		if err != nil {
			return err
		}
		return a.sendAnswer(in.Context(), ipc.ActionReject, ipc.Answer{Code: in.args[0], Digest: ask.Digest}, in.json)
	})
}

func (a *app) sendAnswer(ctx context.Context, action string, answer ipc.Answer, asJSON bool) error {
	reply, err := a.request(ctx, ipc.Message{Type: ipc.TypeAction, Action: action}.WithData(answer))
	if err != nil {
		return err
	}
	failed := failedStep(reply)
	if asJSON {
		return errors.Join(a.printAnswer(reply, failed), failed)
	}
	fmt.Fprintln(a.out, clean(reply.Body))
	return failed
}

// printAnswer prints the result of an answer in the format of ask --json.
func (a *app) printAnswer(reply ipc.Message, failed error) error {
	doc := document{Version: 1, Answer: reply.Body}
	if err := reply.Decode(&doc.Outcome); err != nil {
		return err
	}
	doc.Steps = append([]ipc.Step{}, doc.Outcome.Steps...)
	var exit quietExit
	if errors.As(failed, &exit) {
		doc.Exit = int(exit)
	}
	return printJSON(a.out, doc)
}

// pendingAsk prints the command that a code belongs to, so that a wrong code is noticed. For an unknown code it
// returns no error, because the daemon reports that.
func (a *app) pendingAsk(ctx context.Context, code string) (ipc.Ask, error) {
	var asks []ipc.Ask
	if err := a.query(ctx, ipc.Query{What: "approvals"}, &asks); err != nil {
		return ipc.Ask{}, err
	}
	for _, ask := range asks {
		if strings.EqualFold(ask.Code, strings.TrimSpace(code)) {
			fmt.Fprintln(os.Stderr, strings.Join(a.askRows(ask), "\n"))
			return ask, nil
		}
	}
	return ipc.Ask{}, nil
}

// askRows returns the command of an ask, or the steps of its plan.
func (a *app) askRows(ask ipc.Ask) (rows []string) {
	steps := ask.Steps()
	if len(steps) == 0 {
		return []string{ipc.Visible(ask.Command)}
	}
	for _, r := range confirm.PlanRows(steps, max(term.Columns(os.Stderr), confirm.UsualColumns), a.lang) {
		rows = append(rows, r.Text)
	}
	return rows
}

// editedCommand returns the replacement for a command: the value of --edit, or a line typed at the terminal.
func (a *app) editedCommand(ctx context.Context, edit string) (string, error) {
	if edit != atTerminal {
		return edit, nil
	}
	p := confirm.OpenPrompt()
	if p == nil {
		return "", a.newUsageError(i18n.EditNowhere)
	}
	defer p.Close()
	text, err := p.AskLine(ctx, i18n.AskEdit.In(a.lang))
	if err != nil {
		return "", err
	}
	if text = strings.TrimSpace(text); text == "" {
		fmt.Fprintln(os.Stderr, i18n.EditUnchanged.In(a.lang))
		return "", quietExit(exitDenied)
	}
	return text, nil
}

// failedStep returns an exit status if the approved command, or what the model did after it, failed or waits.
func failedStep(reply ipc.Message) error {
	var out ipc.Outcome
	if err := reply.Decode(&out); err != nil {
		return err
	}
	if code := outcomeExit(out); code != 0 {
		return quietExit(code)
	}
	return nil
}

// confirmer shows confirmations one after the other while other frames arrive. An answer given elsewhere ends the
// confirmation, and an answer given here applies only to the one shown.
type confirmer struct {
	d    *display
	last chan struct{} // closed when the latest confirmation has ended

	mu   sync.Mutex
	open map[string]context.CancelCauseFunc // ends a confirmation; by the ask's id
	sent map[string]string                  // the ask's id by the action's id
	n    int
}

func newConfirmer(d *display) *confirmer {
	none := make(chan struct{})
	close(none)
	return &confirmer{d: d, last: none, open: map[string]context.CancelCauseFunc{}, sent: map[string]string{}}
}

// answeredBy is the error that ends a confirmation answered elsewhere.
type answeredBy string

func (by answeredBy) Error() string { return "answered by " + string(by) }

// add shows an ask after those before it.
func (k *confirmer) add(ctx context.Context, f ipc.Message) error {
	var ask ipc.Ask
	if err := f.Decode(&ask); err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	k.mu.Lock()
	k.open[f.ID] = end
	k.mu.Unlock()
	before, over := k.last, make(chan struct{})
	k.last = over
	go func() {
		defer close(over)
		defer end(nil)
		<-before
		if ctx.Err() == nil {
			k.show(ctx, f, ask)
		}
	}()
	return nil
}

// show asks and sends the answer. If ctx ends it sends nothing: the request was cancelled, or the ask was
// answered elsewhere.
func (k *confirmer) show(ctx context.Context, f ipc.Message, ask ipc.Ask) {
	w := k.d.prompt
	columns, rows := k.d.prompt.Size()
	place := confirm.Terminal{Columns: columns, Rows: rows, Lang: k.d.lang, Root: k.d.root, Color: k.d.color, Host: k.d.host}
	action, command, err := place.Notice(f.Body, ask).Decide(ctx, w, k.d.prompt.AskLine)
	var by answeredBy
	switch {
	case errors.As(err, &by) && by == "timeout":
		fmt.Fprintf(w, "\n%s\n", i18n.AskExpired.In(k.d.lang))
	case errors.As(err, &by):
		fmt.Fprintf(w, "\n%s\n", i18n.AnsweredAlready(clean(i18n.ChannelName(string(by), k.d.lang))).In(k.d.lang))
	case ctx.Err() != nil:
		fmt.Fprintln(w)
	default:
		k.send(f.ID, action, ipc.Answer{Digest: ask.Digest, Command: command})
	}
}

// send answers an ask that is still open. The reader notices a broken connection.
func (k *confirmer) send(ask, action string, data ipc.Answer) {
	k.mu.Lock()
	_, open := k.open[ask]
	delete(k.open, ask)
	k.n++
	id := "k" + strconv.Itoa(k.n)
	k.sent[id] = ask
	k.mu.Unlock()
	if open {
		_ = k.d.client.Conn.Write(ipc.Message{Type: ipc.TypeAction, ID: id, Re: ask, Action: action}.WithData(data))
	}
}

// resolve ends the confirmation of an ask that was answered elsewhere.
func (k *confirmer) resolve(f ipc.Message) error {
	var r ipc.Resolved
	if err := f.Decode(&r); err != nil {
		return err
	}
	k.mu.Lock()
	end, open := k.open[f.ID]
	delete(k.open, f.ID)
	k.mu.Unlock()
	if open {
		end(answeredBy(r.By))
	}
	return nil
}

// handleReply handles the frame that ends one of our actions and reports whether f was such a frame. If the
// daemon rejected the answer, it prints why. If the ask is still open, it also sends a rejection, because the
// user will not be asked again here.
func (k *confirmer) handleReply(f ipc.Message) bool {
	k.mu.Lock()
	ask, ours := k.sent[f.Re]
	delete(k.sent, f.Re)
	k.mu.Unlock()
	if ours && f.Error != nil {
		k.d.printError(f.Error)
		if f.Error.Code != ipc.CodeExpired {
			_ = k.d.client.Conn.Write(ipc.Message{Type: ipc.TypeAction, Re: ask, Action: ipc.ActionReject})
		}
	}
	return ours
}

// hasOpen reports whether a confirmation is open. Only the goroutine that calls put may call it.
func (k *confirmer) hasOpen() bool {
	select {
	case <-k.last:
		return false
	default:
		return true
	}
}

// close ends open confirmations, waits for their output, and shows the frames held back meanwhile.
func (k *confirmer) close() {
	k.mu.Lock()
	for id, end := range k.open {
		end(context.Canceled)
		delete(k.open, id)
	}
	k.mu.Unlock()
	<-k.last
	_ = k.d.release() // d.out keeps its own error
}
