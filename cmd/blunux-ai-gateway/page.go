package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nidoit/blunux-ai/gateway"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/errand"
)

// openPage makes a link that opens the page once, lets the service manager listen, and opens the link in the browser of a
// graphical session.
func openPage(ctx context.Context, o options) error {
	dir, err := gatewayDir()
	if err != nil {
		return err
	}
	address, err := configuredAddress()
	if err != nil {
		return err
	}
	link, err := gateway.AddPageLink(dir, o.At, address, o.Lang, time.Now())
	if errors.Is(err, gateway.ErrPageAddress) {
		return coded{i18n.GatewayPageAddress.WithCause(err), exitUsage}
	}
	if err != nil {
		return err
	}
	if !gateway.IsRunning(dir) { // the unit needs the file that the link is in
		if err := startListening(ctx, dir, address); err != nil {
			return err
		}
	}
	show := !o.Print && !o.JSON && o.At == "" && hasDesktop(os.Getenv)
	switch {
	case o.JSON:
		return printJSON(map[string]any{"link": link})
	case show:
		fmt.Fprintln(os.Stderr, i18n.GatewayPageOpened.In(o.Lang))
	default:
		fmt.Fprintln(os.Stderr, i18n.GatewayPageOpen.In(o.Lang))
	}
	fmt.Println(link)
	if !show {
		return nil
	}
	file, err := gateway.WriteLink(dir, link)
	if err != nil {
		return err
	}
	// The link was printed, and can be opened by hand.
	_ = errand.Run(ctx, []string{"xdg-open", file})
	return nil
}

// hasDesktop reports whether a browser can show a window.
func hasDesktop(getenv func(string) string) bool {
	return getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != ""
}
