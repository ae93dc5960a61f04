package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestMoonbotsStepsAreReadAndWritten: its five fields, its names of tools, its list without a goal.
func TestMoonbotsStepsAreReadAndWritten(t *testing.T) {
	t.Parallel()
	p, err := Read([]byte(`[
		{"id": "a", "description": "look", "toolId": "system.run", "input": {"command": "df -h"}},
		{"id": "b", "description": "save", "toolId": "file.write", "input": {"path": "/tmp/x", "content": "y"}, "dependsOn": ["a"]}
	]`))
	require.NoError(t, err)
	require.Equal(t, []Step{
		{ID: "a", Description: "look", Verb: "run", Args: map[string]string{"command": "df -h"}},
		{ID: "b", Description: "save", Verb: "write_file", Args: map[string]string{"path": "/tmp/x", "content": "y"}, DependsOn: []string{"a"}},
	}, p.Steps)
	require.JSONEq(t, `{"steps": [
		{"id": "a", "description": "look", "toolId": "run", "input": {"command": "df -h"}},
		{"id": "b", "description": "save", "toolId": "write_file", "input": {"path": "/tmp/x", "content": "y"}, "dependsOn": ["a"]}
	]}`, string(p.JSON()))
}

func TestArgumentsAreTexts(t *testing.T) {
	t.Parallel()
	p, err := Read([]byte(`{"steps": [{"verb": "install", "args": {"name": ["a", "b"]}}, {"verb": "unit", "args": {"action": "enable", "name": "x", "now": true}}]}`))
	require.NoError(t, err)
	require.Equal(t, "a b", p.Steps[0].Args["name"])
	require.Equal(t, "true", p.Steps[1].Args["now"])
	for _, bad := range []string{
		`{"steps": [{"verb": "run", "args": {"command": {"a": 1}}}]}`, `{"steps": [{"verb": "run", "args": "df"}]}`,
		`{"steps": [{"verb": "run", "toolId": "run", "args": {"command": "a"}}]}`, `{"steps": [{"verb": "run", "args": {"command": null}}]}`,
		`{"steps": [{"verb": "run", "args": {"command": "a"}, "expect": "b"}]}`, `{"steps": [{"verb": "upgrade", "undo": "b"}]}`, `7`, `{`, ``,
	} {
		_, err := Read([]byte(bad))
		require.Error(t, err, bad)
	}
}

// drawPlan draws a plan whose steps depend on others, perhaps in a circle.
func drawPlan(t *rapid.T) Plan {
	n := rapid.IntRange(1, 12).Draw(t, "steps")
	p := Plan{Goal: rapid.SampledFrom([]string{"", "목표"}).Draw(t, "goal")}
	for i := range n {
		s := Step{ID: fmt.Sprint("s", i), Verb: "run", Args: map[string]string{"command": rapid.StringMatching(`[a-z]{1,4}`).Draw(t, "command")}}
		if rapid.Bool().Draw(t, "says") {
			s.DependsOn = []string{}
			for range rapid.IntRange(0, 3).Draw(t, "needs") {
				s.DependsOn = append(s.DependsOn, fmt.Sprint("s", rapid.IntRange(0, n-1).Draw(t, "need")))
			}
		}
		p.Steps = append(p.Steps, s)
	}
	return p
}

// TestAPlanIsReadAsItIsWritten: the canonical form is read again as the same plan, with the same digest; another plan has
// another digest.
func TestAPlanIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		again, err := Read(p.JSON())
		if err != nil {
			require.ErrorContains(t, err, "waits for itself")
			return
		}
		require.Equal(t, string(p.JSON()), string(again.JSON()))
		require.Equal(t, p.Digest(), again.Digest())
		again.Steps[0].Args["command"] += "x"
		require.NotEqual(t, p.Digest(), again.Digest())
	})
}

// TestNoStepRunsBeforeAfterAFailureOrTwice runs random plans with random outcomes: no step starts before those that it
// needs are done, none after one of them failed, none twice, and each ends.
func TestNoStepRunsBeforeAfterAFailureOrTwice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, err := Read(drawPlan(t).JSON())
		if err != nil {
			return
		}
		looks := make([]bool, len(p.Steps))
		for i := range looks {
			looks[i] = rapid.Bool().Draw(t, "looks")
		}
		states := make([]State, len(p.Steps))
		started := make([]int, len(p.Steps))
		state := func(id string) State {
			return states[slices.IndexFunc(p.Steps, func(s Step) bool { return s.ID == id })]
		}
		for range 100 {
			ready, lost := p.Next(states, func(i int) bool { return looks[i] })
			for _, i := range lost {
				states[i] = StepSkipped
			}
			if len(ready)+len(lost) == 0 {
				break
			}
			for _, i := range ready {
				started[i]++
				for _, id := range p.Steps[i].DependsOn {
					require.True(t, state(id).Allows(), "%s started before %s", p.Steps[i].ID, id)
				}
				for k := range i {
					if p.Steps[i].DependsOn == nil && !looks[k] {
						require.True(t, states[k].Allows(), "%s started before the change %s", p.Steps[i].ID, p.Steps[k].ID)
					}
				}
			}
			for _, i := range ready {
				states[i] = rapid.SampledFrom([]State{StepDone, StepUnproved, StepFailed}).Draw(t, "outcome")
			}
		}
		for i, s := range states {
			require.True(t, s.IsFinal(), "%s never ended", p.Steps[i].ID)
			require.LessOrEqual(t, started[i], 1)
			require.Equal(t, s == StepSkipped, started[i] == 0)
		}
	})
}

// cached is a cache with the files of all packages but gone, in which new-NAME excludes NAME.
type cached struct{}

