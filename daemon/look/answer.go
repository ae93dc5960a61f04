package look

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// The limits of an answer for a search field. Longer words are a text that was pasted.
const (
	maxWords   = 300 // bytes
	maxRounds  = 6
	answerTime = 5 * time.Second
)

// searchable are the tools that answer a search field: they read this computer in a moment and get no text of files. Other
// tools need a conversation.
var searchable = []string{
	"check_disk", "check_memory", "check_processes", "check_network", "check_service", "check_hardware", "check_boot", "system_info",
	"package_info", "read_logs", "diagnose", "recent_changes", "list_automations", "explain",
}

// slow are the tools without which a question is still answered: they read every folder of a disk, or old conversations.
var slow = []string{"find_large", "recall"}

// Answer answers the words of a search field with the built-in helper, without a conversation and without a model. It returns
// one of the kinds of [ipc.QuickAnswer] and, if it is [ipc.QuickRead], the text. Only SAFE commands run, through the gate.
// No one is asked.
func Answer(ctx context.Context, rt *settings.Runtime, words string, from tools.Origin, session string, lang i18n.Lang) (kind, text string, err error) {
	if len(words) > maxWords || rt.Helper == nil || rt.CheckEnabled() != nil {
		return "", "", nil
	}
	kind = kindOf(rt.Helper.Gist(words))
	if kind != ipc.QuickRead {
		return kind, "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	a := answer{rt: rt, words: words, from: from, session: session, lang: lang}
	text, err = a.loop(ctx)
	switch {
	case errors.Is(err, errNeedsPerson):
		return ipc.QuickConfirm, "", nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded), err == nil && text == "":
		return ipc.QuickOpen, "", nil
	}
	return kind, text, err
}

// kindOf returns how a request for some tools is answered.
func kindOf(names []string) string {
	switch {
	case len(names) == 0:
		return ""
	case !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(searchable, name) }):
		return ipc.QuickRead
	case !slices.ContainsFunc(names, func(name string) bool { return name == "desktop" || !tools.OnlyReads(name) }):
		return ipc.QuickOpen
	}
	return ipc.QuickConfirm // a wish of the desktop reads first and then changes something
}

// errNeedsPerson reports a step that is not SAFE.
var errNeedsPerson = errors.New("a step needs a confirmation")

// answer is the state of one answer.
type answer struct {
	rt       *settings.Runtime
	words    string
	from     tools.Origin
	session  string
	lang     i18n.Lang
	messages []providers.Message
}

// loop asks the helper and runs its calls until it answers.
func (a *answer) loop(ctx context.Context) (string, error) {
	defs := slices.DeleteFunc(a.rt.Gate.Definitions(), func(d providers.ToolDefinition) bool { return slices.Contains(slow, d.Name) })
	a.messages = []providers.Message{providers.UserText(a.words)}
	for range maxRounds {
		c, err := a.rt.Helper.Complete(ctx, providers.Request{Messages: a.messages, Tools: defs, Lang: string(a.lang)}, nil)
		if err != nil {
			return "", err
		}
		uses := c.ToolUses()
		if len(uses) == 0 {
			return a.rt.Redact(c.Text()), nil
		}
		results := make([]providers.Block, len(uses))
		for i, use := range uses {
			if results[i], err = a.run(ctx, use); err != nil {
				return "", err
			}
		}
		a.messages = append(a.messages, providers.Message{Role: providers.RoleAssistant, Content: c.Content},
			providers.Message{Role: providers.RoleUser, Content: results})
	}
	return "", nil
}

// run runs a call if it only reads.
func (a *answer) run(ctx context.Context, use providers.Block) (providers.Block, error) {
	call := tools.Call{ID: use.ID, Name: use.Name, Input: use.Input, Words: a.words, Lang: a.lang}
	j, refused := a.rt.Gate.Prepare(call, a.session, a.rt.Config.Home)
	out := tools.Outcome{}
	switch {
	case refused != nil:
		out = *refused
	case j.Class != safety.Safe || !j.IsReadOnly():
		return providers.Block{}, fmt.Errorf("%w: %s", errNeedsPerson, use.Name)
	default:
		j.Origin = a.from
		out = a.rt.Gate.Run(ctx, j, nil, nil)
	}
	if err := ctx.Err(); err != nil {
		return providers.Block{}, err
	}
	return providers.Block{
		Type: providers.BlockToolResult, ToolUseID: use.ID, Name: use.Name, Content: out.Text, IsError: out.IsError, Output: &out.Output,
	}, nil
}
