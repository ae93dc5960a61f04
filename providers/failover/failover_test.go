package failover_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/failover"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeModel is a model that answers with its lines in order and repeats the last one.
type fakeModel struct {
	name  string
	lines []line
	asked []time.Time
}

type line func(ctx context.Context, onText func(string)) (providers.Completion, error)

func (p *fakeModel) Name() string    { return p.name }
func (p *fakeModel) ModelID() string { return p.name + "-1" }

func (p *fakeModel) Complete(ctx context.Context, _ providers.Request, onText func(string)) (providers.Completion, error) {
	p.asked = append(p.asked, time.Now())
	return p.lines[min(len(p.asked), len(p.lines))-1](ctx, onText)
}

func says(text string) line {
	return func(_ context.Context, onText func(string)) (providers.Completion, error) {
		if onText != nil {
			onText(text)
		}
		return providers.Completion{Content: []providers.Block{providers.Text(text)}, Stop: providers.StopEndTurn}, nil
	}
}

func looks() line {
	return func(context.Context, func(string)) (providers.Completion, error) {
		return providers.Completion{
			Stop: providers.StopToolUse, Content: []providers.Block{{Type: providers.BlockToolUse, ID: "t1", Name: "check_disk"}},
		}, nil
	}
}

func fails(e providers.Error) line {
	return func(context.Context, func(string)) (providers.Completion, error) { return providers.Completion{}, &e }
}

func breaksOff(text string) line {
	return func(_ context.Context, onText func(string)) (providers.Completion, error) {
		onText(text)
		return providers.Completion{}, &providers.Error{Kind: providers.KindNetwork, Message: "cut off"}
	}
}

var (
	down     = providers.Error{Kind: providers.KindNetwork, Message: "down"}
	broken   = providers.Error{Kind: providers.KindAPI, Status: 503}
	wrongKey = providers.Error{Kind: providers.KindAuth, Status: 401}
	bad      = providers.Error{Kind: providers.KindAPI, Status: 400}
)

func limited(after time.Duration) providers.Error {
	return providers.Error{Kind: providers.KindRateLimit, Status: 429, RetryAfter: after}
}

// asker asks a line and records the switches.
type asker struct {
	*failover.Line
	heard    []string
	switches []providers.Switch
}

func (a *asker) ask(ctx context.Context, change ...func(*providers.Request)) (providers.Completion, error) {
	req := providers.Request{
		Messages: []providers.Message{providers.UserText("disk full?")},
		OnSwitch: func(s providers.Switch) {
			a.switches = append(a.switches, s)
			a.heard = append(a.heard, "["+s.From+"→"+s.To+"]")
		},
	}
	for _, c := range change {
		c(&req)
	}
	return a.Complete(ctx, req, func(s string) { a.heard = append(a.heard, s) })
}

func models(ms ...*fakeModel) *asker {
	var o failover.Options
	for _, m := range ms {
		o.Members = append(o.Members, failover.Member{Model: m, Local: m.name == "offline", LastResort: m.name == "offline"})
	}
	return &asker{Line: failover.New(o)}
}

func TestWhatPassesIsTriedAgain(t *testing.T) {
	for name, e := range map[string]providers.Error{
		"network": down, "server": broken, "timeout": {Kind: providers.KindAPI, Status: 408}, "overloaded": {Kind: providers.KindAPI, Status: 529},
		"empty": {Kind: providers.KindEmpty}, "limit": limited(0),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &fakeModel{name: "claude", lines: []line{fails(e), fails(e), says("42%")}}
				a := models(m)
				c, err := a.ask(t.Context())
				require.NoError(t, err)
				require.Equal(t, "42%", c.Text())
				require.Equal(t, []string{"claude", "claude-1"}, []string{c.Provider, c.Model})
				require.Len(t, m.asked, 3)
				require.Greater(t, m.asked[1].Sub(m.asked[0]), 200*time.Millisecond)
				require.Less(t, m.asked[2].Sub(m.asked[0]), 3*time.Second)
				require.Equal(t, []string{"42%"}, a.heard, "nobody else answered")
			})
		})
	}
}