func (cached) Find(name, version string) (string, bool) {
	return "/c/" + name + "-" + version, name != "gone"
}

func (cached) Replacing(added, back []string) (names []string) {
	for _, name := range back {
		if slices.Contains(added, "new-"+name) {
			names = append(names, "new-"+name)
		}
	}
	return names
}

// TestPackagesGoBackInOneTransaction: the files of all packages are one step, new packages go after it, and packages that
// come back have the reason that they had.
func TestPackagesGoBackInOneTransaction(t *testing.T) {
	t.Parallel()
	upgraded := func(name string) Effect { return Effect{Kind: KindPackage, Name: name, Before: "1", After: "2"} }
	for _, c := range []struct {
		name    string
		effects []Effect
		want    []string
	}{
		{"an upgrade with a new dependency", []Effect{upgraded("a"), upgraded("b"), {Kind: KindPackage, Name: "dep", After: "2", Dependency: true}}, []string{
			`install {"file":"/c/b-1 /c/a-1"}`, `remove {"name":"dep","only":"true"}`,
		}},
		{"an upgrade that removed a dependency", []Effect{upgraded("a"), {Kind: KindPackage, Name: "old", Before: "1", Dependency: true}}, []string{
			`install {"file":"/c/old-1 /c/a-1"}`, `install {"mark":"old"} pacman -Qd -- old`,
		}},
		{"a package that another one replaced", []Effect{upgraded("a"), {Kind: KindPackage, Name: "x", Before: "1"}, {Kind: KindPackage, Name: "new-x", After: "2"}, {Kind: KindPackage, Name: "y", After: "2"}}, []string{
			`install {"file":"/c/x-1 /c/a-1","replaces":"new-x"}`, `remove {"name":"y","only":"true"}`,
		}},
		{"only new packages", []Effect{{Kind: KindPackage, Name: "x", After: "2"}}, []string{`remove {"name":"x","only":"true"}`}},
	} {
		p, lost := TakeBack("", c.effects, cached{}, nil)
		require.Empty(t, lost, c.name)
		var rows []string
		for _, s := range p.Steps {
			args, err := json.Marshal(s.Args)
			require.NoError(t, err)
			rows = append(rows, strings.TrimSpace(s.Verb+" "+string(args)+" "+s.Check))
		}
		require.Equal(t, c.want, rows, c.name)
	}
}

// TestAWholeSystemGoesBackInOneVerb: an update of many packages is recognised, so that it is checked.
func TestAWholeSystemGoesBackInOneVerb(t *testing.T) {
	t.Parallel()
	argv := []string{"sudo", "-n", "pacman", "-U", "--noconfirm", RemoveConflicting, "--"}
	for i := range 1500 {
		argv = append(argv, fmt.Sprintf("/var/cache/pacman/pkg/p%d-1:1.0-1-x86_64.pkg.tar.zst", i))
	}
	v, ok := Recognize(argv)
	require.True(t, ok)
	require.Len(t, v.Versions, 1500)
	_, ok = Recognize(slices.Concat([]string{"pacman", "-S"}, v.Targets))
	require.False(t, ok)
}

// TestWhatMadeWayForPackagesComesBackAfterThem: a file that was moved aside would be in the way of the earlier package.
func TestWhatMadeWayForPackagesComesBackAfterThem(t *testing.T) {
	t.Parallel()
	p, _ := TakeBack("back", []Effect{
		{Kind: KindCommand, Name: "mv a b", Before: "mv b a"},
		{Kind: KindPackage, Name: "dep", Before: "1", After: "2"},
		{Kind: KindCommand, Name: "touch x", Before: "rm x"},
	}, cached{}, nil)
	var rows []string
	for _, s := range p.Steps {
		rows = append(rows, s.Verb+" "+s.Args["command"])
	}
	require.Equal(t, []string{"run rm x", "install ", "run mv b a"}, rows)
}

// TestTakingBackIsTheOppositeInTheOppositeOrder: every effect has a step that leads back, or is named as lost.
func TestTakingBackIsTheOppositeInTheOppositeOrder(t *testing.T) {
	t.Parallel()
	p, lost := TakeBack("back", []Effect{
		{Kind: KindPackage, Name: "new", After: "1"},
		{Kind: KindPackage, Name: "dep", Before: "1", Dependency: true},
		{Kind: KindPackage, Name: "gone", Before: "2", After: "3"},
		{Kind: KindUnit, Name: "a.service", Before: "inactive", After: "active"},
		{Kind: KindUnitFile, Name: "a.service", Before: "enabled", After: "masked"},
		{Kind: KindFile, Name: "/f", Before: "known", After: "y"},
		{Kind: KindFile, Name: "/g", Before: "unknown", After: "y"},
		{Kind: KindFile, Name: "/h", After: "y"},
		{Kind: KindCommand, Name: "touch x", Before: "rm x"},
	}, cached{}, func(digest string) bool { return digest == "known" })
	var rows []string
	for _, s := range p.Steps {
		args, err := json.Marshal(s.Args)
		require.NoError(t, err)
		rows = append(rows, s.Verb+" "+string(args))
	}
	require.Equal(t, strings.Join([]string{
		`run {"command":"rm x"}`, `remove_file {"path":"/h"}`, `write_file {"kept":"known","path":"/f"}`,
		`unit {"action":"unmask","name":"a.service"}`, `unit {"action":"enable","name":"a.service"}`,
		`unit {"action":"stop","name":"a.service"}`, `install {"file":"/c/dep-1","reason":"dependency"}`,
		`remove {"name":"new","only":"true"}`,
	}, "\n"), strings.Join(rows, "\n"))
	require.Len(t, lost, 2)
	_, err := Read(p.JSON())
	require.NoError(t, err)
}
