package daemon

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/desktop"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// Desktop shows notifications. [desktop.Notifier] implements it.
type Desktop interface {
	Show(ctx context.Context, n desktop.Notice) error
	Capabilities(ctx context.Context) (desktop.Capabilities, error)
	Close()
}

const (
	// buttonsFor is how long the daemon keeps running for a question's buttons. After that the notification shows
	// another way to answer.
	buttonsFor = 30 * time.Minute
	// glanceFor is the same for notifications that ask nothing.
	glanceFor = 2 * time.Minute
	// showTimeout bounds a call to the desktop.
	showTimeout = 3 * time.Second
	// atOnce is how many notifications are shown one by one. More are shown as a digest.
	atOnce = 4
	// digestKey is the key of the digest.
	digestKey = "digest"
)

// The buttons.
const (
	pressApprove = "approve"
	pressDeny    = "deny"
	pressShow    = "show"
	pressSnooze  = "snooze"
)

// screen shows the messages of the desktop channel as notifications.
type screen struct {
	a       *automations
	desktop Desktop // nil if disabled

	showing sync.Mutex // serializes show
	mu      sync.Mutex
	open    map[string]*opened // by key
}

// opened is a displayed notification with buttons.
type opened struct {
	text  outbox.Text
	leave func()
	timer *time.Timer
}

func newScreen(a *automations) *screen {
	s := &screen{a: a, open: map[string]*opened{}}
	if a.o.Desktop != nil {
		s.desktop = a.o.Desktop(s.pressed, s.closed)
	}
	return s
}

// showOnDesktop shows the waiting desktop messages in the background.
func (d *Daemon) showOnDesktop() {
	if d.automations == nil || d.automations.screen.desktop == nil || d.isStopping() {
		return
	}
	leave := d.idle.enter(holdDelivery)
	d.serving.Go(func() {
		defer leave()
		d.automations.screen.show()
	})
}

// show displays the messages that were not displayed yet. Without a desktop they stay in the outbox, where
// blunux-aictl notifications lists them.
func (s *screen) show() {
	s.showing.Lock()
	defer s.showing.Unlock()
	texts := slices.DeleteFunc(s.a.outbox.Ready(desktopChannel), func(t outbox.Text) bool { return !t.Shown.IsZero() })
	alone := func(t outbox.Text) bool { return t.Approval != "" || t.Urgent }
	if plain := slices.DeleteFunc(slices.Clone(texts), alone); len(plain) > atOnce {
		if s.digest(plain) != nil {
			return
		}
		texts = slices.DeleteFunc(texts, func(t outbox.Text) bool { return !alone(t) })
	}
	for _, t := range texts {
		if err := s.put(t, false); err != nil {
			return
		}
	}
}

// digest shows many messages as one notification, a line each.
func (s *screen) digest(texts []outbox.Text) error {
	lang := s.a.Daemon.lang()
	var rows []string
	for _, t := range texts {
		first, _, _ := strings.Cut(t.Body, "\n")
		rows = append(rows, "• "+excerptOf(first, 100))
	}
	err := s.display(desktop.Notice{
		Key: digestKey, Title: i18n.DesktopMany.In(lang, len(texts)), Body: strings.Join(append(rows, i18n.DesktopList.In(lang)), "\n"),
	})
	for _, t := range texts {
		if err == nil {
			err = s.a.outbox.Show(t.ID)
		}
	}
	return err
}

func (s *screen) display(n desktop.Notice) error {
	ctx, cancel := context.WithTimeout(s.a.living, showTimeout)
	defer cancel()
	err := s.desktop.Show(ctx, n)
	if err != nil && !errors.Is(err, desktop.ErrNobody) {
		s.a.Daemon.o.Log.Warn().Err(err).Msg("cannot show a notification")
	}
	return err
}

// put shows a message in place of an older one of the same rule. With whole it shows the complete text until it is
// closed.
func (s *screen) put(t outbox.Text, whole bool) error {
	n, r := s.notice(t, whole)
	if caps, err := s.capabilities(); err != nil || !caps.Actions {
		n.Actions = nil
	}
	if err := s.display(n); err != nil {
		return err
	}
	if len(n.Actions) > 0 {
		s.keep(n.Key, t)
	}
	if r == nil {
		s.replace(t)
	}
	return s.a.outbox.Show(t.ID)
}

// replace removes the earlier messages of the same rule, which this one replaces on screen.
func (s *screen) replace(t outbox.Text) {
	for _, old := range s.a.outbox.Waiting(desktopChannel) {
		if old.Rule == t.Rule && old.ID != t.ID && !old.Shown.IsZero() && old.Approval == "" {
			s.gone(old.ID)
		}
	}
}

func (s *screen) capabilities() (desktop.Capabilities, error) {
	ctx, cancel := context.WithTimeout(s.a.living, showTimeout)
	defer cancel()
	return s.desktop.Capabilities(ctx)
}

