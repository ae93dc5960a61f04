package approval

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
)

// kindOf returns a plan that is one of a family.
func kindOf(session, words, dir string) tools.JudgedPlan {
	j := plan(session, "touch "+dir)
	j.Family = &tools.Family{Words: words, Options: "-a", Dir: dir, Program: "/usr/bin/touch", Stamp: "1"}
	return j
}

// askKind opens a live approval at the machine.
func (as *Approvals) askKind(t *testing.T, j tools.JudgedPlan) *Approval {
	t.Helper()
	a, err := as.Open(j, Record{Ask: ipc.Ask{Channel: "cli"}, AtMachine: true}, as.now().Add(5*time.Minute), true)
	require.NoError(t, err)
	return a
}

// allow asks about a plan and allows its family, and returns the code of the grant.
func (as *Approvals) allow(t *testing.T, j tools.JudgedPlan) string {
	t.Helper()
	a := as.askKind(t, j)
	require.NotNil(t, a.Ask.Family)
	require.NoError(t, as.Resolve(a, ipc.ActionAllowFamily, ipc.Answer{Digest: a.Ask.Digest}, "cli"))
	require.Equal(t, tools.AllowFamily, (<-a.Answer()).Action)
	return a.Ask.Code
}

func (as *Approvals) grantOf(j tools.JudgedPlan) string {
	code, _ := as.FamilyGrant(j)
	return code
}

func TestThreat10AFamilyIsAllowedInItsConversationDirectoryAndProgramOnly(t *testing.T) {
	dir, c := filepath.Join(t.TempDir(), "approvals"), &clock{time.Now()}
	as := open(t, dir, c)
	j := kindOf("s", "touch PATH…", "/home/blu/src")
	code := as.allow(t, j)
	for range 2 { // also after a crash: nothing was closed
		require.Equal(t, code, as.grantOf(j))
		require.False(t, as.IsGranted(plan("s", "touch other")))
		other := j
		other.Session = "other"
		require.Empty(t, as.grantOf(other))
		require.Empty(t, as.grantOf(plan("s", "touch x")), "no family")
		for _, change := range []func(*tools.Family){
			func(f *tools.Family) { f.Words = "mkdir PATH…" },
			func(f *tools.Family) { f.Options = "-a -m" },
			func(f *tools.Family) { f.Dir = "/home/blu" },
			func(f *tools.Family) { f.Program = "/usr/local/bin/touch" },
			func(f *tools.Family) { f.Stamp = "2" },
		} {
			f := *j.Family
			change(&f)
			other := j
			other.Family = &f
			require.Empty(t, as.grantOf(other))
		}
		as = open(t, dir, c)
	}
	require.NoError(t, as.EndGrants("s"))
	require.Empty(t, as.grantOf(j), "the conversation is over")
	require.Empty(t, open(t, dir, c).grantOf(j))
}

func TestThreat10AFamilyIsOfferedOnlyAtTheMachineAndForWhatWasShown(t *testing.T) {
	as := open(t, filepath.Join(t.TempDir(), "approvals"), &clock{time.Now()})
	j := kindOf("s", "touch PATH…", "/d")
	for _, r := range []Record{{Ask: ipc.Ask{Channel: "telegram"}}, {Ask: ipc.Ask{Channel: "cli"}, AtMachine: true, Automation: "rule"}} {
		a, err := as.Open(j, r, as.now().Add(time.Minute), true)
		require.NoError(t, err)
		require.Nil(t, a.Ask.Family)
		require.NotContains(t, Actions(a.Ask), ipc.ActionAllowFamily)
		require.ErrorIs(t, as.Resolve(a, ipc.ActionAllowFamily, ipc.Answer{Digest: a.Ask.Digest}, "telegram"), ErrNoFamily)
	}
	a := as.askKind(t, j)
	require.Contains(t, Actions(a.Ask), ipc.ActionAllowFamily)
	require.ErrorIs(t, as.Resolve(a, ipc.ActionAllowFamily, ipc.Answer{}, "cli"), ErrNoFamily, "an answer that saw nothing")
	require.ErrorIs(t, as.Resolve(a, ipc.ActionAllowFamily, ipc.Answer{Digest: "sha256:other"}, "cli"), ErrDigest)
	require.Empty(t, as.grantOf(j))
	require.NoError(t, as.Resolve(a, ipc.ActionAllowOnce, ipc.Answer{}, "cli"))
	require.Empty(t, as.grantOf(j), "once is once")
}

