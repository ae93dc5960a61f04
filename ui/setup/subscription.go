package setup

import (
	"context"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
)

// installClaude is the command from Claude Code's documentation ("Set up", npm).
var installClaude = []string{"npm", "install", "-g", "@anthropic-ai/claude-code"}

// explainSubscription explains Claude by subscription, offers to install the program, and explains the
// login. Claude by API key is a separate entry in the list of providers.
func (g *guide) explainSubscription(ctx context.Context) (bool, error) {
	g.ask.Tell(g.say(i18n.SetupTerms))
	if err := g.offerInstall(ctx); err != nil {
		return false, err
	}
	if g.Claude != nil && g.Claude.LoggedIn() {
		g.ask.Tell(g.say(i18n.SetupLoggedIn))
	} else {
		g.ask.Tell(g.say(i18n.SetupLogin))
	}
	return true, nil
}

// offerInstall offers to install claude if it is not installed.
func (g *guide) offerInstall(ctx context.Context) error {
	if g.Claude != nil {
		if _, there := g.Claude.Find(); there {
			return nil
		}
	}
	if g.IsInstalled == nil || !g.IsInstalled("npm") {
		g.ask.Tell(g.say(i18n.SetupNoNpm))
		return nil
	}
	ok, err := g.ask.Confirm(ctx, Question{Title: g.say(i18n.SetupInstall), Help: g.say(i18n.SetupRuns(strings.Join(installClaude, " ")))})
	if err != nil || !ok || g.Run == nil {
		return err
	}
	if err := g.Run(ctx, installClaude); err != nil {
		if ctx.Err() != nil {
			return ErrAborted
		}
		g.ask.Tell(g.say(i18n.SetupInstallFailed(err)))
	}
	return nil
}