// notice returns a message as a notification, and the approval that it asks for.
func (s *screen) notice(t outbox.Text, whole bool) (desktop.Notice, *approval.Record) {
	title, body, _ := strings.Cut(strings.TrimSpace(t.Body), "\n")
	p, _ := s.a.rule(t.Rule)
	lang := s.a.langOf(p.Rule)
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
	if t.Snooze {
		n.Actions = append(n.Actions, desktop.Action{Key: pressSnooze, Label: i18n.ButtonSnooze.In(lang)})
	}
	if t.Approval == "" {
		if !whole && len(body) > 200 {
			n.Actions = append(n.Actions, desktop.Action{Key: pressShow, Label: i18n.ButtonShow.In(lang)})
		}
		return n, nil
	}
	n.Key, n.Expire = t.ID, -1
	r, err := s.a.approvals.Kept(t.Approval)
	if err != nil {
		return n, nil
	}
	if brieflyAsk(r.Ask, r.Whole) {
		n.Actions = append(n.Actions, desktop.Action{Key: pressApprove, Label: i18n.ButtonApprove.In(lang)})
	}
	n.Actions = append(n.Actions, desktop.Action{Key: pressDeny, Label: i18n.ButtonDeny.In(lang)})
	if !whole {
		n.Body = i18n.DesktopAsk.In(lang, ipc.VisibleLine(r.Ask.Command), r.Ask.Code)
		n.Actions = append(n.Actions, desktop.Action{Key: pressShow, Label: i18n.ButtonShow.In(lang)})
	}
	return n, &r
}

// keep keeps the daemon running for a notification's buttons, for a limited time.
func (s *screen) keep(key string, t outbox.Text) {
	s.forget(key)
	o := &opened{text: t, leave: s.a.idle.enter(holdDelivery)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[key] = o
	stay := glanceFor
	if t.Approval != "" {
		stay = buttonsFor
	}
	o.timer = time.AfterFunc(stay, func() { s.retire(key) })
}

// forget ends that and returns the message.
func (s *screen) forget(key string) (outbox.Text, bool) {
	s.mu.Lock()
	o := s.open[key]
	delete(s.open, key)
	s.mu.Unlock()
	if o == nil {
		return outbox.Text{}, false
	}
	o.timer.Stop()
	o.leave()
	return o.text, true
}

// retire removes the buttons of a notification, because the daemon is about to ignore them.
func (s *screen) retire(key string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.a.living), showTimeout)
	defer cancel()
	s.retireBy(ctx, key)
}

func (s *screen) retireBy(ctx context.Context, key string) {
	t, open := s.forget(key)
	if !open {
		return
	}
	n, _ := s.notice(t, false)
	n.Actions = nil
	_ = s.desktop.Show(ctx, n) // the text contains the code
}

// leave removes the buttons of all notifications.
func (s *screen) leave() {
	s.mu.Lock()
	var keys []string
	for key := range s.open {
		keys = append(keys, key)
	}
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.a.living), showTimeout)
	defer cancel()
	for _, key := range keys {
		s.retireBy(ctx, key)
	}
	if s.desktop != nil {
		s.desktop.Close()
	}
}

// closed handles the end of a notification. One that the person dismissed was seen, an expired one may not have
// been. Neither is an answer.
func (s *screen) closed(key string, why desktop.Reason) {
	t, open := s.forget(key)
	if !open && strings.HasPrefix(key, "rule:") {
		for _, w := range s.a.outbox.Waiting(desktopChannel) {
			if "rule:"+w.Rule == key && !w.Shown.IsZero() {
				t, open = w, true
			}
		}
	}
	if open && why == desktop.Dismissed && t.Approval == "" {
		s.gone(t.ID)
	}
}

func (s *screen) gone(id string) {
	if err := s.a.outbox.Gone([]string{id}); err != nil {
		s.a.Daemon.o.Log.Warn().Err(err).Msg("cannot remove notification")
	}
}

// pressed handles a button.
func (s *screen) pressed(key, action string) {
	t, open := s.forget(key)
	if !open || s.a.isStopping() {
		return
	}
	leave := s.a.idle.enter(holdDelivery)
	s.a.serving.Go(func() {
		defer leave()
		s.press(t, action)
	})
}

func (s *screen) press(t outbox.Text, action string) {
	switch action {
	case pressShow:
		_ = s.put(t, true) // if it fails, the message is still listed
		return
	case pressSnooze:
		s.a.snooze(t.Rule, 24*time.Hour)
	case pressApprove:
		s.decide(t, ipc.ActionAllowOnce)
	case pressDeny:
		s.decide(t, ipc.ActionReject)
	default:
		return
	}
	s.gone(t.ID)
}

// decide answers an approval by a button. A yes is bound to the digest of the plan that was shown.
func (s *screen) decide(t outbox.Text, action string) {
	s.a.expireKept()
	r, err := s.a.approvals.Kept(t.Approval)
	if err == nil && action == ipc.ActionAllowOnce && !brieflyAsk(r.Ask, r.Whole) {
		err = approval.ErrDigest
	}
	if err == nil {
		who := answered{by: desktopChannel, name: desktopChannel, lang: langOf(r), client: nobody{}}
		err = s.a.decideKept(context.WithoutCancel(s.a.living), r, action, ipc.Answer{Code: r.Ask.Code, Digest: r.Ask.Digest}, who)
	}
	if err != nil {
		_ = s.display(desktop.Notice{Key: t.ID, Title: i18n.DesktopLate.In(s.a.Daemon.lang()), Body: s.a.answerFailure(err, s.a.Daemon.lang()).Message})
	}
}
