package waserver

import (
	"time"

	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/types"
)

// handleNode handles a node from a linked device.
func (s *Server) handleNode(c *conn, n *waBinary.Node) {
	switch n.Tag {
	case "iq":
		s.handleQuery(c, n)
	case "message":
		s.handlePost(c, n)
	case "receipt":
		s.handleReceipt(c, n)
	case "ack":
		s.mu.Lock()
		s.removeQueued(text(n.Attrs["id"]))
		s.mu.Unlock()
	case "chatstate":
		s.countTyping(n)
	}
}

func text(v any) string {
	t, _ := v.(string)
	return t
}

// handleQuery answers a request.
func (s *Server) handleQuery(c *conn, n *waBinary.Node) {
	answer := waBinary.Node{Tag: "iq", Attrs: waBinary.Attrs{"from": types.ServerJID, "type": "result", "id": n.Attrs["id"]}}
	var after func()
	s.mu.Lock()
	switch n.Attrs["xmlns"] {
	case "encrypt":
		answer.Content = s.handleKeys(c, n)
	case "usync":
		answer.Content = s.handleUsync(n)
	case "w:m":
		answer.Content = mediaHosts()
	case "privacy":
		answer.Content = []waBinary.Node{{Tag: "privacy"}}
	case "md":
		after = s.handleUnlink(n)
	case "passive":
		after = func() { s.sendQueue(c) }
	}
	mute := s.failures.mute
	s.mu.Unlock()
	if mute {
		return
	}
	c.send(answer)
	if after != nil {
		after()
	}
}

// handleKeys counts, stores or hands out one-time keys.
func (s *Server) handleKeys(c *conn, n *waBinary.Node) []waBinary.Node {
	if n.Attrs["type"] == "set" {
		s.companion.storeKeys(n)
		return nil
	}
	asked, ok := n.GetOptionalChildByTag("key")
	if !ok {
		return []waBinary.Node{{Tag: "count", Attrs: waBinary.Attrs{"value": len(s.companion.oneTime)}}}
	}
	var users []waBinary.Node
	for _, u := range asked.GetChildren() {
		jid, _ := u.Attrs["jid"].(types.JID)
		p := s.find(jid)
		if p == nil {
			continue
		}
		if node, err := p.bundle(c.ctx, jid); err == nil {
			users = append(users, node)
		}
	}
	return []waBinary.Node{{Tag: "list", Content: users}}
}

// handleUsync answers with people's devices and hidden IDs.
func (s *Server) handleUsync(n *waBinary.Node) []waBinary.Node {
	list := n.GetChildByTag("usync", "list")
	var users []waBinary.Node
	for _, u := range list.GetChildren() {
		jid, _ := u.Attrs["jid"].(types.JID)
		user := waBinary.Node{Tag: "user", Attrs: waBinary.Attrs{"jid": jid}}
		if p := s.find(jid); p != nil {
			devices := []waBinary.Node{{Tag: "device", Attrs: waBinary.Attrs{"id": 0}}}
			if p == s.account {
				devices = append(devices, waBinary.Node{Tag: "device", Attrs: waBinary.Attrs{"id": int(s.companion.device)}})
			}
			user.Content = []waBinary.Node{
				{Tag: "devices", Content: []waBinary.Node{{Tag: "device-list", Content: devices}}},
				{Tag: "lid", Attrs: waBinary.Attrs{"val": p.hidden()}},
			}
		}
		users = append(users, user)
	}
	return []waBinary.Node{{Tag: "usync", Content: []waBinary.Node{{Tag: "list", Content: users}}}}
}

// handleUnlink handles the device's logout.
func (s *Server) handleUnlink(n *waBinary.Node) func() {
	if _, ok := n.GetOptionalChildByTag("remove-companion-device"); !ok {
		return nil
	}
	s.removed = true
	s.notify()
	return nil
}

// sendQueue sends a device all queued messages.
func (s *Server) sendQueue(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.active = true
	s.flush()
	c.send(waBinary.Node{Tag: "ib", Attrs: waBinary.Attrs{"from": types.ServerJID}, Content: []waBinary.Node{
		{Tag: "offline", Attrs: waBinary.Attrs{"count": len(s.queue)}},
	}})
	s.notify()
}

// countTyping counts a typing indicator.
func (s *Server) countTyping(n *waBinary.Node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	to, _ := n.Attrs["to"].(types.JID)
	if _, ok := n.GetOptionalChildByTag("composing"); !ok {
		return
	}
	if p := s.find(to); p != nil {
		p.typed++
		s.notify()
	}
}

// handleReceipt removes a message from the queue, or resends it if the device could not decrypt it.
func (s *Server) handleReceipt(c *conn, n *waBinary.Node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := []string{text(n.Attrs["id"])}
	if list, ok := n.GetOptionalChildByTag("list"); ok {
		for _, item := range list.GetChildren() {
			ids = append(ids, text(item.Attrs["id"]))
		}
	}
	kind := text(n.Attrs["type"])
	for _, id := range ids {
		if s.receipts[id] != "read" { // a read receipt implies delivery, whichever arrives first
			s.receipts[id] = kind
		}
		if kind == "retry" {
			s.reencrypt(id)
			continue
		}
		s.removeQueued(id)
	}
	c.send(waBinary.Node{Tag: "ack", Attrs: waBinary.Attrs{"class": "receipt", "id": n.Attrs["id"], "from": n.Attrs["to"], "t": time.Now().Unix()}})
	s.notify()
}

// removeQueued removes a message from the queue.
func (s *Server) removeQueued(id string) {
	for i, l := range s.queue {
		if l.id == id {
			s.queue = append(s.queue[:i:i], s.queue[i+1:]...)
			return
		}
	}
}
