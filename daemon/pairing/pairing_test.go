package pairing

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// clock is a time that only a test advances.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newStore(t *testing.T) (*Store, *clock) {
	t.Helper()
	c := &clock{time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)}
	return New(filepath.Join(t.TempDir(), "pairing.json"), c.now), c
}

func TestNobodyIsLetInBeforeTheOwnerSaysSo(t *testing.T) {
	s, _ := newStore(t)
	r, fresh, err := s.RequestCode("whatsapp", "82-10 1234 5678@c.us", "엄마\x1b[2J")
	require.NoError(t, err)
	require.True(t, fresh)
	require.Len(t, r.Code, 6)
	require.Equal(t, "엄마[2J", r.Name)
	in, err := s.IsPaired("whatsapp", "821012345678")
	require.NoError(t, err)
	require.False(t, in)

	p, err := s.Approve(" " + strings.ToLower(r.Code))
	require.NoError(t, err)
	require.Equal(t, "821012345678", p.Sender)
	for sender, want := range map[string]bool{
		"821012345678": true, "+82 10-1234-5678": true, "821012345678@s.whatsapp.net": true,
		"1012345678": false, "8210123456789": false, "821012345678@g.us": false, "": false, "x821012345678": false,
	} {
		in, err := s.IsPaired("whatsapp", sender)
		require.NoError(t, err)
		require.Equal(t, want, in, sender)
	}
	in, _ = s.IsPaired("telegram", "821012345678")
	require.False(t, in, "a yes is for one channel")
	_, err = s.Approve(r.Code)
	require.ErrorIs(t, err, ErrNoCode, "a code counts once")
	require.NoError(t, s.Remove("whatsapp", "+821012345678"))
	in, _ = s.IsPaired("whatsapp", "821012345678")
	require.False(t, in)
	require.ErrorIs(t, s.Remove("whatsapp", "821012345678"), ErrNotPaired)
	fi, err := os.Stat(s.path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), fi.Mode().Perm())
}

func TestASenderGetsOneCodeADay(t *testing.T) {
	s, c := newStore(t)
	first, fresh, err := s.RequestCode("telegram", "42", "")
	require.NoError(t, err)
	require.True(t, fresh)
	again, fresh, err := s.RequestCode("telegram", "42", "")
	require.NoError(t, err)
	require.False(t, fresh)
	require.Equal(t, first, again)
	_, err = s.Deny(first.Code)
	require.NoError(t, err)
	_, fresh, err = s.RequestCode("telegram", "42", "")
	require.NoError(t, err)
	require.False(t, fresh, "not after a no either")
	_, err = s.Approve(first.Code)
	require.ErrorIs(t, err, ErrNoCode)
	_, err = s.Approve("")
	require.ErrorIs(t, err, ErrNoCode)
	c.at = c.at.Add(CodeLifetime)
	next, fresh, err := s.RequestCode("telegram", "42", "")
	require.NoError(t, err)
	require.True(t, fresh)
	require.NotEqual(t, first.Code, next.Code)
	c.at = c.at.Add(CodeLifetime)
	_, err = s.Approve(next.Code)
	require.ErrorIs(t, err, ErrNoCode, "too old")
}

func TestACrowdGetsNoMoreCodesThanThereMayBe(t *testing.T) {
	s, _ := newStore(t)
	codes := 0
	for i := range 3 * MaxOpenCodes {
		_, fresh, err := s.RequestCode("telegram", strings.Repeat("1", i+1), "")
		require.NoError(t, err)
		if fresh {
			codes++
		}
	}
	require.Equal(t, MaxOpenCodes, codes)
	_, fresh, err := s.RequestCode("discord", "1", "")
	require.NoError(t, err)
	require.True(t, fresh, "the crowd of one channel keeps nobody out of another")
	st, err := s.List()
	require.NoError(t, err)
	for _, r := range st.Waiting {
		_, err := s.Deny(r.Code)
		require.NoError(t, err)
	}
	_, fresh, err = s.RequestCode("telegram", "me", "")
	require.NoError(t, err)
	require.True(t, fresh, "those who were denied take no place")
}

func TestAFileThatIsNotOursLetsNobodyIn(t *testing.T) {
	for name, spoil := range map[string]func(string) error{
		"garbage":         func(p string) error { return os.WriteFile(p, []byte("{"), 0o600) },
		"others write":    func(p string) error { return os.Chmod(p, 0o622) },
		"a link":          func(p string) error { return os.Rename(p, p+".x") },
		"a directory":     func(p string) error { _ = os.Remove(p); return os.Mkdir(p, 0o700) },
		"a huge document": func(p string) error { return os.Truncate(p, maxFile+1) },
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := newStore(t)
			r, _, err := s.RequestCode("telegram", "42", "")
			require.NoError(t, err)
			_, err = s.Approve(r.Code)
			require.NoError(t, err)
			require.NoError(t, spoil(s.path))
			if name == "a link" {
				require.NoError(t, os.Symlink(s.path+".x", s.path))
			}
			in, err := s.IsPaired("telegram", "42")
			require.Error(t, err)
			require.False(t, in)
			_, _, err = s.RequestCode("telegram", "43", "")
			require.Error(t, err)
		})
	}
}

func TestOnlyApprovedSendersAreEverIn(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		require.NoError(rt, err)
		c := &clock{time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)}
		s := New(filepath.Join(dir, "p.json"), c.now)
		in, codes := map[string]bool{}, map[string]string{}
		sender := rapid.SampledFrom([]string{"1", "2", "3"})
		rt.Repeat(map[string]func(*rapid.T){
			"ask": func(rt *rapid.T) {
				who := sender.Draw(rt, "who")
				r, fresh, err := s.RequestCode("telegram", who, "")
				require.NoError(rt, err)
				if fresh {
					codes[r.Code] = who
				}
			},
			"approve": func(rt *rapid.T) {
				for code, who := range codes {
					if _, err := s.Approve(code); err == nil {
						in[who] = true
					}
					delete(codes, code)
					return
				}
			},
			"deny": func(*rapid.T) {
				for code := range codes {
					_, _ = s.Deny(code)
					delete(codes, code)
					return
				}
			},
			"remove": func(rt *rapid.T) {
				who := sender.Draw(rt, "who")
				_ = s.Remove("telegram", who)
				delete(in, who)
			},
			"later": func(*rapid.T) { c.at = c.at.Add(7 * time.Hour) },
			"": func(rt *rapid.T) {
				for _, who := range []string{"1", "2", "3"} {
					got, err := s.IsPaired("telegram", who)
					require.NoError(rt, err)
					require.Equal(rt, in[who], got)
				}
			},
		})
	})
}
