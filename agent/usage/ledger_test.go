package usage

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/providers"
)

// clock is a clock that only advances when a test sets it.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func noon() *clock { return &clock{time.Date(2026, 11, 22, 12, 0, 0, 0, time.Local)} }

func ledger(t testing.TB, c *clock) *Ledger {
	return New(filepath.Join(t.TempDir(), "usage", "usage.jsonl"), c.now)
}

// dollarEntry returns an entry that costs a dollar.
func dollarEntry(provider string) Entry {
	return Entry{
		Key:  Key{Provider: provider, Model: "m", Session: "agent:main:session:cli/default", Channel: "cli"},
		Task: "t5d5442b8f59f", Usage: providers.Usage{InputTokens: 100, OutputTokens: 10, CachedTokens: 40}, Cost: Dollar, Priced: true,
	}
}

func TestWhatWasAskedIsSummedUpByWhoeverAnswered(t *testing.T) {
	c := noon()
	l := ledger(t, c)
	require.NoError(t, l.Add(dollarEntry("claude")))
	require.NoError(t, l.Add(dollarEntry("claude")))
	unknown := dollarEntry("custom")
	unknown.Priced, unknown.Channel = false, "telegram"
	c.at = c.at.AddDate(0, 0, 1)
	require.NoError(t, l.Add(unknown))

	one := Sum{Requests: 1, In: 100, Out: 10, Cached: 40}
	two, open := one.Add(one), one
	two.Cost, open.Unpriced = 2*Dollar, 1
	for by, want := range map[Grouping][]Row{
		ByDay:        {{"2026-11-22", two}, {"2026-11-23", open}},
		ByProvider:   {{"claude", two}, {"custom", open}},
		ByModel:      {{"claude/m", two}, {"custom/m", open}},
		ByChannel:    {{"cli", two}, {"telegram", open}},
		BySession:    {{"agent:main:session:cli/default", two.Add(open)}},
		ByAutomation: {{"", two.Add(open)}},
	} {
		rows, total := l.Rows("", by, "")
		require.Equal(t, want, rows, by)
		require.Equal(t, two.Add(open), total)
	}
	rows, total := l.Rows("2026-11-23", ByProvider, "")
	require.Equal(t, []Row{{"custom", open}}, rows)
	require.Equal(t, open, total)
	rows, _ = l.Rows("", ByProvider, "telegram")
	require.Equal(t, []Row{{"custom", open}}, rows, "one channel's only")
	date, today := l.Today()
	require.Equal(t, "2026-11-23", date)
	require.Equal(t, open, today)
	require.Empty(t, l.Problems())
}

func TestALedgerSurvivesItsDaemonAndATornEnd(t *testing.T) {
	c := noon()
	l := ledger(t, c)
	for range 3 {
		require.NoError(t, l.Add(dollarEntry("claude")))
	}
	data, err := os.ReadFile(l.Path())
	require.NoError(t, err)
	require.NoError(t, os.Truncate(l.Path(), int64(len(data)-20))) // the daemon was killed while writing
	l = New(l.Path(), c.now)
	require.NoError(t, l.Add(dollarEntry("claude")))
	l = New(l.Path(), c.now)
	_, total := l.Rows("", ByDay, "")
	require.Equal(t, int64(3), total.Requests)
	require.Empty(t, l.Problems())
}

