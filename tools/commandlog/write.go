package commandlog

import (
	"bytes"
	"strings"

	"github.com/nidoit/blunux-ai/internal/crash"
)

// A writer holds a lock on commands.log. It announces the hashes of the next line and record in the head, writes the
// line, then the record, syncs both concurrently, then updates the head. A command only starts after that. So a process
// killed at any byte leaves one of: a part of a line; a line without a record; a line and a part of a record; a record
// that is not in the head yet. A power failure can also leave a record without its complete line, and lose records of
// results, which are not synced, so that the head is ahead of the chain. These two are only excused if the machine has
// rebooted since (the head has the boot id). The next writer repairs each of them and records that. [Log.Verify] counts
// the repairs, and reports everything else as a problem.

// begin writes a command's line and record, and returns when both are on disk.
func (b *openFiles) begin(k *link) error {
	k.Time = formatTime(b.now())
	line := k.line()
	k.Log = b.last.Log + int64(len(line))
	if err := b.append(k, line); err != nil {
		return err
	}
	crash.Here(crash.LogWritten)
	err := b.syncAndMark()
	crash.Here(crash.LogSynced)
	return err
}

// finish writes the record of a command's result without waiting for the disk.
func (b *openFiles) finish(k *link) error {
	k.Log = b.last.Log
	if err := b.append(k, ""); err != nil {
		return err
	}
	return b.writeHead(false)
}

// append writes a line of commands.log and then its record. In this order, a line without a record can be
// recovered, and a record without its line is damage.
func (b *openFiles) append(k *link, line string) error {
	if k.Time == "" {
		k.Time = formatTime(b.now())
	}
	// A number that was lost in a power failure is not used again, because another power failure can restore
	// the head that has it.
	k.Seq, k.Prev = b.last.Seq+1+k.Lost, b.last.Hash
	if k.Seq == 1 {
		k.Prev = genesis()
	}
	record, err := k.encode()
	if err != nil {
		return err
	}
	if err := b.announce(k, line); err != nil {
		return err
	}
	if line != "" {
		if err := b.store.put(b.log, []byte(line), -1); err != nil {
			return err
		}
	}
	if err := b.store.put(b.audit, record, -1); err != nil {
		return err
	}
	b.last, b.record = *k, record
	b.end += int64(len(record))
	return nil
}

// announce writes the hashes of the next record and its line to the head, to distinguish the effects of a
// killed process from additions by others. A repair keeps the announcement of the line that the crash left.
func (b *openFiles) announce(k *link, line string) error {
	h := b.state.head
	if h.n == 0 {
		return nil
	}
	if line != "" {
		h.line = sum([]byte(line))[:announcedDigits]
	}
	h.n, h.next = h.n+1, k.Hash[:announcedDigits]
	text, at := h.encode()
	if err := b.store.put(b.head, text, at); err != nil {
		return err
	}
	b.state.head = h
	return nil
}

// syncAndMark syncs the written data and updates the head.
func (b *openFiles) syncAndMark() error {
	err := b.syncBoth()
	if err == nil {
		err = b.writeHead(true)
	}
	if err == nil && b.hasNewFile {
		err = b.syncNew()
	}
	return err
}

// writeHead writes the last record to the head. If reboots cannot be detected, it only does so for data on disk.
func (b *openFiles) writeHead(synced bool) error {
	if !synced && b.boot == "" {
		return nil
	}
	h := b.state.head
	h.n, h.seq, h.hash, h.boot = h.n+1, b.last.Seq, b.last.Hash, b.boot
	h.next, h.line, h.isOld = "", "", false
	if synced {
		h.synced = h.seq
	}
	line, at := h.encode()
	if err := b.store.put(b.head, line, at); err != nil {
		return err
	}
	b.state.head = h
	if synced && b.anchor != nil {
		_ = b.anchor.keep(b.path, Head{h.seq, h.hash}) // without a journal, the two files must suffice
	}
	return b.writeWitness(h)
}

// writeWitness copies the head to the second file, which has its own count of writes.
func (b *openFiles) writeWitness(h head) error {
	if b.witnessFile == nil {
		return nil
	}
	h.n = b.state.witness.n + 1
	line, at := h.encode()
	if err := b.store.put(b.witnessFile, line, at); err != nil {
		return err
	}
	b.state.witness = h
	return nil
}

