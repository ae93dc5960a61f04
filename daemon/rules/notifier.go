package rules

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/automation/check"
	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/daemon/look"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/turns"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/desktop"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
)

// Desktop shows notifications. [desktop.Notifier] implements it.
type Desktop interface {
	Show(ctx context.Context, n desktop.Notice) error
	Capabilities(ctx context.Context) (desktop.Capabilities, error)
	Start(ctx context.Context, name, wanted string) error
	Close()
}

const (
	// questionHold is how long the daemon keeps running for a question's buttons. After that the notification shows
	// another way to answer.
	questionHold = 30 * time.Minute
	// noticeHold is the same for notifications that ask nothing.
	noticeHold = 2 * time.Minute
	// showTimeout bounds a call to the desktop.
	showTimeout = 3 * time.Second
	// maxSingle is how many notifications are shown one by one. More are shown as a digest.
	maxSingle = 4
	// digestKey is the key of the digest.
	digestKey = "digest"
)

// The buttons.
const (
	buttonApprove = "approve"
	buttonDeny    = "deny"
	buttonShow    = "show"
	buttonSnooze  = "snooze"
	buttonPreview = "preview"
	buttonAgain   = "again"
	buttonDone    = "done"
)

// desktopNotifier shows the messages of the desktop channel as notifications.
type desktopNotifier struct {
	a       *Automations
	desktop Desktop // nil if disabled

	showMu sync.Mutex // serializes show
	mu     sync.Mutex
	open   map[string]*openNotification // by key
}

// openNotification is a displayed notification with buttons.
type openNotification struct {
	text  outbox.Message
	leave func()
	timer *time.Timer
}

func newDesktopNotifier(a *Automations) *desktopNotifier {
	s := &desktopNotifier{a: a, open: map[string]*openNotification{}}
	if a.machine.Desktop != nil {
		s.desktop = a.machine.Desktop(s.handlePressed, s.handleClosed)
	}
	return s
}

// ShowOnDesktop shows the waiting desktop messages in the background.
func (a *Automations) ShowOnDesktop() {
	if a.notifier.desktop == nil || a.life.IsStopping() {
		return
	}
	leave := a.life.Idle.Begin(life.ActivityDelivery)
	a.life.Serving.Go(func() {
		defer leave()
		a.notifier.show()
	})
}

// The program that shows an icon while approvals wait (package ui/icon), and the panel for which it does.
const (
	iconService = "org.blunux.ai.Icon"
	iconPanel   = "org.kde.StatusNotifierWatcher"
)

// ShowIcon makes the session bus start the icon in the background, if there is a panel for it. The icon ends by itself.
func (a *Automations) ShowIcon() {
	if a.notifier.desktop == nil || a.life.IsStopping() {
		return
	}
	leave := a.life.Idle.Begin(life.ActivityDelivery)
	a.life.Serving.Go(func() {
		defer leave()
		ctx, cancel := context.WithTimeout(a.life.RunCtx, showTimeout)
		defer cancel()
		err := a.notifier.desktop.Start(ctx, iconService, iconPanel)
		if err != nil && !errors.Is(err, desktop.ErrNoServer) {
			a.log.Warn().Err(err).Msg("cannot start the icon")
		}
	})
}

// show displays the messages that were not displayed yet. Without a desktop they stay in the outbox, where
// blunux-aictl notifications lists them.
func (s *desktopNotifier) show() {
	s.showMu.Lock()
	defer s.showMu.Unlock()
	texts := slices.DeleteFunc(s.a.post.Outbox.Ready(post.DesktopChannel), func(t outbox.Message) bool { return !t.Shown.IsZero() })
	alone := func(t outbox.Message) bool { return t.Approval != "" || t.Urgent || t.Remind }
	if plain := slices.DeleteFunc(slices.Clone(texts), alone); len(plain) > maxSingle {
		if s.digest(plain) != nil {
			return
		}
		texts = slices.DeleteFunc(texts, func(t outbox.Message) bool { return !alone(t) })
	}
	for _, t := range texts {
		if err := s.showText(t, false); err != nil {
			return
		}
	}
}

