package plan

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/tools/shell"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	const full = MaxRecoveries
	for _, c := range []struct {
		cause Cause
		tried Tried
		want  Recovery
	}{
		{CauseNetwork, Tried{1, full, true, 0}, Retry},
		{CauseNetwork, Tried{2, full - 1, true, 0}, Retry},
		{CauseNetwork, Tried{3, full - 2, true, 0}, Abort},
		{CauseNetwork, Tried{3, full - 2, true, 1}, TryAlternative},
		{CauseNetwork, Tried{1, full, false, 0}, Abort},
		{CauseNetwork, Tried{1, full, false, 1}, TryAlternative},
		{CauseTimeout, Tried{1, full, true, 1}, Retry},
		{CauseTimeout, Tried{1, full, false, 0}, Abort},
		{CauseLocked, Tried{2, 1, true, 0}, Retry},
		{CauseLocked, Tried{3, 1, true, 1}, Abort},
		{CauseMirror, Tried{1, full, true, 2}, TryAlternative},
		{CauseMirror, Tried{1, full, true, 0}, Abort},
		{CauseNotFound, Tried{1, full, true, 1}, TryAlternative},
		{CauseNotFound, Tried{1, full, true, 0}, Abort},
		{CauseNotFound, Tried{1, 0, true, 1}, Abort},
		{CauseNoRights, Tried{1, full, false, 0}, AskAgain},
		{CauseNoRights, Tried{2, full, true, 1}, Abort},
		{CauseNoRights, Tried{1, 0, true, 1}, Abort},
		{CauseNotInstalled, Tried{1, full, true, 1}, Abort},
		{CauseConflict, Tried{1, full, true, 1}, Abort},
		{CauseDiskFull, Tried{1, full, true, 1}, Abort},
		{CauseRefused, Tried{1, full, true, 1}, Abort},
		{CauseBlocked, Tried{1, full, true, 1}, Abort},
		{CauseUntrusted, Tried{1, full, true, 1}, Abort},
		{CauseUnknown, Tried{1, full, true, 1}, Abort},
		{"", Tried{1, full, true, 1}, Abort},
	} {
		require.Equal(t, c.want, Decide(c.cause, c.tried), "%s %+v", c.cause, c.tried)
	}
}

func drawTried(t *rapid.T) Tried {
	return Tried{
		Attempts:     rapid.Int().Draw(t, "attempts"),
		Budget:       rapid.Int().Draw(t, "budget"),
		Idempotent:   rapid.Bool().Draw(t, "idempotent"),
		Alternatives: rapid.Int().Draw(t, "alternatives"),
	}
}

func TestDecideHasLimits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cause, tried := rapid.SampledFrom(causes).Draw(t, "cause"), drawTried(t)
		switch Decide(cause, tried) {
		case Retry:
			require.True(t, tried.Idempotent)
			require.LessOrEqual(t, tried.Attempts, maxRetries)
			require.Contains(t, []Cause{CauseNetwork, CauseTimeout, CauseLocked}, cause)
			require.GreaterOrEqual(t, cause.Pause(), time.Second)
			require.LessOrEqual(t, cause.Pause(), time.Minute)
		case TryAlternative:
			require.Positive(t, tried.Alternatives)
		case AskAgain:
			require.Equal(t, CauseNoRights, cause)
		case Abort:
			return
		default:
			t.Fatal("no recovery")
		}
		require.Positive(t, tried.Budget)
		require.NotContains(t, final, cause)
	})
}

// TestPlansRecoverAtMostThreeTimes runs plans whose steps end in any way, and follows the decisions.
func TestPlansRecoverAtMostThreeTimes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		budget, recoveries, retries := MaxRecoveries, 0, 0
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			tried := Tried{
				Attempts:     1,
				Idempotent:   rapid.Bool().Draw(t, "idempotent"),
				Alternatives: rapid.IntRange(0, 9).Draw(t, "alternatives"),
			}
			retries = 0
			for ; ; tried.Attempts++ {
				tried.Budget = budget
				cause := rapid.SampledFrom(append(causes, "")).Draw(t, "cause")
				if cause == "" { // it succeeded
					break
				}
				recovery := Decide(cause, tried)
				if recovery == Abort {
					return
				}
				budget--
				recoveries++
				require.LessOrEqual(t, recoveries, MaxRecoveries)
				switch recovery {
				case Retry:
					retries++
					require.LessOrEqual(t, retries, maxRetries)
				case TryAlternative:
					tried.Alternatives--
				}
			}
		}
	})
}

func TestActionsAreIdempotent(t *testing.T) {
	t.Parallel()
	for _, a := range []Action{Install, Remove, Upgrade, Start, Stop, Enable, Disable, Mask, Unmask, Write, Delete} {
		require.True(t, a.Idempotent(), a)
	}
	for _, a := range []Action{Restart, Reload, Run, "", "reboot"} {
		require.False(t, a.Idempotent(), a)
	}
}

func TestAlternatives(t *testing.T) {
	t.Parallel()
	vlc := Verb{Action: Install, Targets: []string{"vlc"}}
	for _, c := range []struct {
		command string
		cause   Cause
		want    []Alternative
	}{
		{"sudo -n pacman -S --noconfirm -- vlc", CauseNotFound, []Alternative{{WayAUR, vlc, "yay"}, {WayAUR, vlc, "paru"}}},
		{"pacman -S vlc", CauseMirror, []Alternative{{WayUpgrade, vlc, ""}, {WayNextMirror, vlc, ""}}},
		{"pacman -S vlc", CauseNetwork, []Alternative{{WayNextMirror, vlc, ""}}},
		{"pacman -S vlc", CauseTimeout, []Alternative{{WayNextMirror, vlc, ""}}},
		{"yay -S vlc", CauseMirror, []Alternative{{WayUpgrade, vlc, ""}, {WayNextMirror, vlc, ""}}},
		{"yay -S vlc", CauseNotFound, nil},
		{"yay -S vlc", CauseNetwork, nil},
		{"pacman -Syu", CauseMirror, []Alternative{{WayNextMirror, Verb{Action: Upgrade}, ""}}},
		{"pacman -U /tmp/a-1-1-any.pkg.tar.zst", CauseNotFound, nil},
		{"pacman -R vlc", CauseNotFound, nil},
		{"sudo systemctl enable --now syncthing", CauseNotFound, []Alternative{
			{WayUserUnit, Verb{Action: Enable, Targets: []string{"syncthing"}, Now: true, User: true}, ""},
		}},
		{"systemctl --user start syncthing", CauseNotFound, nil},
		{"systemctl start syncthing", CauseRefused, nil},
		{"make install", CauseNotFound, nil},
	} {
		argv, literal := shell.ParseLiteral(c.command)
		require.True(t, literal)
		require.Equal(t, c.want, Alternatives(argv, c.cause), "%s: %s", c.command, c.cause)
	}
}

// TestFinalCausesHaveNoAlternative: nothing offers a way around what is refused, blocked or not to be trusted.
func TestFinalCausesHaveNoAlternative(t *testing.T) {
	t.Parallel()
	for _, row := range alternatives {
		require.NotContains(t, final, row.cause)
		require.True(t, remedies[row.cause].alternatives, row.cause)
	}
	for _, c := range final {
		require.Zero(t, remedies[c])
	}
}
