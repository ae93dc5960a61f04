package setup

import (
	"context"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
)

// installClaude is how Claude Code's documentation ("Set up", npm) installs it.
var installClaude = []string{"npm", "install", "-g", "@anthropic-ai/claude-code"}

// subscription says what Claude by subscription means, has the program installed
// where the person wants that, and says how to log in. Claude by API key is an
// entry of its own in the list of providers, so this asks for nothing twice.
func (g *guide) subscription(ctx context.Context) (bool, error) {
	g.ask.Tell(g.say(i18n.SetupTerms))
	if err := g.install(ctx); err != nil {
		return false, err
	}
	if g.Claude != nil && g.Claude.LoggedIn() {
		g.ask.Tell(g.say(i18n.SetupLoggedIn))
	} else {
		g.ask.Tell(g.say(i18n.SetupLogin))
	}
	return true, nil
}

// install offers to install claude where it is not there.
func (g *guide) install(ctx context.Context) error {
	if g.Claude != nil {
		if _, there := g.Claude.Find(); there {
			return nil
		}
	}
	if g.Has == nil || !g.Has("npm") {
		g.ask.Tell(g.say(i18n.SetupNoNPM))
		return nil
	}
	ok, err := g.ask.Confirm(ctx, Question{Title: g.say(i18n.SetupInstall), Help: g.say(i18n.SetupRuns, strings.Join(installClaude, " "))})
	if err != nil || !ok || g.Run == nil {
		return err
	}
	if err := g.Run(ctx, installClaude); err != nil {
		if ctx.Err() != nil {
			return ErrAborted
		}
		g.ask.Tell(g.say(i18n.SetupInstallFailed, err))
	}
	return nil
}