func TestWhatDoesNotPassIsNotTriedAgain(t *testing.T) {
	for name, e := range map[string]providers.Error{
		"key": wrongKey, "request": bad, "model": {Kind: providers.KindModel, Status: 404}, "acted": {Kind: providers.KindNetwork, ToolsCalled: true},
		"parse": {Kind: providers.KindParse}, "context": {Kind: providers.KindContext, Status: 400},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &fakeModel{name: "claude", lines: []line{fails(e), says("never")}}
				_, err := models(m).ask(t.Context())
				var pe *providers.Error
				require.ErrorAs(t, err, &pe)
				require.Equal(t, e.Kind, pe.Kind)
				require.Len(t, m.asked, 1)
			})
		})
	}
}

func TestTheNextOneAnswersAndThePersonIsToldWhoAndWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := models(&fakeModel{name: "claude", lines: []line{fails(wrongKey)}}, &fakeModel{name: "deepseek", lines: []line{says("42%")}})
		c, err := a.ask(t.Context())
		require.NoError(t, err)
		require.Equal(t, "deepseek", c.Provider)
		require.Equal(t, []string{"[claude→deepseek]", "42%"}, a.heard, "before the first word")
		require.Equal(t, providers.KindAuth, providers.KindOf(a.switches[0].Err))
	})
}

func TestWhatOnlyOneCanMendStaysWithIt(t *testing.T) {
	for name, e := range map[string]providers.Error{
		"tools were called":            {Kind: providers.KindNetwork, ToolsCalled: true},
		"the conversation is too long": {Kind: providers.KindContext},
	} {
		t.Run(name, func(t *testing.T) {
			other := &fakeModel{name: "deepseek", lines: []line{says("never")}}
			_, err := models(&fakeModel{name: "claude", lines: []line{fails(e)}}, other).ask(t.Context())
			require.Equal(t, e.Kind, providers.KindOf(err))
			require.Empty(t, other.asked)
		})
	}
}

func TestAskedToWaitLongTheNextOneAnswersAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		claude := &fakeModel{name: "claude", lines: []line{fails(limited(30 * time.Second)), says("back")}}
		other := &fakeModel{name: "deepseek", lines: []line{says("42%")}}
		a := models(claude, other)
		began := time.Now()
		for range 3 {
			c, err := a.ask(t.Context())
			require.NoError(t, err)
			require.Equal(t, "deepseek", c.Provider)
		}
		require.Zero(t, time.Since(began))
		require.Len(t, claude.asked, 1, "it said when")
		time.Sleep(30 * time.Second)
		c, err := a.ask(t.Context())
		require.NoError(t, err)
		require.Equal(t, "claude", c.Provider)
	})
}

func TestAShortWaitIsWaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &fakeModel{name: "claude", lines: []line{fails(limited(2 * time.Second)), says("42%")}}
		_, err := models(m).ask(t.Context())
		require.NoError(t, err)
		require.GreaterOrEqual(t, m.asked[1].Sub(m.asked[0]), 2*time.Second)
	})
}

func TestAloneAndLimitedTheTimeLeftIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &fakeModel{name: "claude", lines: []line{fails(limited(time.Minute))}}
		a := models(m)
		_, err := a.ask(t.Context())
		require.Equal(t, providers.KindRateLimit, providers.KindOf(err))
		time.Sleep(20 * time.Second)
		_, err = a.ask(t.Context())
		var pe *providers.Error
		require.ErrorAs(t, err, &pe)
		require.Equal(t, 40*time.Second, pe.RetryAfter)
		require.Len(t, m.asked, 1)
	})
}

func TestAFailingProviderIsLeftAloneAndComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		claude := &fakeModel{name: "claude", lines: []line{fails(wrongKey), fails(wrongKey), says("back")}}
		other := &fakeModel{name: "deepseek", lines: []line{says("42%")}}
		a := models(claude, other)
		for range 5 {
			_, err := a.ask(t.Context())
			require.NoError(t, err)
		}
		require.Len(t, claude.asked, 1)
		time.Sleep(61 * time.Second)
		_, err := a.ask(t.Context())
		require.NoError(t, err)
		require.Len(t, claude.asked, 2)
		time.Sleep(61 * time.Second)
		c, err := a.ask(t.Context())
		require.NoError(t, err)
		require.Equal(t, "claude", c.Provider)
	})
}

func TestRatherThanNothingWhoeverWasLeftAloneIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		claude := &fakeModel{name: "claude", lines: []line{fails(down), fails(down), fails(down), says("back")}}
		offline := &fakeModel{name: "offline", lines: []line{says("I do not understand.")}}
		a := models(claude, offline)
		_, err := a.ask(t.Context())
		require.Equal(t, providers.KindNetwork, providers.KindOf(err), "words alone are no help")
		c, err := a.ask(t.Context())
		require.NoError(t, err)
		require.Equal(t, "claude", c.Provider)
		require.Equal(t, []string{"back"}, a.heard)
	})
}

func TestTheLastResortAnswersWhereItCanLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		claude := &fakeModel{name: "claude", lines: []line{fails(wrongKey)}}
		offline := &fakeModel{name: "offline", lines: []line{looks(), says("42%")}}
		a := models(claude, offline)
		c, err := a.ask(t.Context())
		require.NoError(t, err)
		require.Len(t, c.ToolUses(), 1)
		_, err = a.ask(t.Context(), func(r *providers.Request) { r.LastProvider = c.Provider })
		require.NoError(t, err)
		require.Equal(t, []string{"[claude→offline]", "42%"}, a.heard, "it is said once a turn")
		require.Len(t, claude.asked, 1, "who failed is not asked again in this turn")
	})
}

func TestNobodyWaitsForAServerThatIsNotThereWhileAnotherCanAnswer(t *testing.T) {
	refused := providers.Error{Kind: providers.KindNetwork, Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}
	synctest.Test(t, func(t *testing.T) {
		claude := &fakeModel{name: "claude", lines: []line{fails(refused)}}
		a := models(claude, &fakeModel{name: "offline", lines: []line{looks()}})
		began := time.Now()
		_, err := a.ask(t.Context())
		require.NoError(t, err)
		require.Zero(t, time.Since(began))
		require.Len(t, claude.asked, 1)
	})
	synctest.Test(t, func(t *testing.T) { // the other model is no help, so the first is retried after all
		claude := &fakeModel{name: "claude", lines: []line{fails(refused), fails(refused), says("back")}}
		a := models(claude, &fakeModel{name: "offline", lines: []line{says("I do not understand.")}})
		c, err := a.ask(t.Context())
		require.NoError(t, err)
		require.Equal(t, "claude", c.Provider)
		require.Len(t, claude.asked, 3)
	})
}

func TestWithoutANetworkTheLocalOnesAnswerAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		claude := &fakeModel{name: "claude", lines: []line{says("never")}}
		offline := &fakeModel{name: "offline", lines: []line{looks()}}
		online := false
		a := &asker{Line: failover.New(failover.Options{
			Members: []failover.Member{{Model: claude}, {Model: offline, Local: true, LastResort: true}},
			Online:  func() bool { return online },
		})}
		began := time.Now()
		c, err := a.ask(t.Context())
		require.NoError(t, err)
		require.Equal(t, "offline", c.Provider)
		require.Zero(t, time.Since(began))
		require.Empty(t, claude.asked)
		online = true
		c, err = a.ask(t.Context())
		require.NoError(t, err)
		require.Equal(t, "claude", c.Provider)
	})
}