func TestGrantsAreListedAndRevoked(t *testing.T) {
	dir, c := filepath.Join(t.TempDir(), "approvals"), &clock{time.Now()}
	as := open(t, dir, c)
	first, second := kindOf("s", "touch PATH…", "/a"), kindOf("t", "touch PATH…", "/b")
	code := as.allow(t, first)
	c.at = c.at.Add(time.Minute)
	a := as.askKind(t, plan("s", "touch x"))
	require.NoError(t, as.Resolve(a, ipc.ActionAllowSession, ipc.Answer{}, "cli"))
	c.at = c.at.Add(time.Minute)
	as.allow(t, second)

	list := as.Grants(time.Hour)
	require.Len(t, list, 3)
	require.Equal(t, ipc.Grant{
		Code: code, Family: (*ipc.Family)(first.Family), Channel: "cli", Session: "s", Since: list[0].Since,
	}, list[0])
	require.Equal(t, "touch x", list[1].Command)
	require.Nil(t, list[1].Family)

	c.at = c.at.Add(50 * time.Minute)
	require.NoError(t, as.TouchSession("t", time.Hour))
	c.at = c.at.Add(20 * time.Minute)
	late := as.Grants(time.Hour)
	require.Len(t, late, 1, "the other conversation has ended")
	require.Equal(t, list[2].Since, late[0].Since, "a message does not change since when")

	n, err := as.Revoke("none")
	require.NoError(t, err)
	require.Zero(t, n)
	n, err = as.Revoke("")
	require.NoError(t, err)
	require.Zero(t, n)
	n, err = as.Revoke(" " + code)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Empty(t, as.grantOf(first))
	as = open(t, dir, c) // killed right after
	require.Empty(t, as.grantOf(first))
	require.NotEmpty(t, as.grantOf(second))
	require.True(t, as.IsGranted(plan("s", "touch x")))
	n, err = as.RevokeAll()
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Empty(t, open(t, dir, c).Grants(24*time.Hour))
}

func TestAConversationHasAtMostTwentyFamilies(t *testing.T) {
	as := open(t, filepath.Join(t.TempDir(), "approvals"), &clock{time.Now()})
	early := as.askKind(t, kindOf("s", "touch PATH…", "/early"))
	for i := range maxFamilies {
		as.allow(t, kindOf("s", "touch PATH…", fmt.Sprint("/d", i)))
	}
	require.Nil(t, as.askKind(t, kindOf("s", "touch PATH…", "/more")).Ask.Family)
	require.ErrorIs(t, as.Resolve(early, ipc.ActionAllowFamily, ipc.Answer{Digest: early.Ask.Digest}, "cli"), ErrNoFamily)
	require.NotNil(t, as.askKind(t, kindOf("other", "touch PATH…", "/more")).Ask.Family)
	require.NotNil(t, as.askKind(t, kindOf("s", "touch PATH…", "/d3")).Ask.Family, "one that is allowed already is no more")
}

func TestGrantsOfAnEarlierVersionAreListed(t *testing.T) {
	dir, c := filepath.Join(t.TempDir(), "approvals"), &clock{time.Now()}
	require.NoError(t, os.MkdirAll(dir, 0o700))
	at := c.at.Format(time.RFC3339)
	line := `{"grant":{"session":"s","digest":"sha256:a1b2c3","at":"` + at + `"}}`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "answers.jsonl"), []byte(line+"\n"), 0o600))
	as := open(t, dir, c)
	list := as.Grants(time.Hour)
	require.Len(t, list, 1)
	require.Equal(t, "A1B2", list[0].Code)
	require.False(t, list[0].Since.IsZero())
	n, err := as.Revoke("a1b2")
	require.NoError(t, err)
	require.Equal(t, 1, n)
}