// repairEnd finds the chain's end and repairs it, so that the next record can follow.
func (b *openFiles) repairEnd() error {
	v, err := b.view()
	if err == nil {
		b.state, err = v.inspect()
	}
	if err != nil {
		return err
	}
	// Also if a crash happened between creating the files and syncing the first head: only a chain of one
	// record can lack a head.
	b.hasNewFile = b.hasNewFile || b.state.head.n == 0
	if b.state.head.n == 1 {
		if err := b.syncNew(); err != nil {
			return err
		}
	}
	if b.isUnended {
		if err := b.store.put(b.audit, []byte("\n"), -1); err != nil {
			return err
		}
	}
	switch {
	case b.last.Seq == 0:
		return b.repair(v, eventChain)
	case !b.isClean():
		return b.repair(v, eventRepair)
	case b.state.head.seq != b.last.Seq:
		// Killed before the head was written, possibly before the sync. A power failure is only allowed to lose
		// one unsynced command.
		return b.syncAndMark()
	}
	return nil
}

func (b *openFiles) view() (view, error) {
	v := view{log: b.log, audit: b.audit, head: b.head, boot: b.boot}
	var err error
	if v.logSize, err = size(b.log); err != nil {
		return v, err
	}
	if v.auditSize, err = size(b.audit); err != nil {
		return v, err
	}
	if v.headSize, err = size(b.head); err != nil {
		return v, err
	}
	v.witness = b.witnessFile
	v.witnessSize, err = size(b.witnessFile)
	return v, err
}

// repair repairs the files by appending to them, and writes the record that describes it. If it is killed, the
// next repair finds a little more.
func (b *openFiles) repair(v view, event string) error {
	k := &link{Event: event, Lost: b.lost, Damage: b.damage}
	if len(b.damage) > 0 && event != eventChain {
		k.Event = eventDamage
	}
	if err := b.repairLog(v, k); err != nil {
		return err
	}
	if b.cut > 0 {
		if err := b.endCut(v, k); err != nil {
			return err
		}
	}
	if err := b.append(k, ""); err != nil {
		return err
	}
	return b.syncAndMark()
}

// endCut ends the data after the last record with a line feed, and describes it.
func (b *openFiles) endCut(v view, k *link) error {
	ended, err := endsLine(v.audit, v.auditSize)
	then := ""
	if err == nil && !ended {
		then = "\n"
		err = b.store.put(b.audit, []byte(then), -1)
	}
	if err == nil {
		k.Cut, err = spanOf(v.audit, b.state.end, v.auditSize, then)
	}
	return err
}

// repairLog repairs commands.log.
func (b *openFiles) repairLog(v view, k *link) error {
	if b.short > 0 {
		return b.completeLine(v, k)
	}
	ended, err := endsLine(v.log, v.logSize)
	then := ""
	if err == nil && !ended {
		then = "\n"
		err = b.store.put(b.log, []byte(then), -1)
	}
	k.Log = v.logSize + int64(len(then))
	if err != nil || k.Log <= b.last.Log || k.Event == eventDamage {
		return err
	}
	if k.Text, err = spanOf(v.log, b.last.Log, v.logSize, then); err == nil && then == "" && k.Event == eventRepair {
		err = b.recoverLine(v, k)
	}
	return err
}

// completeLine writes the missing part of the last record's line.
func (b *openFiles) completeLine(v view, k *link) error {
	if b.empty > 0 {
		if err := b.log.Truncate(v.logSize - b.empty); err != nil {
			return err
		}
	}
	line := b.last.line()
	k.Of, k.Log = b.last.Seq, b.last.Log
	return b.store.put(b.log, []byte(line[int64(len(line))-b.short:]), -1)
}

// recoverLine makes k the record of a line without one, if that line was announced or a power failure can have
// lost its announcement.
func (b *openFiles) recoverLine(v view, k *link) error {
	line := make([]byte, min(v.logSize-b.last.Log, maxLine))
	if _, err := v.log.ReadAt(line, b.last.Log); err != nil {
		return err
	}
	if v.requiresAnnouncement(b.state.head) && sum(line)[:announcedDigits] != b.state.head.line {
		return nil
	}
	r, err := Parse(string(bytes.TrimSuffix(line, []byte("\n"))))
	if err == nil && strings.Count(string(line), "\n") == 1 {
		k.Event, k.Class, k.Command = eventRecovered, r.Class, Escape(r.Command)
	}
	return nil
}