func TestASpentBudgetPassesOverWhoeverCosts(t *testing.T) {
	claude := &fakeModel{name: "claude", lines: []line{says("dear")}}
	local := &fakeModel{name: "ollama", lines: []line{says("cheap")}}
	a := &asker{Line: failover.New(failover.Options{
		Members: []failover.Member{{Model: claude}, {Model: local, Local: true}},
		CheckBudget: func(_ context.Context, m failover.Model) error {
			if m.Name() == "claude" {
				return &providers.Error{Kind: providers.KindBudget, Provider: "claude"}
			}
			return nil
		},
	})}
	c, err := a.ask(t.Context())
	require.NoError(t, err)
	require.Equal(t, "ollama", c.Provider)
	require.Equal(t, providers.KindBudget, providers.KindOf(a.switches[0].Err))

	// A turn that has begun stays with its model.
	c, err = a.ask(t.Context(), func(r *providers.Request) { r.LastProvider = "claude" })
	require.NoError(t, err)
	require.Equal(t, "claude", c.Provider)
}

func TestAnAnswerThatBreaksOffBeginsAnewAndThatIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := models(&fakeModel{name: "claude", lines: []line{breaksOff("The disk is"), says("The disk is 42% full.")}})
		c, err := a.ask(t.Context())
		require.NoError(t, err)
		require.Equal(t, "The disk is 42% full.", c.Text())
		require.Equal(t, []string{"The disk is", "[claude→claude]", "The disk is 42% full."}, a.heard)
		require.True(t, a.switches[0].TextShown)
	})
}

func TestCancellingEndsTheWalk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		claude := &fakeModel{name: "claude", lines: []line{fails(down)}}
		other := &fakeModel{name: "deepseek", lines: []line{says("never")}}
		a := models(claude, other)
		time.AfterFunc(100*time.Millisecond, cancel) // during the first pause
		_, err := a.ask(ctx)
		require.Error(t, err)
		require.Len(t, claude.asked, 1)
		require.Empty(t, other.asked)
	})
}

func TestASlowFailureIsNotWaitedForTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context, _ func(string)) (providers.Completion, error) {
			time.Sleep(2 * time.Minute)
			return providers.Completion{}, &down
		}
		claude := &fakeModel{name: "claude", lines: []line{slow}}
		a := models(claude, &fakeModel{name: "deepseek", lines: []line{says("42%")}})
		began := time.Now()
		_, err := a.ask(t.Context())
		require.NoError(t, err)
		require.Len(t, claude.asked, 1)
		require.Equal(t, 2*time.Minute, time.Since(began))
	})
}

// TestWhoeverFailsAnAnswerComesWhileOneCanGiveOne: for any mixture of failures, the walk ends within the
// promised time, with the answer of a member that can give one or with the error of the first.
func TestWhoeverFailsAnAnswerComesWhileOneCanGiveOne(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		errs := []providers.Error{down, broken, wrongKey, bad, limited(0), limited(time.Second), limited(time.Hour), {Kind: providers.KindParse}}
		n := rapid.IntRange(1, 4).Draw(rt, "members")
		healthy := map[string]bool{}
		var ms []*fakeModel
		for i := range n {
			m := &fakeModel{name: string(rune('a' + i))}
			if rapid.Bool().Draw(rt, "healthy") {
				m.lines, healthy[m.name] = []line{says("from " + m.name)}, true
			} else {
				m.lines = []line{fails(rapid.SampledFrom(errs).Draw(rt, "failure"))}
			}
			ms = append(ms, m)
		}
		var problem string
		synctest.Test(t, func(t *testing.T) {
			a := models(ms...)
			for range 3 {
				began := time.Now()
				c, err := a.ask(t.Context())
				took := time.Since(began)
				switch {
				case len(healthy) > 0 && (err != nil || !healthy[c.Provider]):
					problem = "nobody answered: " + errors.Join(err, errors.New(c.Provider)).Error()
				case len(healthy) == 0 && err == nil:
					problem = "an answer of " + c.Provider
				case took > time.Duration(2*n)*time.Minute:
					problem = "took " + took.String()
				}
				for _, s := range a.switches {
					if s.From != "a" || !strings.Contains("abcd", s.To) || s.Err == nil {
						problem = "told of a wrong change"
					}
				}
				time.Sleep(10 * time.Second)
			}
		})
		if problem != "" {
			rt.Fatal(problem)
		}
	})
}
