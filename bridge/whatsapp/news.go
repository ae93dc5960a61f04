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

// news is a change of the connection: it is up, or it ended, and in which state the bridge is until
// the next one.
type news struct {
	up    bool
	halt  bool // requires action by the person
	stand state.State
	wait  time.Duration // minimum delay
}

// Delays if the server does not name one.
const (
	limitPause   = 5 * time.Minute
	unknownPause = time.Minute
)

func offline(why string) news {
	return news{stand: state.State{Phase: state.Offline, Detail: why}}
}

func halted(phase state.Phase, why string) news {
	return news{halt: true, stand: state.State{Phase: phase, Detail: why}}
}

func limited(why string, wait time.Duration) news {
	return news{stand: state.State{Phase: state.Limited, Detail: why}, wait: wait}
}

// refused converts the error of a failed connection.
func refused(err error) news {
	var status socket.ErrWithStatusCode
	if errors.As(err, &status) && status.StatusCode == http.StatusTooManyRequests {
		return limited(err.Error(), limitPause)
	}
	if errors.As(err, &status) && status.StatusCode >= 400 && status.StatusCode < 500 {
		n := offline(err.Error())
		n.wait = unknownPause
		return n
	}
	return offline(err.Error())
}

// newsOf converts one of whatsmeow's events. ok is false if it does not affect the connection.
func newsOf(event any) (n news, ok bool) {
	switch e := event.(type) {
	case *events.Connected:
		return news{up: true}, true
	case *events.Disconnected:
		return offline("the connection was lost"), true
	case *events.ManualLoginReconnect:
		return offline("the server asked for a new connection"), true
	case *events.KeepAliveTimeout:
		return offline("the server does not answer"), e.ErrorCount >= 2
	case *events.LoggedOut:
		return loggedOut(e), true
	case *events.StreamReplaced:
		return halted(state.Replaced, "another program has connected with this session"), true
	case *events.ClientOutdated:
		return halted(state.Outdated, "405: the server no longer accepts this version"), true
	case *events.TemporaryBan:
		return banned(e), true
	case *events.ConnectFailure:
		return failed(e), true
	case *events.StreamError:
		return streamError(e), true
	}
	return news{}, false
}

// loggedOut distinguishes a locked account from an unlinked device.
func loggedOut(e *events.LoggedOut) news {
	if e.OnConnect && e.Reason == events.ConnectFailureUnknownLogout {
		return halted(state.Banned, "406: the account is locked")
	}
	if !e.OnConnect {
		return halted(state.LoggedOut, "the device was removed on the phone")
	}
	return halted(state.LoggedOut, e.Reason.String())
}

// banned distinguishes temporary bans from those without a known end.
func banned(e *events.TemporaryBan) news {
	if e.Expire <= 0 {
		return halted(state.Banned, e.String())
	}
	return limited(e.String(), e.Expire)
}

// failed handles other reasons for a rejected login.
func failed(e *events.ConnectFailure) news {
	why := fmt.Sprintf("%d: %s", int(e.Reason), e.Message)
	switch e.Reason {
	case http.StatusTooManyRequests:
		return limited(why, limitPause)
	case events.ConnectFailureBadUserAgent:
		return halted(state.Outdated, why)
	}
	n := offline(why)
	n.wait = unknownPause
	return n
}

// streamError handles an error that whatsmeow does not know.
func streamError(e *events.StreamError) news {
	if e.Code == strconv.Itoa(http.StatusTooManyRequests) {
		return limited("the server asked for a pause", limitPause)
	}
	n := offline("the server ended the connection with the code " + strconv.Quote(e.Code))
	n.wait = 5 * time.Second
	return n
}
