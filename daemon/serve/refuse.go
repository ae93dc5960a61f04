package serve

import (
	"net"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// refuseTime is how long a daemon that cannot start answers the clients that started it.
const refuseTime = 500 * time.Millisecond

// Refuse answers the clients that wait on l with the reason why this daemon does not serve them, so that
// they report the cause and not a lost connection. It closes l and returns after half a
// second.
func Refuse(l net.Listener, uid int, cause error, lang i18n.Lang) {
	until := time.Now().Add(refuseTime)
	defer time.AfterFunc(refuseTime, func() { l.Close() }).Stop()
	var clients sync.WaitGroup
	defer clients.Wait()
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		clients.Go(func() { refuse(c, uid, until, cause, lang) })
	}
}

// refuse answers a client's hello with an error. A client of another user gets nothing.
func refuse(c net.Conn, uid int, until time.Time, cause error, lang i18n.Lang) {
	defer c.Close()
	uc, ok := c.(*net.UnixConn)
	if !ok || uc.SetDeadline(until.Add(refuseTime)) != nil {
		return
	}
	if peer, err := ipc.PeerOf(uc); err != nil || peer.UID != uid {
		return
	}
	conn := ipc.NewConn(uc)
	m, err := conn.Read() // a client that is answered before it wrote does not read
	if err != nil {
		return
	}
	var hello ipc.Hello
	if m.Type == ipc.TypeHello && m.Decode(&hello) == nil && hello.Lang != "" {
		lang = i18n.Choose(hello.Lang)
	}
	_ = conn.Write(ipc.Message{
		Type: ipc.TypeError, Re: m.ID, Done: true, Error: &ipc.Error{Code: ipc.CodeBusy, Message: i18n.ErrorText(cause, lang)},
	})
}
