package serve

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/nidoit/blunux-ai/daemon/look"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/explain"
)

// looks returns what a request that looks at the machine and changes nothing needs. key is its conversation in the command log.
func (c *peerConn) looks(name string) (rt *settings.Runtime, from tools.Origin, key string, lang i18n.Lang, err error) {
	rt, err = c.s.settings.CurrentRuntime()
	channel := c.visibleChannel()
	return rt, tools.Origin{Channel: channel}, post.KeyOf(channel, name), c.language(), err
}

// lookError returns the error of a look for the client, which says in words why the gate refused it.
func lookError(err error, text func(reason string) i18n.Text, hint i18n.Text) error {
	if refused, ok := errors.AsType[*look.RefusedError](err); ok {
		return settings.BadQuery{Text: text(refused.Text), Hint: hint}
	}
	return err
}

// queryDiagnose looks for the causes of a problem, or of all that need no object.
func (c *peerConn) queryDiagnose(ctx context.Context, q ipc.Query) (any, error) {
	rt, from, key, lang, err := c.looks("diagnose")
	if err != nil {
		return nil, err
	}
	p := ipc.Problem{Topic: diagnose.Everything}
	if q.Problem != nil {
		p = *q.Problem
	}
	r, err := look.Diagnose(ctx, rt, look.Problem{Topic: p.Topic, Object: p.Object}, from, key, lang)
	if err != nil {
		return nil, lookError(err, i18n.ErrNotDiagnosed, i18n.ErrNotDiagnosedHint)
	}
	return diagnosisOf(r, lang)
}

func diagnosisOf(r diagnose.Report, lang i18n.Lang) (d ipc.Diagnosis, err error) {
	d = ipc.Diagnosis{
		Topic: r.Topic, Object: r.Object, Text: r.Text(lang, true), Found: len(r.Causes) > 0,
		Repairable: len(r.Causes) > 0 && r.Causes[0].Repair != nil,
	}
	d.Report, err = json.Marshal(r)
	return d, err
}

// queryWhy says why a command of a shell failed.
func (c *peerConn) queryWhy(ctx context.Context, q ipc.Query) (any, error) {
	rt, from, key, lang, err := c.looks("why")
	switch {
	case err != nil:
		return nil, err
	case q.Failure == nil || q.Failure.Command == "":
		return nil, settings.BadQuery{Text: i18n.WhyNoCommand}
	}
	r := explain.Failure(*q.Failure).Read()
	why := ipc.Why{Program: r.Program, Model: rt.Agent.Model().Name() != "offline"}
	why.Text = r.Text(lang) + "\n" + i18n.WhyNothing.In(lang)
	if r.Topic == "" {
		return why, nil
	}
	found, err := look.Diagnose(ctx, rt, look.Problem{Topic: r.Topic, Object: r.Object, Text: r.Line}, from, key, lang)
	if refused, ok := errors.AsType[*look.RefusedError](err); ok && refused != nil { // its words are no object of a look
		return why, nil
	}
	if err != nil {
		return nil, err
	}
	d, err := diagnosisOf(found, lang)
	d.Text = r.Text(lang) + "\n\n" + d.Text
	why.Diagnosis = d
	return why, err
}

// queryAnswer answers the words of a search field, without a conversation and without a model.
func (c *peerConn) queryAnswer(ctx context.Context, q ipc.Query) (any, error) {
	rt, from, key, lang, err := c.looks("answer")
	if err != nil {
		return nil, err
	}
	if l, ok := i18n.Detect(q.Text); ok {
		lang = l
	}
	kind, text, err := look.Answer(ctx, rt, q.Text, from, key, lang)
	return ipc.QuickAnswer{Kind: kind, Text: text, Lang: string(lang)}, err
}

// queryPacnew looks at the configuration files that pacman left.
func (c *peerConn) queryPacnew(ctx context.Context, q ipc.Query) (any, error) {
	rt, from, key, lang, err := c.looks("pacnew")
	if err != nil {
		return nil, err
	}
	var left look.LeftFile
	if q.Left != nil {
		left = look.LeftFile{File: q.Left.File, Choice: q.Left.Choice}
	}
	r, err := look.Pacnew(ctx, rt, left, from, key, lang)
	if err != nil {
		return nil, lookError(err, i18n.ErrNotMerged, i18n.ErrNotMergedHint)
	}
	found := ipc.LeftFiles{Text: r.Text(lang), Mergeable: r.Plan != nil}
	if r.Plan != nil {
		found.Text += "\n\n" + r.PlanText(lang)
	}
	found.Report, err = json.Marshal(r)
	return found, err
}

// queryUpgrade shows what an upgrade of all packages would do.
func (c *peerConn) queryUpgrade(ctx context.Context, _ ipc.Query) (any, error) {
	rt, from, key, lang, err := c.looks("upgrade")
	if err != nil {
		return nil, err
	}
	r, err := look.Upgrade(ctx, rt, from, key)
	if err != nil {
		return nil, err
	}
	report, err := json.Marshal(r)
	return ipc.UpgradePreview{Text: r.Text(lang), Report: report, Failed: r.Problem != nil}, err
}
