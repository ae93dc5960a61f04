package settings

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/agent/usage"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/notes"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/journal"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/nidoit/blunux-ai/tools/executor"
)

// ErrStopping ends everything that still runs when the daemon stops.
var ErrStopping = executor.ErrStopping

// ErrOnlyHere refuses a request that is only for local clients.
var ErrOnlyHere = errors.New("only for local clients")

// ErrNoModel reports a provider that cannot be used as it is configured.
var ErrNoModel = errors.New("no model")

// ErrBusy reports a full queue.
var ErrBusy = errors.New("too many messages are waiting")

// ErrInUse reports a conversation with a running turn.
var ErrInUse = errors.New("the conversation has a running turn")

// ErrNotHere reports a yes in a chat to a question that was not shown there completely.
var ErrNotHere = errors.New("not shown completely in that chat")

// ErrOtherChannel reports an answer from a client that was not asked.
var ErrOtherChannel = errors.New("approval belongs to another conversation")

// ErrNoBridge reports a channel query by a client that is not a bridge.
var ErrNoBridge = errors.New("only a bridge has a channel")

// offError refuses work while the assistant is switched off. file is where it can be switched on.
type offError struct{ file string }

func (offError) Error() string { return "the assistant is switched off" }

func (e offError) Failure(lang i18n.Lang) *ipc.Error {
	return &ipc.Error{Code: ipc.CodeSwitchedOff, Message: i18n.ErrSwitchedOff.In(lang), Hint: i18n.ErrSwitchedOffFix(e.file).In(lang)}
}

// BadQuery reports an invalid query, with an example.
type BadQuery struct {
	Text i18n.Text
	Hint i18n.Text
}

func (b BadQuery) Error() string { return b.Text.In(i18n.English) }

func (b BadQuery) Failure(lang i18n.Lang) *ipc.Error {
	return &ipc.Error{Code: ipc.CodeBadRequest, Message: b.Text.In(lang), Hint: b.Hint.In(lang)}
}

// Failure converts an error to a message for a person: what happened and the one remedy. Private details stay in
// the log.
func (s *Settings) Failure(err error, lang i18n.Lang) *ipc.Error {
	e := s.explain(err, lang)
	rt := s.Current()
	e.Message, e.Hint = rt.Redact(e.Message), rt.Redact(e.Hint)
	return e
}

// userError is an error with its own message for a person.
type userError interface {
	error
	Failure(lang i18n.Lang) *ipc.Error
}

func (s *Settings) explain(err error, lang i18n.Lang) *ipc.Error {
	fail := func(code ipc.Code, text i18n.Text) *ipc.Error {
		return &ipc.Error{Code: code, Message: text.In(lang)}
	}
	var pe *providers.Error
	var ce *config.Error
	var ke *config.CredentialError
	var mk *catalog.MissingKeyError
	var told userError
	if e := damageFailure(err, lang); e != nil {
		return e
	}
	switch {
	case errors.As(err, &told):
		return told.Failure(lang)
	case notes.IsNoteError(err):
		return notes.NoteFailure(err, lang)
	case errors.Is(err, ErrOnlyHere):
		return fail(ipc.CodeDenied, i18n.OnlyAtMachine)
	case errors.Is(err, ErrNoBridge):
		return fail(ipc.CodeBadRequest, i18n.BridgeNoChannel)
	case errors.Is(err, ErrInUse):
		e := fail(ipc.CodeBusy, i18n.ErrSessionInUse)
		e.Hint = i18n.ErrSessionInUseHint.In(lang)
		return e
	case errors.Is(err, ErrStopping):
		e := fail(ipc.CodeCancelled, i18n.ErrStopping)
		e.Hint = i18n.StoppingHint.In(lang)
		return e
	case errors.As(err, &mk):
		return s.missingKey(mk, lang)
	case errors.As(err, &ke):
		return fail(ipc.CodeAuth, i18n.ErrNoKey(ke.In(lang)))
	case errors.Is(err, ErrNoModel):
		return fail(ipc.CodeNotConfigured, i18n.ErrNoKey(strings.TrimPrefix(i18n.ErrorText(err, lang), ErrNoModel.Error()+": ")))
	case errors.As(err, &pe):
		return s.providerFailure(pe, lang)
	case errors.Is(err, context.DeadlineExceeded):
		return fail(ipc.CodeTimeout, i18n.ErrTimeout)
	case errors.Is(err, context.Canceled):
		return fail(ipc.CodeCancelled, i18n.ErrCancelled)
	case errors.Is(err, ErrBusy):
		e := fail(ipc.CodeBusy, i18n.ErrBusy)
		e.Hint = i18n.ErrBusyHint.In(lang)
		return e
	case errors.As(err, &ce):
		e := fail(ipc.CodeNotConfigured, i18n.ErrConfig(ce.In(lang)))
		e.Hint = i18n.ErrConfigHint.In(lang)
		return e
	}
	e := fail(ipc.CodeInternal, i18n.ErrInternal(i18n.ErrorText(err, lang)))
	if Unwritable(err) {
		e.Hint = i18n.ErrHomeHint(s.Home).In(lang)
	}
	return e
}

