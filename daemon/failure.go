package daemon

import (
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

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/nidoit/blunux-ai/tools"
)

// errStopping ends everything that still runs when the daemon stops.
var errStopping = tools.ErrStopping

// errOnlyHere refuses a request that is only for local clients.
var errOnlyHere = errors.New("only for local clients")

func joinHome(home, name string) string { return filepath.Join(home, name) }

// failure converts an error to a message for a person: what happened and the one remedy. Private details stay in
// the log.
func (s *Settings) failure(err error, lang i18n.Lang) *ipc.Error {
	e := s.explain(err, lang)
	rt := s.current()
	e.Message, e.Hint = rt.redact(e.Message), rt.redact(e.Hint)
	return e
}

// userError is an error with its own message for a person.
type userError interface {
	error
	failure(lang i18n.Lang) *ipc.Error
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
		return told.failure(lang)
	case isNoteError(err):
		return noteFailure(err, lang)
	case errors.Is(err, errOnlyHere):
		return fail(ipc.CodeDenied, i18n.OnlyAtMachine)
	case errors.Is(err, errNoBridge):
		return fail(ipc.CodeBadRequest, i18n.BridgeNoChannel)
	case errors.Is(err, errInUse):
		e := fail(ipc.CodeBusy, i18n.ErrSessionInUse)
		e.Hint = i18n.ErrSessionInUseHint.In(lang)
		return e
	case errors.Is(err, errStopping):
		e := fail(ipc.CodeCancelled, i18n.ErrStopping)
		e.Hint = i18n.StoppingHint.In(lang)
		return e
	case errors.As(err, &mk):
		return s.missingKey(mk, lang)
	case errors.As(err, &ke):
		return fail(ipc.CodeAuth, i18n.ErrNoKey(ke.In(lang)))
	case errors.Is(err, errNoModel):
		return fail(ipc.CodeNotConfigured, i18n.ErrNoKey(strings.TrimPrefix(i18n.ErrorText(err, lang), errNoModel.Error()+": ")))
	case errors.As(err, &pe):
		return s.providerFailure(pe, lang)
	case errors.Is(err, context.DeadlineExceeded):
		return fail(ipc.CodeTimeout, i18n.ErrTimeout)
	case errors.Is(err, context.Canceled):
		return fail(ipc.CodeCancelled, i18n.ErrCancelled)
	case errors.Is(err, errBusy):
		e := fail(ipc.CodeBusy, i18n.ErrBusy)
		e.Hint = i18n.ErrBusyHint.In(lang)
		return e
	case errors.As(err, &ce):
		e := fail(ipc.CodeNotConfigured, i18n.ErrConfig(ce.In(lang)))
		e.Hint = i18n.ErrConfigHint.In(lang)
		return e
	}
	e := fail(ipc.CodeInternal, i18n.ErrInternal(i18n.ErrorText(err, lang)))
	if unwritable(err) {
		e.Hint = i18n.ErrHomeHint(s.home).In(lang)
	}
	return e
}

// publicError returns an error as it may leave the machine. Errors about files, settings or a provider's own words
// are reduced to their kind and where to read the rest.
func publicError(e *ipc.Error, channel, id string, lang i18n.Lang) *ipc.Error {
	if slices.Contains(atTheMachine, channel) {
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

// unwritable reports whether a file could not be written because of its location.
func unwritable(err error) bool {
	for _, cause := range []error{fs.ErrPermission, syscall.EROFS, syscall.ENOSPC, syscall.ENOTDIR, syscall.EDQUOT, syscall.EIO} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// missingKey names the two places where a key can be put.
func (s *Settings) missingKey(mk *catalog.MissingKeyError, lang i18n.Lang) *ipc.Error {
	file := filepath.Join(s.home, "credentials", mk.Keys.Credential)
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
		if rt := s.current(); rt != nil && rt.CredentialHint != "" {
			e.Hint = i18n.ErrAuthHint(rt.CredentialHint).In(lang)
		}
	case providers.KindRateLimit:
		e.Code, e.Message, e.Hint = ipc.CodeRateLimit, i18n.ErrRateLimit(pe.Provider).In(lang), i18n.ErrRetryLater.In(lang)
		if pe.RetryAfter > 0 {
			e.RetryAfter = int(math.Ceil(pe.RetryAfter.Seconds()))
			e.Hint = i18n.ErrRetryAfter(e.RetryAfter).In(lang)
		}
	case providers.KindBudget:
		return budgetFailure(pe, lang)
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
