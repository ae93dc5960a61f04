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

// news is what happened to a connection: it is up, or it ended, and how it stands
// until the next one.
type news struct {
	up    bool
	halt  bool // nothing helps but the person
	stand state.State
	wait  time.Duration // at least so long
}

// The pauses that servers ask for without saying how long.
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

// refused is what a connection that was not made means.
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

// newsOf is what one of whatsmeow's events means for the connection; ok is false
// where it means nothing.
func newsOf(event any) (n news, ok bool) {
	switch e := event.(type) {
	case *events.Connected:
		return news{up: true}, true
	case *events.Disconnected:
		return offline("the connection was lost"), true
	case *events.ManualLoginReconnect:
		return offline("the server asks to connect anew"), true
	case *events.KeepAliveTimeout:
		return offline("the server does not answer"), e.ErrorCount >= 2
	case *events.LoggedOut:
		return loggedOut(e), true
	case *events.StreamReplaced:
		return halted(state.Replaced, "another program has connected with this session"), true
	case *events.ClientOutdated:
		return halted(state.Outdated, "405: the server takes this version no more"), true
	case *events.TemporaryBan:
		return banned(e), true
	case *events.ConnectFailure:
		return failed(e), true
	case *events.StreamError:
		return streamError(e), true
	}
	return news{}, false
}

// loggedOut tells an account that WhatsApp has locked from a device that the
// phone has unlinked.
func loggedOut(e *events.LoggedOut) news {
	if e.OnConnect && e.Reason == events.ConnectFailureUnknownLogout {
		return halted(state.Banned, "406: the account is locked")
	}
	if !e.OnConnect {
		return halted(state.LoggedOut, "the device was removed on the phone")
	}
	return halted(state.LoggedOut, e.Reason.String())
}

// banned tells a ban that ends from one that nobody knows the end of.
func banned(e *events.TemporaryBan) news {
	if e.Expire <= 0 {
		return halted(state.Banned, e.String())
	}
	return limited(e.String(), e.Expire)
}

// failed is a login that was refused for another reason.
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

// streamError is an error of a kind that whatsmeow does not know.
func streamError(e *events.StreamError) news {
	if e.Code == strconv.Itoa(http.StatusTooManyRequests) {
		return limited("the server asks for a pause", limitPause)
	}
	n := offline("the server ended the connection with the code " + strconv.Quote(e.Code))
	n.wait = 5 * time.Second
	return n
}
