package tools_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/tools/receipt"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// TestSnapperStopsNoUpgrade: whatever it does, packages are updated, and the answer says whether there is a snapshot.
func TestSnapperStopsNoUpgrade(t *testing.T) {
	const configs = `case "$*" in *list-configs) printf 'config,subvolume\nroot,/\n'; exit;; esac; `
	const create = "snapper -c root create --print-number --cleanup-algorithm number --description 'blunux-ai ' --type pre"
	for name, c := range map[string]struct {
		snapper string
		shown   string
		proof   plan.Code
		ran     []string
	}{
		"no configuration":           {`printf 'config,subvolume\nhome,/home\n'`, "", "", nil},
		"no permission":              {"echo No permissions. >&2; exit 1", "", "", nil},
		"a snapshot":                 {configs + "echo 7", "root", "", []string{create}},
		"no room for one":            {configs + "echo 'Creating snapshot failed.' >&2; exit 1", "root", plan.NoSnapshot, []string{create}},
		"another text than a number": {configs + "echo hello", "root", plan.NoSnapshot, []string{create}},
	} {
		t.Run(name, func(t *testing.T) {
			g := newUpgradeGate(t)
			require.NoError(t, os.WriteFile(filepath.Join(g.bin, "snapper"), []byte("#!/bin/sh\n"+c.snapper+"\n"), 0o755))
			p := allowing()
			out := g.call("argv", map[string]any{"Commands": []shell.Command{{Argv: []string{"pacman", "-Syu", "--noconfirm"}}}}, p)
			require.Empty(t, out.Output.Refusal, out.Text)
			require.Equal(t, c.shown, p.shown[0].Plan.Snapper)
			require.Equal(t, append(c.ran, "pacman -Syu --noconfirm"), g.ran())
			var codes []plan.Code
			for _, proof := range out.Proofs {
				if proof.Subject == "snapshots" {
					codes = append(codes, proof.Code)
				}
			}
			require.Equal(t, c.proof == plan.NoSnapshot, len(codes) == 1, codes)
		})
	}
}

// TestUndoTakesSettingsFromSnapshots: those of no package that are as the upgrade left them.
func TestUndoTakesSettingsFromSnapshots(t *testing.T) {
	d, receipts, _ := keeping(t)
	list := "- -..... /etc/blunux-gone\n- +..... /etc/blunux-new\n- c..... /etc/ld.so.cache\n- -..... /usr/blunux-gone\nlib -..... /etc/blunux-lib\n- -..... /etc/passwd\n"
	digest, err := receipts.Keep([]byte(list))
	require.NoError(t, err)
	id, err := receipts.Begin(receipt.Receipt{Session: "s", Steps: []receipt.Step{{
		Command: "pacman -Syu", State: plan.StepDone,
		Effects: []plan.Effect{{Kind: plan.KindSnapshot, Name: "root", Before: "3", After: "4", Files: digest}},
	}}})
	require.NoError(t, err)
	j, refused := d.Prepare(newCall(t, "undo", fields{"id": id}), "s", d.dir)
	require.Nil(t, refused)
	require.Len(t, j.Plan.Commands, 1)
	require.Contains(t, j.Command(), "snapper -c root undochange 3..4 /etc/blunux-gone")
	require.NotContains(t, j.Command(), "blunux-new", "it is gone already")
	require.NotContains(t, j.Command(), "blunux-lib")
	require.Equal(t, 1, j.Plan.SetBack)
	require.Equal(t, []string{"/etc/passwd"}, j.Plan.Later, "it is there again")
	require.Equal(t, "CONFIRM", j.Class.String())
}
