package fleet_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/fleet"
)

// TestThreat42ADecisionCountsOnlyAsItWasSigned is threat 42: forged, changed, expired and misdirected decisions.
func TestThreat42ADecisionCountsOnlyAsItWasSigned(t *testing.T) {
	key, err := nkeys.CreateUser()
	require.NoError(t, err)
	public, err := key.PublicKey()
	require.NoError(t, err)
	now := time.Now()
	good := fleet.Decision{
		Machine: "UMACHINE",
		Code:    "K7Q",
		Digest:  "sha256:aa",
		Yes:     true,
		Expires: now.Add(time.Minute),
		Nonce:   "n",
	}
	require.NoError(t, good.Sign(key))
	require.NoError(t, good.Verify("UMACHINE", []string{public}, now))
	for name, c := range map[string]struct {
		change func(*fleet.Decision)
		want   error
	}{
		"another machine's":       {func(d *fleet.Decision) { d.Machine = "UOTHER" }, fleet.ErrOtherMachine},
		"for another plan":        {func(d *fleet.Decision) { d.Digest = "sha256:bb" }, fleet.ErrForged},
		"for another question":    {func(d *fleet.Decision) { d.Code = "AAA" }, fleet.ErrForged},
		"a no made a yes":         {func(d *fleet.Decision) { d.Yes = false }, fleet.ErrForged},
		"kept longer":             {func(d *fleet.Decision) { d.Expires = now.Add(2 * time.Minute) }, fleet.ErrForged},
		"with another nonce":      {func(d *fleet.Decision) { d.Nonce = "m" }, fleet.ErrForged},
		"without a signature":     {func(d *fleet.Decision) { d.Signature = nil }, fleet.ErrForged},
		"of a console elsewhere":  {func(d *fleet.Decision) { d.Key = "UELSEWHERE" }, fleet.ErrUnknownKey},
		"with a line break in it": {func(d *fleet.Decision) { d.Code = "K7Q\nsha256:bb" }, fleet.ErrMalformed},
	} {
		d := good
		c.change(&d)
		require.ErrorIs(t, d.Verify("UMACHINE", []string{public}, now), c.want, name)
	}
	require.ErrorIs(t, good.Verify("UMACHINE", []string{public}, now.Add(time.Hour)), fleet.ErrExpired, "kept back")
	require.ErrorIs(
		t,
		good.Verify("UMACHINE", []string{public}, now.Add(-time.Hour)),
		fleet.ErrExpired,
		"a clock that is wrong",
	)
	require.ErrorIs(t, good.Verify("UMACHINE", nil, now), fleet.ErrUnknownKey, "revoked")
}

func TestThreat42AQuestionCountsOnlyAsItWasSigned(t *testing.T) {
	id, err := fleet.OpenIdentity(filepath.Join(t.TempDir(), "console.nk"))
	require.NoError(t, err)
	now := time.Now()
	good := fleet.Request{ID: "1", Console: "office", Lang: "ko", Text: "디스크\n꽉 찼어?", Sent: now}
	require.NoError(t, id.SignRequest(&good, "UMACHINE"))
	require.NoError(t, good.Verify("UMACHINE", []string{id.Public}, now))
	require.ErrorIs(t, good.Verify("UOTHER", []string{id.Public}, now), fleet.ErrForged)
	require.ErrorIs(t, good.Verify("UMACHINE", nil, now), fleet.ErrUnknownKey)
	require.ErrorIs(t, good.Verify("UMACHINE", []string{id.Public}, now.Add(8*24*time.Hour)), fleet.ErrExpired)
	require.ErrorIs(
		t,
		good.Verify("UMACHINE", []string{id.Public}, now.Add(-time.Hour)),
		fleet.ErrExpired,
		"a clock that is wrong",
	)
	for name, change := range map[string]func(*fleet.Request){
		"other words": func(r *fleet.Request) { r.Text = "delete everything" }, "another id": func(r *fleet.Request) { r.ID = "2" },
		"another console": func(r *fleet.Request) { r.Console = "home" }, "sent later": func(r *fleet.Request) { r.Sent = now.Add(time.Second) },
		"unsigned": func(r *fleet.Request) { r.Signature = nil },
	} {
		r := good
		change(&r)
		require.ErrorIs(t, r.Verify("UMACHINE", []string{id.Public}, now), fleet.ErrForged, name)
	}
}

func TestNoTwoDecisionsHaveOneSignature(t *testing.T) {
	key, err := nkeys.CreateUser()
	require.NoError(t, err)
	public, err := key.PublicKey()
	require.NoError(t, err)
	word := rapid.StringMatching(`[a-z]{1,6}`)
	now := time.Now()
	rapid.Check(t, func(t *rapid.T) {
		make := func() fleet.Decision {
			return fleet.Decision{
				Machine: word.Draw(
					t,
					"machine",
				), Code: word.Draw(t, "code"), Digest: word.Draw(t, "digest"), Nonce: word.Draw(t, "nonce"),
				Yes: rapid.Bool().Draw(t, "yes"), Expires: now.Add(time.Minute), Key: public,
			}
		}
		a, b := make(), make()
		require.NoError(t, a.Sign(key))
		b.Signature = a.Signature
		same := a.Machine == b.Machine && a.Code == b.Code && a.Digest == b.Digest && a.Nonce == b.Nonce &&
			a.Yes == b.Yes
		require.Equal(t, same, b.Verify(b.Machine, []string{public}, now) == nil)
	})
}

func TestAnswersAreFoldedByWhatTheySay(t *testing.T) {
	of := func(name string) fleet.Machine { return fleet.Machine{Site: "lab", Name: name} }
	folds := fleet.FoldAnswers(map[fleet.Machine]string{
		of("a"): "/: 23% used, 180G of 252G free.", of("b"): "/ is full: 100% used, 0 of 117G left.", of("c"): "/: 41% used, 70.5G of 117G free.",
	})
	require.Len(t, folds, 2)
	require.Equal(t, []fleet.Machine{of("a"), of("c")}, folds[0].Machines)
	require.Equal(t, []fleet.Machine{of("b")}, folds[1].Machines)
}

func TestNamesAreOneTokenOfASubject(t *testing.T) {
	for _, name := range []string{"pc-1", "a", "lab2"} {
		require.NoError(t, fleet.CheckName(name), name)
	}
	for _, name := range []string{"", "*", ">", "a.b", "A", "a b", "-a", "a-", "f.>", "한글", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"} {
		require.ErrorIs(t, fleet.CheckName(name), fleet.ErrName, name)
	}
}
