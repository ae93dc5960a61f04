package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
	"github.com/nidoit/blunux-ai/ui/doctor"
)

type doctorOptions struct {
	engine, json, fix, brief bool
	lang, report             string
	reports                  bool
}

func newDoctor() *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:  "doctor [--brief | --fix | --report [FILE] | --offline [REQUEST]]",
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	cmd.Flags().BoolVar(&o.engine, "offline", false, "")
	cmd.Flags().BoolVar(&o.brief, "brief", false, "")
	cmd.Flags().BoolVar(&o.fix, "fix", false, "")
	cmd.Flags().BoolVar(&o.reports, "report", false, "")
	cmd.Flags().BoolVar(&o.json, "json", false, "")
	return cmd
}

func (o doctorOptions) run(cmd *cobra.Command, args []string) error {
	o.lang = langOf(cmd)
	switch {
	case o.engine && (o.fix || o.reports) || o.fix && (o.reports || o.json) || o.brief && (o.engine || o.fix || o.reports):
		return newUsageError(i18n.DoctorAlone)
	case o.engine:
		return o.offline(args, cmd.OutOrStdout())
	case o.reports && len(args) == 1:
		o.report = args[0]
	case len(args) > 0:
		return newUsageError(i18n.DoctorRequest)
	}
	distribution, _ := cmd.Flags().GetString("blunux-config")
	c, err := newCheckup(o.lang, distribution)
	if err != nil {
		return err
	}
	defer c.close()
	switch {
	case o.brief:
		return c.printOverview(cmd.Context(), o.json, cmd.OutOrStdout())
	case o.fix:
		return c.repair(cmd.Context(), cmd.OutOrStdout())
	case o.reports:
		return c.report(cmd.Context(), o.report, cmd.OutOrStdout(), cmd.ErrOrStderr())
	}
	return c.printFindings(doctor.RunChecks(cmd.Context(), c.machine), o.json, cmd.OutOrStdout())
}

// offline explains the built-in helper: its guide, or its plan for a request.
func (o doctorOptions) offline(args []string, w io.Writer) error {
	d, err := newOfflineDoctor(o.lang)
	if err != nil {
		return err
	}
	if len(args) > 0 {
		return d.explain(strings.Join(args, " "), o.json, w)
	}
	return d.guide(o.json, w)
}

// offlineDoctor describes the built-in helper as the daemon would load it.
type offlineDoctor struct {
	lang     i18n.Lang
	lexicon  *intent.Lexicon
	own      string // directory of the user's own files
	ownRead  bool
	mistakes []error
}

