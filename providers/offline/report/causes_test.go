package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// TestRepairsNeverHaveWhatWouldHarm compares every repair with advice that is common and harmful.
func TestRepairsNeverHaveWhatWouldHarm(t *testing.T) {
	owner := wrongOwner{Owner: machine.Owner{Path: "/var/lib/app/data", Ownership: machine.Ownership{User: "root", Group: "root"}}, unit: "app", user: "app", group: "app", limited: true}
	for _, p := range []diagnose.Repair{
		removeLock(true), removeOrphans([]string{"a", "b"}, nil), generateLocale("ko_KR.UTF-8", "#ko_KR.UTF-8 UTF-8"),
		owner.giveBack(),
	} {
		q := &inquiry{Case: Case{Lang: i18n.English}}
		f := q.proposeRepair(&finding{}, p)
		text := f.question
		for _, s := range p.Steps {
			text += "\n" + (diagnose.PlanStep{Step: s.Step}).ByHand() + "\n" + s.Check + "\n" + s.Undo
		}
		for _, never := range []string{"-Rdd", "-Scc", "-Qdtq)", "rm -r", "777", "chown -R", "User=root", "lpadmin -x", "cancel -a", "LANG=", "$c", "-Sy"} {
			require.NotContains(t, text, never)
		}
	}
}

func TestOnlyAServicesOwnPathsAreLookedAt(t *testing.T) {
	d := map[string]string{"User": "app", "StateDirectory": "app", "WorkingDirectory": "/home/app"}
	line := func(p string) []string { return []string{"x app[1]: open " + p + ": Permission denied"} }
	require.Equal(t, []string{"/var/lib/app", "/var/lib/app/data", "/var/lib/app/data/db"}, pathsOf("app", d, line("/var/lib/app/data/db"))[0])
	for _, foreign := range []string{"/var/lib/pacman/local", "/etc/shadow", "/var/lib/app/../pacman/x", "/var/log/journal/x", "/var/lib/apple/x"} {
		for _, chain := range pathsOf("app", d, line(foreign)) {
			require.Len(t, chain, 1, foreign)
		}
	}
	owners := []machine.Owner{
		{Path: "/var/lib/app", Ownership: machine.Ownership{User: "root", Group: "root", Mode: "755", Directory: true}},
		{Path: "/var/lib/app/data", Ownership: machine.Ownership{User: "root", Group: "root", Mode: "755", Directory: true}},
	}
	wrong, ok := firstWrong(pathsOf("app", d, line("/var/lib/app/data/db")), owners, "app")
	require.True(t, ok)
	require.Equal(t, "/var/lib/app/data", wrong.Path, "the directory in which the file cannot be made")
	link := append(owners[:1:1], machine.Owner{Path: "/var/lib/app/data", Link: true, Ownership: machine.Ownership{User: "app", Group: "app", Mode: "777"}})
	link[0].User = "app"
	_, ok = firstWrong(pathsOf("app", d, line("/var/lib/app/data/db")), link, "app")
	require.False(t, ok, "a link may lead anywhere")
	deep := append(owners[:2:2], machine.Owner{Path: "/var/lib/app/data/db", Ownership: machine.Ownership{User: "root", Group: "root", Mode: "600"}})
	deep[1].User = "app"
	wrong, ok = firstWrong(pathsOf("app", d, line("/var/lib/app/data/db")), deep, "app")
	require.False(t, ok && wrong.Path == "/var/lib/app/data/db", "the service can exchange its directory")
	owners[0].User, owners[1].User = "root", "app"
	wrong, _ = firstWrong(pathsOf("app", d, line("/var/lib/app/data/db")), owners, "app")
	require.Equal(t, "/var/lib/app", wrong.Path, "the unit's own directory")
}