func TestALineThatCannotBeReadIsToldAndTheOthersCount(t *testing.T) {
	c := noon()
	l := ledger(t, c)
	require.NoError(t, l.Add(dollarEntry("claude")))
	for _, bad := range []string{"rubbish", `{"day":"yesterday","requests":1}`, `{"time":"2026-11-22T12:00:00Z","provider":"x","in":-1}`, `{"day":"2026-11-22","usd":-1}`} {
		f, err := os.OpenFile(l.Path(), os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = fmt.Fprintln(f, bad)
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	l = New(l.Path(), c.now)
	_, total := l.Rows("", ByDay, "")
	require.Equal(t, int64(1), total.Requests)
	require.Len(t, l.Problems(), 4)
	require.ErrorContains(t, l.Problems()[0], "usage.jsonl:3")
}

func TestWhatCannotBeWrittenCountsIsToldAndIsWrittenLater(t *testing.T) {
	c := noon()
	l := ledger(t, c)
	dir := filepath.Dir(l.Path())
	require.NoError(t, os.WriteFile(dir, nil, 0o600)) // a file instead of the directory
	for range 3 * maxPending {
		require.Error(t, l.Add(dollarEntry("claude")))
	}
	require.Less(t, len(l.pending), maxPending, "it does not take ever more memory")
	_, today := l.Today()
	require.Equal(t, int64(3*maxPending), today.Requests)
	require.NotEmpty(t, l.Problems())
	require.Error(t, l.Close())

	require.NoError(t, os.Remove(dir))
	require.NoError(t, l.Add(dollarEntry("claude")))
	require.Empty(t, l.Problems())
	l = New(l.Path(), c.now)
	_, today = l.Today()
	require.Equal(t, int64(3*maxPending+1), today.Requests)
}

func TestOnAFullDiskNothingIsLostThatFitsLater(t *testing.T) {
	mount := t.TempDir()
	if err := unix.Mount("tmpfs", mount, "tmpfs", 0, "size=64k,mode=0700"); err != nil {
		require.NotZero(t, os.Geteuid(), "root can mount: %v", err)
		t.Skipf("only root can mount a small disk: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(mount, unix.MNT_DETACH)) })
	c := noon()
	l := New(filepath.Join(mount, "usage", "usage.jsonl"), c.now)
	require.NoError(t, l.Add(dollarEntry("claude")))
	fill, err := os.Create(filepath.Join(mount, "fill"))
	require.NoError(t, err)
	for err == nil {
		_, err = fill.Write(make([]byte, 4096))
	}
	require.NoError(t, fill.Close())
	n := int64(1)
	for err = nil; err == nil; n++ { // the last page can have free space
		err = l.Add(dollarEntry("claude"))
	}
	require.ErrorIs(t, err, unix.ENOSPC)
	require.ErrorIs(t, errors.Join(l.Problems()...), unix.ENOSPC)
	require.NoError(t, os.Remove(fill.Name()))
	require.NoError(t, l.Add(dollarEntry("claude")))
	n++
	require.Empty(t, l.Problems())
	_, total := New(l.Path(), c.now).Rows("", ByDay, "")
	require.Equal(t, n, total.Requests)
	require.Equal(t, Money(n)*Dollar, total.Cost)
}

// TestALedgerOfYearsStaysSmall: ten new conversations every day for three years.
func TestALedgerOfYearsStaysSmall(t *testing.T) {
	c := noon()
	l := ledger(t, c)
	want := Sum{}
	for d := range 3 * 365 {
		for i := range 10 {
			e := dollarEntry([]string{"claude", "ollama"}[i%2])
			e.Session = fmt.Sprintf("agent:main:session:cli/%d-%d", d, i)
			require.NoError(t, l.Add(e))
			want = want.Add(Sum{Requests: 1, In: 100, Out: 10, Cached: 40, Cost: Dollar})
		}
		c.at = c.at.AddDate(0, 0, 1)
	}
	fi, err := os.Stat(l.Path())
	require.NoError(t, err)
	require.Less(t, fi.Size(), int64(2*maxFile+4096))
	require.Less(t, l.keys, 2*maxSums)
	for _, l := range []*Ledger{l, New(l.Path(), c.now)} {
		_, total := l.Rows("", ByDay, "")
		require.Equal(t, want, total)
		rows, _ := l.Rows("", ByDay, "")
		require.Len(t, rows, 3*365)
		rows, _ = l.Rows("", ByProvider, "")
		require.Len(t, rows, 2)
	}
	rows, _ := l.Rows(c.at.AddDate(0, 0, -10).Format(time.DateOnly), BySession, "")
	require.Len(t, rows, 100, "conversations of late are told apart")
}

func TestADayOfManyConversationsStaysSmall(t *testing.T) {
	l := ledger(t, noon())
	for i := range 3_000 {
		e := dollarEntry("claude")
		e.Session = fmt.Sprint("s", i)
		require.NoError(t, l.Add(e))
	}
	for _, l := range []*Ledger{l, New(l.Path(), l.now)} {
		rows, total := l.Rows("", BySession, "")
		require.Equal(t, int64(3_000), total.Requests)
		require.LessOrEqual(t, l.keys, maxDaySums+1)
		require.Len(t, rows, maxDaySums+1, "the rest in one row")
	}
}

func TestPeersThatAreEverOthersDoNotFillTheMemory(t *testing.T) {
	c := noon()
	l := ledger(t, c)
	for i := range 25_000 {
		e := dollarEntry("claude")
		e.Session, e.Channel = fmt.Sprint("s", i), fmt.Sprint("c", i)
		require.NoError(t, l.Add(e))
	}
	require.Less(t, l.keys, 2*maxSums)
	_, total := New(l.Path(), c.now).Rows("", ByDay, "")
	require.Equal(t, int64(25_000), total.Requests)
}

func TestNamesThatPeersChooseAreBounded(t *testing.T) {
	c := noon()
	l := ledger(t, c)
	e := dollarEntry("claude")
	e.Channel = strings.Repeat("한", 10_000)
	require.NoError(t, l.Add(e))
	fi, err := os.Stat(l.Path())
	require.NoError(t, err)
	require.Less(t, fi.Size(), int64(1000))
	rows, _ := l.Rows("", ByChannel, "")
	require.Equal(t, strings.Repeat("한", maxName/3)+"…", rows[0].Name)
}

func TestSinceIsADayOrAnError(t *testing.T) {
	l := ledger(t, noon())
	for text, want := range map[string]string{
		"": "", "all": "", "today": "2026-11-22", "1d": "2026-11-22", "7d": "2026-11-16", "2026-11-01": "2026-11-01",
	} {
		day, err := l.ParseSince(text)
		require.NoError(t, err, text)
		require.Equal(t, want, day, text)
	}
	for _, text := range []string{"7", "0d", "-1d", "xd", "2026-13-01", "yesterday", "99999d"} {
		_, err := l.ParseSince(text)
		require.ErrorIs(t, err, ErrSince, text)
	}
}

func TestMoneyIsWrittenAndReadExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Money(rapid.Int64Range(0, int64(maxMoney)).Draw(t, "money"))
		text, err := m.MarshalJSON()
		require.NoError(t, err)
		var back Money
		require.NoError(t, back.UnmarshalJSON(text))
		require.Equal(t, m, back)
		require.InDelta(t, m.USD(), USD(m.USD()).USD(), 1e-6)
	})
	for _, bad := range []string{"-1", "1e3", "0.0000000001", `"1"`, "null", "99999999999"} {
		var m Money
		require.Error(t, m.UnmarshalJSON([]byte(bad)), bad)
	}
}

// TestTheLedgerSumsUpToWhatWasSpent covers restarts, roll-ups, clock changes, torn lines and disks that cannot
// be written.
func TestTheLedgerSumsUpToWhatWasSpent(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp("", "ledger")
		require.NoError(rt, err)
		defer os.RemoveAll(dir)
		c := noon()
		l := New(filepath.Join(dir, "usage", "usage.jsonl"), c.now)
		blocked := filepath.Join(dir, "usage.away")
		var want Sum
		rt.Repeat(map[string]func(*rapid.T){
			"ask": func(t *rapid.T) {
				for range rapid.IntRange(1, 5).Draw(t, "requests") {
					e := drawEntry(t)
					if err := l.Add(e); l.writeErr == nil {
						require.NoError(t, err)
					}
					_, s, err := lineOf(withTime(e, c.at)).day()
					require.NoError(t, err)
					want = want.Add(s)
				}
			},
			"roll up": func(*rapid.T) {
				l.size = 0
				if l.loaded && l.writeErr == nil && len(l.pending) == 0 {
					lines := l.rollUp().lines()
					records := make([]any, len(lines))
					for i := range lines {
						records[i] = lines[i]
					}
					require.NoError(rt, l.journal.Rewrite(records))
					l.days = l.rollUp().days
				}
			},
			"move the clock": func(t *rapid.T) {
				c.at = c.at.Add(time.Duration(rapid.IntRange(-72, 24*200).Draw(t, "hours")) * time.Hour)
			},
			"restart": func(*rapid.T) {
				if l.Close() == nil {
					l = New(l.Path(), c.now)
				}
			},
			"kill": func(t *rapid.T) {
				if l.writeErr != nil || len(l.pending) > 0 {
					return // requests that are only counted are lost with the daemon
				}
				l = New(l.Path(), c.now)
				if f, err := os.OpenFile(l.Path(), os.O_APPEND|os.O_WRONLY, 0); err == nil { // it was killed while writing
					_, err = f.WriteString(`{"time":"2026-11-22T12:00:00.000+09:00","prov`[:rapid.IntRange(0, 40).Draw(t, "torn")])
					require.NoError(t, err)
					require.NoError(t, f.Close())
				}
			},
			"take the disk away and bring it back": func(t *rapid.T) {
				l.journal.Close()
				had := os.Rename(filepath.Dir(l.Path()), blocked) == nil
				require.NoError(t, os.WriteFile(filepath.Dir(l.Path()), nil, 0o600))
				l.loaded = l.loaded || !had
				for range rapid.SampledFrom([]int{0, 0, 0, 1, 1, 1, 2, 3, 3, 5, 5, maxPending + 3}).Draw(t, "requests") {
					e := drawEntry(t)
					require.Error(t, l.Add(e))
					_, s, _ := lineOf(withTime(e, c.at)).day()
					want = want.Add(s)
				}
				require.NoError(t, os.Remove(filepath.Dir(l.Path())))
				if had {
					require.NoError(t, os.Rename(blocked, filepath.Dir(l.Path())))
				}
			},
			"": func(t *rapid.T) {
				for _, by := range Groupings() {
					rows, total := l.Rows("", by, "")
					sum := Sum{}
					for _, r := range rows {
						sum = sum.Add(r.Sum)
					}
					require.Equal(t, want, total)
					require.Equal(t, want, sum, by)
				}
				require.Empty(t, l.damage)
			},
		})
	})
}

