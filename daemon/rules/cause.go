package rules

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/automation/check"
	"github.com/nidoit/blunux-ai/daemon/look"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/tools"
)

const (
	maxCauses = 2                // causes in a message
	causeTime = 10 * time.Second // for all of them
)

// problemOf returns what to look into after a finding, by its key.
func problemOf(f check.Finding) (p look.Problem, ok bool) {
	kind, object, _ := strings.Cut(f.Key, ":")
	switch kind {
	case "disk", "inodes":
		return look.Problem{Topic: "full", Object: object}, true
	case "failed_units":
		_, unit, _ := strings.Cut(object, ":")
		return look.Problem{Topic: "unit", Object: unit}, true
	case "memory":
		return look.Problem{Topic: "memory"}, true
	case "temperature":
		return look.Problem{Topic: "heat"}, true
	case "network":
		return look.Problem{Topic: "internet"}, true
	}
	return p, false
}

// causes returns the proved causes of findings in words, with the command that repairs each. What cannot be diagnosed has none.
func (a *Automations) causes(ctx context.Context, rt *settings.Runtime, rule automation.Rule, run automation.Run, news []check.Finding) string {
	ctx, cancel := context.WithTimeout(ctx, causeTime)
	defer cancel()
	from := tools.Origin{Task: taskOf(run), Channel: post.AutomationChannel, Automation: run.Rule}
	var asked []look.Problem
	var lines []string
	for _, f := range news {
		p, ok := problemOf(f)
		if !ok || slices.Contains(asked, p) || len(asked) == maxCauses {
			continue
		}
		asked = append(asked, p)
		lines = append(lines, a.cause(ctx, rt, p, from, post.KeyOf(post.AutomationChannel, sessionOf(rule)), a.langOf(rule))...)
	}
	if len(lines) == 0 {
		return ""
	}
	return "\n\n" + strings.Join(lines, "\n")
}

func (a *Automations) cause(ctx context.Context, rt *settings.Runtime, p look.Problem, from tools.Origin, session string, lang i18n.Lang) (lines []string) {
	r, err := look.Diagnose(ctx, rt, p, from, session, lang)
	var refused *look.RefusedError
	switch {
	case errors.As(err, &refused): // such as a mount point with spaces
		return nil
	case err != nil:
		a.log.Warn().Err(err).Str("topic", p.Topic).Msg("cannot diagnose a finding")
		return nil
	case len(r.Causes) == 0 || !r.Causes[0].Certain:
		return nil
	}
	lines = append(lines, i18n.CheckCause(r.Causes[0].Says).In(lang))
	if r.Causes[0].Repair != nil {
		lines = append(lines, i18n.CheckRepair(strings.TrimSpace("blunux-aictl diagnose --repair "+p.Topic+" "+p.Object)).In(lang))
	}
	return lines
}
