package tools_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/tools"
)

// notebook is a [action.Notebook] in memory.
type notebook struct {
	notes  []memory.Note
	user   []string
	echoes []memory.Note
	fail   error
}

func (b *notebook) Remember(_ context.Context, n memory.Note) (memory.Change, error) {
	if b.fail != nil {
		return memory.Change{}, b.fail
	}
	if n.Key == "" {
		n.Key = "k" + n.Text[:1]
	}
	n.Source, n.Created = "MEMORY.md", time.Date(2026, 2, 20, 0, 0, 0, 0, time.UTC)
	change := memory.Change{File: n.Source, Added: []string{n.Text}, Note: n}
	b.notes = slices.DeleteFunc(b.notes, func(old memory.Note) bool {
		if old.Key == n.Key {
			change.Removed = append(change.Removed, old.Text)
		}
		return old.Key == n.Key
	})
	b.notes = append(b.notes, n)
	return change, nil
}

func (b *notebook) Recall(_ context.Context, q memory.Query) ([]memory.Hit, error) {
	var hits []memory.Hit
	for _, n := range b.notes {
		if strings.Contains(n.Text+n.Key, q.Words) && len(hits) < q.Limit {
			hits = append(hits, memory.Hit{Note: n, Score: 0.5})
		}
	}
	return hits, b.fail
}

func (b *notebook) Forget(_ context.Context, key string) (memory.Change, error) {
	i := slices.IndexFunc(b.notes, func(n memory.Note) bool { return n.Key == key || n.Text == key })
	if i < 0 {
		return memory.Change{}, errors.New("no such note")
	}
	n := b.notes[i]
	b.notes = slices.Delete(b.notes, i, i+1)
	return memory.Change{File: n.Source, Removed: []string{n.Text}, Note: n}, nil
}

func (b *notebook) Echoes(context.Context, memory.Note) []memory.Note { return b.echoes }

func (b *notebook) UserChange(content string) (memory.Change, error) {
	change, lines := memory.Change{File: "USER.md"}, strings.Split(content, "\n")
	for _, l := range b.user {
		if !slices.Contains(lines, l) {
			change.Removed = append(change.Removed, l)
		}
	}
	for _, l := range lines {
		if !slices.Contains(b.user, l) {
			change.Added = append(change.Added, l)
		}
	}
	return change, nil
}

func (b *notebook) UpdateUser(_ context.Context, content string) (memory.Change, error) {
	change, err := b.UserChange(content)
	b.user = strings.Split(content, "\n")
	return change, err
}

func (b *notebook) Find(_ context.Context, key string) (memory.Note, error) {
	for _, same := range []func(memory.Note) bool{
		func(n memory.Note) bool { return n.Key == memory.Slug(key) },
		func(n memory.Note) bool { return strings.EqualFold(n.Text, key) },
	} {
		var found []memory.Note
		for _, n := range b.notes {
			if same(n) {
				found = append(found, n)
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return memory.Note{}, &memory.AmbiguousError{Key: key, Notes: found}
		}
	}
	return memory.Note{}, memory.ErrNoNote
}

// newNoteGate returns a gate with a notebook that has a note about the NAS.
func newNoteGate(t *testing.T, change ...func(*tools.Options)) (*testGate, *notebook) {
	b := &notebook{notes: []memory.Note{{Key: "nas", Text: "NAS 주소는 192.168.0.20", Source: "MEMORY.md"}}, user: []string{"Name: Blu"}}
	return newTestGate(t, append([]func(*tools.Options){func(o *tools.Options) { o.Services.Notebook = b }}, change...)...), b
}

// untrustedCall returns a call in a turn that has read text of others and in which the person wrote words.
func untrustedCall(c tools.Call, words string) tools.Call {
	c.Untrusted, c.Words = true, words
	return c
}

func (d *testGate) judgeCall(c tools.Call) tools.JudgedPlan {
	d.t.Helper()
	j, refused := d.Prepare(c, "s", d.dir)
	require.Nil(d.t, refused, "%+v", refused)
	return j
}

// TestH10WhatGoesWithANoteIsShown: the question shows the lines that repeat the note.
func TestH10WhatGoesWithANoteIsShown(t *testing.T) {
	d, b := newNoteGate(t)
	for i := range 12 {
		b.echoes = append(b.echoes, memory.Note{Source: "daily/2026-02-20.md", Line: i + 1, Text: "NAS? · - · 192.168.0.20"})
	}
	j := d.judgeCall(newCall(t, "forget", in{"key": "nas"}))
	require.Equal(t, "note-goes: NAS 주소는 192.168.0.20", j.Warnings[0])
	require.Contains(t, j.Warnings[1], "note-echoes: daily/2026-02-20.md:1 NAS? · - · 192.168.0.20\ndaily/2026-02-20.md:2 ")
	require.Contains(t, j.Warnings[1], "… +2")
}