func withTime(e Entry, at time.Time) Entry {
	e.Time = at
	return e
}

func drawEntry(t *rapid.T) Entry {
	name := rapid.SampledFrom([]string{"", "a", "b", "다"})
	return Entry{
		Key: Key{
			Provider: name.Draw(t, "provider"), Model: name.Draw(t, "model"), Session: name.Draw(t, "session"), Channel: name.Draw(t, "channel"),
			Automation: name.Draw(t, "automation"), Summary: rapid.Bool().Draw(t, "summary"), Free: rapid.Bool().Draw(t, "free"),
		},
		Usage: providers.Usage{InputTokens: rapid.IntRange(-5, 1e6).Draw(t, "in"), OutputTokens: rapid.IntRange(0, 9000).Draw(t, "out")},
		Cost:  Money(rapid.Int64Range(-5, 3e9).Draw(t, "cost")), Priced: rapid.Bool().Draw(t, "priced"),
	}
}

func BenchmarkRecord(b *testing.B) {
	l := ledger(b, noon())
	for b.Loop() {
		if err := l.Add(dollarEntry("claude")); err != nil {
			b.Fatal(err)
		}
	}
}

// year returns a ledger with 100,000 requests over a year.
func year(b *testing.B) (*Ledger, *clock) {
	c := noon()
	l := ledger(b, c)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 100_000 {
		e := dollarEntry([]string{"claude", "deepseek", "ollama"}[r.IntN(3)])
		e.Session = fmt.Sprint("agent:main:session:cli/", r.IntN(20))
		if err := l.Add(e); err != nil {
			b.Fatal(err)
		}
		c.at = noon().at.Add(time.Duration(i) * 365 * 24 * time.Hour / 100_000)
	}
	return l, c
}

func BenchmarkSumOfAYear(b *testing.B) {
	l, _ := year(b)
	for b.Loop() {
		if _, total := l.Rows("", ByProvider, ""); total.Requests != 100_000 {
			b.Fatal(total)
		}
	}
}

func BenchmarkToday(b *testing.B) {
	l, _ := year(b)
	for b.Loop() {
		l.Today()
	}
}

func BenchmarkReadAYear(b *testing.B) {
	l, c := year(b)
	for b.Loop() {
		if _, total := New(l.Path(), c.now).Rows("", ByDay, ""); total.Requests != 100_000 {
			b.Fatal(total)
		}
	}
}
