package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/fleet"
	"github.com/nidoit/blunux-ai/fleet/server"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
)

// leafDir returns the directory of a leaf server, so that one computer can have both.
func (p *program) leafDir() string { return filepath.Join(p.dir, "leaf") }

func (p *program) leaf() *cobra.Command {
	cmd := &cobra.Command{Use: "leaf", Short: i18n.CmdFleetLeaf.In(p.lang), Args: manual.NoArgs}
	listen := cmd.Flags().String("listen", "0.0.0.0:7422", i18n.FlagFleetListen.In(p.lang))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := p.checkListen(*listen); err != nil {
			return err
		}
		l, err := server.StartLeaf(cmd.Context(), server.LeafOptions{Dir: p.leafDir(), Listen: *listen, Log: newLog()})
		if err != nil {
			return err
		}
		defer l.Close()
		fmt.Fprintln(p.out, i18n.FleetLeafListens(l.Site(), l.Address()).In(p.lang))
		<-cmd.Context().Done()
		return nil
	}
	cmd.AddCommand(&cobra.Command{
		Use: "join HOST:PORT", Short: i18n.CmdFleetLeafJoin.In(p.lang), Args: manual.OneArg,
		RunE: func(cmd *cobra.Command, args []string) error { return p.joinHub(cmd.Context(), cmd, args[0]) },
	})
	return cmd
}

// joinHub pairs the leaf server with a hub, as a person at each screen does.
func (p *program) joinHub(ctx context.Context, cmd *cobra.Command, address string) error {
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	pairing, err := server.PairLeaf(ctx, p.leafDir(), address, strings.ToLower(host[:min(len(host), 64)]))
	if err != nil {
		return err
	}
	defer pairing.Close()
	fmt.Fprintln(p.out, i18n.FleetLeafCode(pairing.Code).In(p.lang))
	site, err := pairing.Wait(ctx)
	if err != nil {
		return err
	}
	fmt.Fprint(p.out, i18n.FleetLeafSameCode(pairing.Code, site).In(p.lang))
	line, _ := bufio.NewReader(cmd.InOrStdin()).ReadString('\n') // the end of the input is no yes
	if i18n.ParseAnswer(line) != i18n.Yes {
		fmt.Fprintln(p.out, i18n.FleetNotJoined.In(p.lang))
		return nil
	}
	if err := pairing.Join(time.Now()); err != nil {
		return err
	}
	fmt.Fprintln(p.out, i18n.FleetLeafJoined(site).In(p.lang))
	return nil
}

// memberOf reads SITE/NAME, or SITE for its leaf server.
func (p *program) memberOf(name string) (fleet.Machine, error) {
	if fleet.CheckName(name) == nil {
		return fleet.Machine{Site: name}, nil
	}
	return p.machineOf(name)
}

func pendingRow(w server.Pending) i18n.Text {
	switch {
	case w.Shown != "":
		return i18n.FleetPendingLeaf(w.Code, w.Host)
	case w.Leaf != "":
		return i18n.FleetPendingBehind(w.Code, w.Host, w.Leaf)
	}
	return i18n.FleetPendingRow(w.Code, w.Host)
}

// seen returns when a member was last heard of.
func (p *program) seen(m server.Member) string {
	if m.Seen.IsZero() {
		return i18n.FleetNever.In(p.lang)
	}
	return m.Seen.Local().Format("2006-01-02 15:04")
}