// digest shows many messages as one notification, a line each.
func (s *desktopNotifier) digest(texts []outbox.Message) error {
	lang := s.a.settings.Lang()
	var rows []string
	for _, t := range texts {
		first, _, _ := strings.Cut(t.Body, "\n")
		rows = append(rows, "• "+chat.ExcerptOf(first, 100))
	}
	err := s.display(desktop.Notice{
		Key: digestKey, Title: i18n.DesktopMany(len(texts)).In(lang), Body: strings.Join(append(rows, i18n.DesktopList.In(lang)), "\n"),
	})
	for _, t := range texts {
		if err == nil {
			err = s.a.post.Outbox.MarkShown(t.ID)
		}
	}
	return err
}

func (s *desktopNotifier) display(n desktop.Notice) error {
	ctx, cancel := context.WithTimeout(s.a.life.RunCtx, showTimeout)
	defer cancel()
	err := s.desktop.Show(ctx, n)
	if err != nil && !errors.Is(err, desktop.ErrNoServer) {
		s.a.log.Warn().Err(err).Msg("cannot show a notification")
	}
	return err
}

// showText shows a message in place of an older one of the same rule. With whole it shows the complete text until
// it is closed.
func (s *desktopNotifier) showText(t outbox.Message, whole bool) error {
	n, r := s.notice(t, whole)
	if caps, err := s.capabilities(); err != nil || !caps.Actions {
		n.Actions = nil
	}
	if len(n.Actions) > 0 {
		s.holdFor(n.Key, t) // before it is shown: the person may press or dismiss it at once
	}
	if err := s.display(n); err != nil {
		s.release(n.Key)
		return err
	}
	if r == nil {
		s.removeReplaced(t)
	}
	return s.a.post.Outbox.MarkShown(t.ID)
}

// removeReplaced removes the earlier messages of the same rule, which this one replaces on screen.
func (s *desktopNotifier) removeReplaced(t outbox.Message) {
	for _, old := range s.a.post.Outbox.Waiting(post.DesktopChannel) {
		if old.Rule == t.Rule && old.ID != t.ID && !old.Shown.IsZero() && old.Approval == "" {
			s.removeText(old.ID)
		}
	}
}

func (s *desktopNotifier) capabilities() (desktop.Capabilities, error) {
	ctx, cancel := context.WithTimeout(s.a.life.RunCtx, showTimeout)
	defer cancel()
	return s.desktop.Capabilities(ctx)
}

