package whatsapp

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"go.mau.fi/whatsmeow/socket"
	"go.mau.fi/whatsmeow/types/events"

	"github.com/nidoit/blunux-ai/bridge/state"
)

// change is a change of the connection: it is up, or it ended, and in which state the bridge is until the next one.
type change struct {
	up    bool
	halt  bool // requires action by the person
	state state.State
	wait  time.Duration // minimum delay
}

// Delays if the server does not name one.
const (
	limitDelay   = 5 * time.Minute
	unknownDelay = time.Minute
)

func offlineChange(why string) change {
	return change{state: state.State{Phase: state.Offline, Detail: why}}
}

func haltChange(phase state.Phase, why string) change {
	return change{halt: true, state: state.State{Phase: phase, Detail: why}}
}

func limitedChange(why string, wait time.Duration) change {
	return change{state: state.State{Phase: state.Limited, Detail: why}, wait: wait}
}

// connectError converts the error of a failed connection.
func connectError(err error) change {
	var status socket.ErrWithStatusCode
	if errors.As(err, &status) && status.StatusCode == http.StatusTooManyRequests {
		return limitedChange(err.Error(), limitDelay)
	}
	if errors.As(err, &status) && status.StatusCode >= 400 && status.StatusCode < 500 {
		n := offlineChange(err.Error())
		n.wait = unknownDelay
		return n
	}
	return offlineChange(err.Error())
}

// changeOf converts one of whatsmeow's events. ok is false if it does not affect the connection.
func changeOf(event any) (n change, ok bool) {
	switch e := event.(type) {
	case *events.Connected:
		return change{up: true}, true
	case *events.Disconnected:
		return offlineChange("the connection was lost"), true
	case *events.ManualLoginReconnect:
		return offlineChange("the server asked for a new connection"), true
	case *events.KeepAliveTimeout:
		return offlineChange("the server does not answer"), e.ErrorCount >= 2
	case *events.LoggedOut:
		return logoutChange(e), true
	case *events.StreamReplaced:
		return haltChange(state.Replaced, "another program has connected with this session"), true
	case *events.ClientOutdated:
		return haltChange(state.Outdated, "405: the server no longer accepts this version"), true
	case *events.TemporaryBan:
		return banChange(e), true
	case *events.ConnectFailure:
		return loginFailure(e), true
	case *events.StreamError:
		return streamError(e), true
	}
	return change{}, false
}

// logoutChange distinguishes a locked account from an unlinked device.
func logoutChange(e *events.LoggedOut) change {
	if e.OnConnect && e.Reason == events.ConnectFailureUnknownLogout {
		return haltChange(state.Banned, "406: the account is locked")
	}
	if !e.OnConnect {
		return haltChange(state.LoggedOut, "the device was removed on the phone")
	}
	return haltChange(state.LoggedOut, e.Reason.String())
}

// banChange distinguishes temporary bans from those without a known end.
func banChange(e *events.TemporaryBan) change {
	if e.Expire <= 0 {
		return haltChange(state.Banned, e.String())
	}
	return limitedChange(e.String(), e.Expire)
}

// loginFailure handles other reasons for a rejected login.
func loginFailure(e *events.ConnectFailure) change {
	why := fmt.Sprintf("%d: %s", int(e.Reason), e.Message)
	switch e.Reason {
	case http.StatusTooManyRequests:
		return limitedChange(why, limitDelay)
	case events.ConnectFailureBadUserAgent:
		return haltChange(state.Outdated, why)
	}
	n := offlineChange(why)
	n.wait = unknownDelay
	return n
}

// streamError handles an error that whatsmeow does not know.
func streamError(e *events.StreamError) change {
	if e.Code == strconv.Itoa(http.StatusTooManyRequests) {
		return limitedChange("the server asked for a pause", limitDelay)
	}
	n := offlineChange("the server ended the connection with the code " + strconv.Quote(e.Code))
	n.wait = 5 * time.Second
	return n
}