func newOfflineDoctor(lang string) (*offlineDoctor, error) {
	p, err := config.FindPaths(os.Getenv)
	if err != nil {
		return nil, err
	}
	d := &offlineDoctor{
		lang: i18n.Choose(lang, os.Getenv("BLUNUX_AI_LANG"), os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG")),
		own:  p.Offline(), lexicon: intent.BuiltIn(),
	}
	if files := os.DirFS(d.own); intent.HasUserFiles(files) {
		d.ownRead = true
		d.lexicon, d.mistakes = intent.NewExtended(files)
	}
	return d, nil
}

// exitStatus returns exit status 1 if the user's files contain mistakes.
func (d *offlineDoctor) exitStatus() error {
	if len(d.mistakes) > 0 {
		return exitError(1)
	}
	return nil
}

func (d *offlineDoctor) guide(asJSON bool, w io.Writer) error {
	if asJSON {
		if err := writeJSON(w, d.document()); err != nil {
			return err
		}
		return d.exitStatus()
	}
	var b strings.Builder
	say := func(t i18n.Text) { fmt.Fprintln(&b, t.In(d.lang)) }
	list := func(title i18n.Text, examples []i18n.Text) {
		fmt.Fprintf(&b, "\n%s\n", title.In(d.lang))
		for _, e := range examples {
			fmt.Fprintf(&b, "  %s\n", e.In(d.lang))
		}
	}
	say(i18n.DoctorOffline)
	for _, s := range offline.Guide() {
		list(s.Title, s.Examples)
	}
	list(i18n.DoctorFollowups, offline.Followups())
	fmt.Fprintln(&b)
	say(i18n.DoctorTolerance)
	say(i18n.DoctorLimits)
	size := d.lexicon.Size()
	say(i18n.DoctorKnows(size.Names, size.Words, size.Features))
	if d.ownRead {
		say(i18n.DoctorOwnRead(d.own))
	} else {
		say(i18n.DoctorOwn(d.own))
	}
	if len(d.mistakes) > 0 {
		say(i18n.DoctorOwnFlaws)
		for _, err := range d.mistakes {
			fmt.Fprintf(&b, "  %v\n", err)
		}
	}
	say(i18n.DoctorExplain)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	return d.exitStatus()
}

// guideDocument is the output of doctor --offline --json.
type guideDocument struct {
	Lang     i18n.Lang         `json:"lang"`
	Sections []sectionDocument `json:"sections"`
	Size     intent.Size       `json:"size"`
	Own      string            `json:"own"`
	OwnRead  bool              `json:"own_read"`
	Flaws    []string          `json:"flaws"`
}

type sectionDocument struct {
	Title    string   `json:"title"`
	Examples []string `json:"examples"`
}

func (d *offlineDoctor) document() guideDocument {
	doc := guideDocument{Lang: d.lang, Size: d.lexicon.Size(), Own: d.own, OwnRead: d.ownRead, Flaws: []string{}}
	add := func(title i18n.Text, examples []i18n.Text) {
		s := sectionDocument{Title: title.In(d.lang)}
		for _, e := range examples {
			s.Examples = append(s.Examples, e.In(d.lang))
		}
		doc.Sections = append(doc.Sections, s)
	}
	for _, s := range offline.Guide() {
		add(s.Title, s.Examples)
	}
	add(i18n.DoctorFollowups, offline.Followups())
	for _, err := range d.mistakes {
		doc.Flaws = append(doc.Flaws, err.Error())
	}
	return doc
}

// planDocument is the output of doctor --offline --json REQUEST.
type planDocument struct {
	Kind    intent.Kind    `json:"kind"`
	Topic   string         `json:"topic,omitempty"`
	Steps   []stepDocument `json:"steps"`
	Then    []stepDocument `json:"then,omitempty"`
	Score   float64        `json:"score"`
	Reasons []string       `json:"reasons"`
	Lang    string         `json:"lang"`
}

type stepDocument struct {
	Tool  string         `json:"tool"`
	Input map[string]any `json:"input"`
	// Diagnosis is the series of read-only checks that this step starts.
	Diagnosis string `json:"diagnosis,omitempty"`
}

func (d *offlineDoctor) explain(request string, asJSON bool, w io.Writer) error {
	p := d.lexicon.Understand(request, intent.Context{})
	if asJSON {
		doc := planDocument{Kind: p.Kind, Topic: p.Topic, Steps: []stepDocument{}, Score: p.Score, Reasons: p.Reasons, Lang: p.Lang}
		for i, s := range p.Steps {
			doc.Steps = append(doc.Steps, stepDocument{s.Tool, s.Input, p.Diagnoses[i]})
		}
		for _, s := range p.FollowUps {
			doc.Then = append(doc.Then, stepDocument{Tool: s.Tool, Input: s.Input})
		}
		return writeJSON(w, doc)
	}
	var b strings.Builder
	say := func(t i18n.Text) { fmt.Fprintln(&b, t.In(d.lang)) }
	kind := string(p.Kind)
	if p.Topic != "" {
		kind += " / " + p.Topic
	}
	say(i18n.DoctorUnderstood(kind))
	if len(p.Steps) == 0 {
		say(i18n.DoctorNoSteps)
	} else {
		say(i18n.DoctorSteps)
		steps(&b, p.Steps)
	}
	if len(p.FollowUps) > 0 {
		say(i18n.DoctorThen)
		steps(&b, p.FollowUps)
	}
	say(i18n.DoctorScore(p.Score))
	say(i18n.DoctorWhy)
	for _, why := range p.Reasons {
		fmt.Fprintf(&b, "  %s\n", why)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func steps(b *strings.Builder, list []intent.Step) {
	for _, s := range list {
		fmt.Fprintf(b, "  %s", s.Tool)
		for _, k := range slices.Sorted(maps.Keys(s.Input)) {
			fmt.Fprintf(b, " %s=%v", k, s.Input[k])
		}
		fmt.Fprintln(b)
	}
}