// notice returns a message as a notification, and the approval that it asks for.
func (s *desktopNotifier) notice(t outbox.Message, whole bool) (desktop.Notice, *approval.Record) {
	title, body, _ := strings.Cut(strings.TrimSpace(t.Body), "\n")
	p, _ := s.a.rule(t.Rule)
	lang := cmp.Or(i18n.Lang(t.Lang), s.a.langOf(p.Rule)) // the rule of a reminder is over
	n := desktop.Notice{Key: "rule:" + t.Rule, Title: title, Body: strings.TrimSpace(body), Urgency: desktop.Normal}
	if t.Rule == "" {
		n.Key = t.ID
	}
	if t.Urgent {
		n.Urgency = desktop.Critical
	}
	if whole {
		n.Expire = -1
	}
	if t.Remind {
		n.Expire = -1 // nobody may be looking
		n.Actions = append(n.Actions, desktop.Action{Key: buttonAgain, Label: i18n.ButtonAgain.In(lang)}, desktop.Action{Key: buttonDone, Label: i18n.ButtonDone.In(lang)})
	}
	if t.Approval == "" && strings.Contains(t.Body, check.PreviewCommand) {
		n.Actions = append(n.Actions, desktop.Action{Key: buttonPreview, Label: i18n.ButtonPreview.In(lang)})
	}
	if t.Snooze {
		n.Actions = append(n.Actions, desktop.Action{Key: buttonSnooze, Label: i18n.ButtonSnooze.In(lang)})
	}
	if t.Approval == "" {
		if !whole && len(body) > 200 {
			n.Actions = append(n.Actions, desktop.Action{Key: buttonShow, Label: i18n.ButtonShow.In(lang)})
		}
		return n, nil
	}
	n.Key, n.Expire = t.ID, -1
	r, err := s.a.turns.Approvals.Stored(t.Approval)
	if err != nil {
		return n, nil
	}
	if canUseButton(r.Ask, r.Whole) {
		n.Actions = append(n.Actions, desktop.Action{Key: buttonApprove, Label: i18n.ButtonApprove.In(lang)})
	}
	n.Actions = append(n.Actions, desktop.Action{Key: buttonDeny, Label: i18n.ButtonDeny.In(lang)})
	if !whole {
		n.Body = i18n.DesktopAsk(briefCommand(r.Ask, lang), r.Ask.Code).In(lang)
		n.Actions = append(n.Actions, desktop.Action{Key: buttonShow, Label: i18n.ButtonShow.In(lang)})
	}
	return n, &r
}

// holdFor keeps the daemon running for a notification's buttons, for a limited time.
func (s *desktopNotifier) holdFor(key string, t outbox.Message) {
	s.release(key)
	o := &openNotification{text: t, leave: s.a.life.Idle.Begin(life.ActivityDelivery)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[key] = o
	stay := noticeHold
	if t.Approval != "" || t.Remind {
		stay = questionHold
	}
	o.timer = time.AfterFunc(stay, func() { s.removeButtons(key) })
}

// release ends that and returns the message.
func (s *desktopNotifier) release(key string) (outbox.Message, bool) {
	s.mu.Lock()
	o := s.open[key]
	delete(s.open, key)
	s.mu.Unlock()
	if o == nil {
		return outbox.Message{}, false
	}
	o.timer.Stop()
	o.leave()
	return o.text, true
}

// removeButtons removes the buttons of a notification, because the daemon is about to ignore them.
func (s *desktopNotifier) removeButtons(key string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.a.life.RunCtx), showTimeout)
	defer cancel()
	s.removeButtonsWithin(ctx, key)
}

func (s *desktopNotifier) removeButtonsWithin(ctx context.Context, key string) {
	t, open := s.release(key)
	if !open {
		return
	}
	n, _ := s.notice(t, false)
	n.Actions = nil
	_ = s.desktop.Show(ctx, n) // the text contains the code
}

// removeAllButtons removes the buttons of all notifications.
func (s *desktopNotifier) removeAllButtons() {
	s.mu.Lock()
	var keys []string
	for key := range s.open {
		keys = append(keys, key)
	}
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.a.life.RunCtx), showTimeout)
	defer cancel()
	for _, key := range keys {
		s.removeButtonsWithin(ctx, key)
	}
	if s.desktop != nil {
		s.desktop.Close()
	}
}

// handleClosed handles the end of a notification. One that the person dismissed was seen, an expired one may not have
// been. Neither is an answer.
func (s *desktopNotifier) handleClosed(key string, why desktop.Reason) {
	t, open := s.release(key)
	if !open && strings.HasPrefix(key, "rule:") {
		for _, w := range s.a.post.Outbox.Waiting(post.DesktopChannel) {
			if "rule:"+w.Rule == key && !w.Shown.IsZero() {
				t, open = w, true
			}
		}
	}
	if open && why == desktop.Dismissed && t.Approval == "" {
		s.removeText(t.ID)
	}
}

func (s *desktopNotifier) removeText(id string) {
	if err := s.a.post.Outbox.Remove([]string{id}); err != nil {
		s.a.log.Warn().Err(err).Msg("cannot remove notification")
	}
}