// AnswerFailure says why an answer to a question did not count.
func (s *Settings) AnswerFailure(err error, lang i18n.Lang) *ipc.Error {
	for _, known := range []struct {
		err  error
		code ipc.Code
		text i18n.Text
	}{
		{approval.ErrNotWaiting, ipc.CodeExpired, i18n.ErrNotWaiting},
		{ErrOtherChannel, ipc.CodeDenied, i18n.ErrOtherChannel},
		{config.ErrNotRemote, ipc.CodePolicy, i18n.FleetNotRemote},
		{config.ErrQuiet, ipc.CodePolicy, i18n.FleetQuiet},
		{ErrNotHere, ipc.CodeDenied, i18n.BridgeNotWhole},
		{approval.ErrDigest, ipc.CodeDenied, i18n.ErrDigest},
		{approval.ErrNoSession, ipc.CodeBadRequest, i18n.ErrNoSession},
		{approval.ErrNoFamily, ipc.CodeBadRequest, i18n.ErrNoFamily},
		{approval.ErrNoEdit, ipc.CodeBadRequest, i18n.ErrNoEdit},
		{approval.ErrNoCommand, ipc.CodeBadRequest, i18n.ErrNoCommand},
	} {
		if errors.Is(err, known.err) {
			return &ipc.Error{Code: known.code, Message: known.text.In(lang)}
		}
	}
	return s.Failure(err, lang)
}

// PublicError returns an error as it may leave the machine. Errors about files, settings or a provider's own words
// are reduced to their kind and where to read the rest.
func PublicError(e *ipc.Error, channel, id string, lang i18n.Lang) *ipc.Error {
	if slices.Contains(post.AtTheMachine, channel) {
		return e
	}
	switch e.Code {
	case ipc.CodeSwitchedOff:
		return &ipc.Error{Code: e.Code, Message: e.Message}
	case ipc.CodeInternal, ipc.CodeProvider, ipc.CodeNotConfigured, ipc.CodeAuth:
		return &ipc.Error{Code: e.Code, Message: i18n.ErrPrivate(string(e.Code), id).In(lang), RetryAfter: e.RetryAfter}
	}
	return e
}