// handlePressed handles a button.
func (s *desktopNotifier) handlePressed(key, action string) {
	t, open := s.release(key)
	if !open || s.a.life.IsStopping() {
		return
	}
	leave := s.a.life.Idle.Begin(life.ActivityDelivery)
	s.a.life.Serving.Go(func() {
		defer leave()
		s.handleButton(t, action)
	})
}

func (s *desktopNotifier) handleButton(t outbox.Message, action string) {
	switch action {
	case buttonShow:
		_ = s.showText(t, true) // if it fails, the message is still listed
		return
	case buttonPreview:
		s.showPreview(t)
	case buttonSnooze:
		s.a.conditions.snooze(t.Rule, 24*time.Hour)
	case buttonAgain:
		s.again(t)
	case buttonDone: // it is removed below
	case buttonApprove:
		s.decide(t, ipc.ActionAllowOnce)
	case buttonDeny:
		s.decide(t, ipc.ActionReject)
	default:
		return
	}
	s.removeText(t.ID)
}

// showPreview shows what an update of all packages would do. It reads only; the update is asked for in words.
func (s *desktopNotifier) showPreview(t outbox.Message) {
	lang := s.a.settings.Lang()
	rt, err := s.a.settings.CurrentRuntime()
	if err != nil {
		return
	}
	r, err := look.Upgrade(s.a.life.RunCtx, rt, tools.Origin{Channel: post.DesktopChannel}, post.KeyOf(post.DesktopChannel, "upgrade"))
	if err != nil {
		s.a.log.Warn().Err(err).Msg("cannot preview the update")
		return
	}
	title, body, _ := strings.Cut(r.Short(lang), "\n")
	if err := s.display(desktop.Notice{Key: t.ID, Title: title, Body: body, Expire: -1}); err != nil {
		s.a.log.Warn().Err(err).Msg("cannot show the preview")
	}
}

// again makes a reminder be sent once more.
func (s *desktopNotifier) again(t outbox.Message) {
	run, _, _ := strings.Cut(strings.TrimPrefix(t.ID, "run:"), "@")
	sent, known := s.a.runs.ledger.Find(t.Rule, run)
	if !known {
		return
	}
	if _, err := s.a.remindLater(sent, remindAgain); err != nil {
		s.a.log.Warn().Err(err).Str("automation", t.Rule).Msg("cannot snooze a reminder")
	}
}

// decide answers an approval by a button. A yes is bound to the digest of the plan that was shown.
func (s *desktopNotifier) decide(t outbox.Message, action string) {
	s.a.turns.Stored.Expire()
	r, err := s.a.turns.Approvals.Stored(t.Approval)
	if err == nil && action == ipc.ActionAllowOnce && !canUseButton(r.Ask, r.Whole) {
		err = approval.ErrDigest
	}
	if err == nil {
		who := turns.AnswerSource{By: post.DesktopChannel, Name: post.DesktopChannel, Lang: r.Language(), Client: turns.NoClient{}}
		err = s.a.turns.Stored.Decide(context.WithoutCancel(s.a.life.RunCtx), r, action, ipc.Answer{Code: r.Ask.Code, Digest: r.Ask.Digest}, who)
	}
	if err != nil {
		_ = s.display(desktop.Notice{Key: t.ID, Title: i18n.DesktopLate.In(s.a.settings.Lang()), Body: s.a.settings.AnswerFailure(err, s.a.settings.Lang()).Message})
	}
}

// briefCommand returns the command of a question in one line: of a plan the first one.
func briefCommand(ask ipc.Ask, lang i18n.Lang) string {
	if steps := ask.Steps(); len(steps) > 1 {
		return i18n.PlanBrief(ipc.VisibleLine(steps[0].Command), len(steps)).In(lang)
	}
	return ipc.VisibleLine(ask.Command)
}