// Unwritable reports whether a file could not be written because of its location.
func Unwritable(err error) bool {
	for _, cause := range []error{fs.ErrPermission, syscall.EROFS, syscall.ENOSPC, syscall.ENOTDIR, syscall.EDQUOT, syscall.EIO} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// missingKey names the two places where a key can be put.
func (s *Settings) missingKey(mk *catalog.MissingKeyError, lang i18n.Lang) *ipc.Error {
	file := filepath.Join(s.Home, "credentials", mk.Keys.Credential)
	return &ipc.Error{
		Code:    ipc.CodeNotConfigured,
		Message: i18n.ErrMissingKey(mk.Provider).In(lang),
		Hint:    i18n.ErrMissingKeyHint(strings.Join(mk.Keys.Env, " / "), file).In(lang),
	}
}

func (s *Settings) providerFailure(pe *providers.Error, lang i18n.Lang) *ipc.Error {
	if e := claudeFailure(pe, lang); e != nil {
		return e
	}
	e := &ipc.Error{}
	switch pe.Kind {
	case providers.KindAuth:
		e.Code, e.Message = ipc.CodeAuth, i18n.ErrAuth(pe.Provider).In(lang)
		if rt := s.Current(); rt != nil && rt.Models.CredentialHint != "" {
			e.Hint = i18n.ErrAuthHint(rt.Models.CredentialHint).In(lang)
		}
	case providers.KindRateLimit:
		e.Code, e.Message, e.Hint = ipc.CodeRateLimit, i18n.ErrRateLimit(pe.Provider).In(lang), i18n.ErrRetryLater.In(lang)
		if pe.RetryAfter > 0 {
			e.RetryAfter = int(math.Ceil(pe.RetryAfter.Seconds()))
			e.Hint = i18n.ErrRetryAfter(e.RetryAfter).In(lang)
		}
	case providers.KindBudget:
		return BudgetFailure(pe, lang)
	case providers.KindModel:
		e.Code, e.Message = ipc.CodeProvider, i18n.ErrModel(pe.Provider, causeText(pe, lang)).In(lang)
		e.Hint = i18n.ErrModelHint(pe.Provider).In(lang)
	case providers.KindContext:
		e.Code, e.Message, e.Hint = ipc.CodeProvider, i18n.ErrContext(pe.Provider).In(lang), i18n.ErrContextHint.In(lang)
	case providers.KindNetwork:
		return networkFailure(pe, lang)
	case providers.KindParse:
		if errors.Is(pe, transport.ErrTooLong) {
			e.Code, e.Message, e.Hint = ipc.CodeProvider, i18n.ErrAnswerTooLong(pe.Provider).In(lang), i18n.ErrProviderHint.In(lang)
			return e
		}
		e.Code, e.Message, e.Hint = ipc.CodeProvider, i18n.ErrNoAnswerFormat(pe.Provider).In(lang), i18n.ErrNoAnswerFormatHint(pe.Provider).In(lang)
	default:
		e.Code, e.Message, e.Hint = ipc.CodeProvider, i18n.ErrProvider(pe.Provider, causeText(pe, lang)).In(lang), i18n.ErrProviderHint.In(lang)
	}
	return e
}

// claudeFailure describes why the installed claude cannot answer. It returns nil for any other failure.
func claudeFailure(pe *providers.Error, lang i18n.Lang) *ipc.Error {
	switch pe.Kind {
	case providers.KindMissing:
		return &ipc.Error{Code: ipc.CodeNotConfigured, Message: i18n.ErrClaudeMissing.In(lang), Hint: i18n.ErrClaudeMissingHint.In(lang)}
	case providers.KindLogin:
		return &ipc.Error{Code: ipc.CodeAuth, Message: i18n.ErrClaudeLogin(causeText(pe, lang)).In(lang), Hint: i18n.ErrClaudeLoginHint.In(lang)}
	case providers.KindOutdated:
		return &ipc.Error{Code: ipc.CodeNotConfigured, Message: i18n.ErrClaudeOutdated(causeText(pe, lang)).In(lang), Hint: i18n.ErrClaudeOutdatedHint.In(lang)}
	}
	return nil
}

// networkFailure distinguishes a server that cannot be reached from one that did not answer completely.
func networkFailure(pe *providers.Error, lang i18n.Lang) *ipc.Error {
	e := &ipc.Error{Code: ipc.CodeNetwork, Hint: i18n.ErrRetryLater.In(lang)}
	switch {
	case errors.Is(pe, transport.ErrFirst):
		e.Message, e.Hint = i18n.ErrNotBegun(pe.Provider).In(lang), i18n.ErrNotBegunHint.In(lang)
	case errors.Is(pe, transport.ErrIdle):
		e.Message, e.Hint = i18n.ErrStalled(pe.Provider).In(lang), i18n.ErrStalledHint.In(lang)
	case errors.Is(pe, transport.ErrOverall), errors.Is(pe, context.DeadlineExceeded):
		e.Message = i18n.ErrTooSlow(pe.Provider).In(lang)
	case errors.Is(pe, transport.ErrCutOff), errors.Is(pe, io.ErrUnexpectedEOF), errors.Is(pe, io.EOF), errors.Is(pe, syscall.ECONNRESET):
		e.Message = i18n.ErrCutOff(pe.Provider).In(lang)
	default:
		e.Message, e.Hint = i18n.ErrNetwork(pe.Provider).In(lang), i18n.ErrNetworkHint.In(lang)
	}
	return e
}

// causeText returns the provider's own words, or the cause.
func causeText(pe *providers.Error, lang i18n.Lang) string {
	switch {
	case pe.Message != "" && pe.Status != 0:
		return i18n.PlainCause(pe.Message, lang) + " (HTTP " + strconv.Itoa(pe.Status) + ")"
	case pe.Message != "":
		return i18n.PlainCause(pe.Message, lang)
	case pe.Status != 0:
		return "HTTP " + strconv.Itoa(pe.Status)
	case pe.Err != nil:
		return i18n.Cause(pe.Err, lang)
	}
	return i18n.ErrUnusableAnswer.In(lang)
}

// damageText describes a state file that cannot be used.
func damageText(err error, lang i18n.Lang) (text string, ok bool) {
	var newer *journal.VersionError
	var damaged *approval.DamagedError
	var line journal.Damage
	switch {
	case errors.As(err, &newer):
		return i18n.FileNewer(newer.File, newer.Version, journal.Version).In(lang), true
	case errors.As(err, &damaged):
		return i18n.ApprovalDamaged(damaged.Code(), filepath.Base(cmp.Or(damaged.MovedTo, damaged.File))).In(lang), true
	case errors.As(err, &line) && line.Line > 0:
		return i18n.FileLineDamaged(line.File, line.Line).In(lang), true
	case errors.As(err, &line) && line.MovedTo != "":
		return i18n.FileDamaged(line.File, filepath.Base(line.MovedTo)).In(lang), true
	case errors.As(err, &line):
		return i18n.FileUnreadable(line.File).In(lang), true
	}
	return "", false
}

// ProblemText returns an error as status lists it.
func ProblemText(err error, lang i18n.Lang) string {
	if text, ok := damageText(err, lang); ok {
		return text
	}
	return i18n.ErrorText(err, lang)
}

// damageFailure returns the error of a request that needs an unusable state file, or nil for other errors.
func damageFailure(err error, lang i18n.Lang) *ipc.Error {
	text, ok := damageText(err, lang)
	if !ok {
		return nil
	}
	code := ipc.CodeInternal
	if damaged := (*approval.DamagedError)(nil); errors.As(err, &damaged) {
		code = ipc.CodeExpired
	}
	return &ipc.Error{Code: code, Message: text}
}

// BudgetFailure reports that a limit is reached, and the setting that changes it.
func BudgetFailure(pe *providers.Error, lang i18n.Lang) *ipc.Error {
	var reached *usage.LimitError
	if !errors.As(pe, &reached) {
		return &ipc.Error{Code: ipc.CodeRateLimit, Message: i18n.ErrProvider(pe.Provider, causeText(pe, lang)).In(lang)}
	}
	text := i18n.ErrBudget
	if reached.Limit == usage.PerAutomationUSD {
		text = i18n.ErrBudgetOwn
	}
	limit, used := Amounts(reached.BudgetState, lang)
	return &ipc.Error{
		Code: ipc.CodeRateLimit, Message: text(limit, used).In(lang), Hint: i18n.ErrBudgetHint(reached.Limit).In(lang),
		RetryAfter: int(pe.RetryAfter / time.Second),
	}
}

// Amounts returns a limit and the amount used, as text.
func Amounts(s usage.BudgetState, lang i18n.Lang) (limit, used string) {
	cost := i18n.Cost(s.Used.Cost.USD(), s.Used.Requests, min(s.Used.Unpriced, max(s.Used.Requests-1, 0)))
	switch s.Limit {
	case usage.DailyTokens:
		return i18n.BudgetTokens(i18n.Count(s.Limits.DailyTokens)).In(lang), i18n.Count(s.Used.Tokens())
	case usage.PerAutomationUSD:
		return i18n.Dollars(s.Limits.PerAutomationUSD.USD()), cost
	}
	return i18n.Dollars(s.Limits.DailyUSD.USD()), cost
}

// DamagedSession describes a conversation that cannot be read completely.
func DamagedSession(d session.Damage, lang i18n.Lang) string {
	return i18n.SessionUnreadable(d.Lines, ipc.SessionName(d.Key)).In(lang)
}
