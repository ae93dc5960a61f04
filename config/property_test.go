package config_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Property 22 of the agent-rs design for all our layers: each may set the model and a limit. No environment
// variable sets the limit.
//
// Feature: agent-rs, Property 22: Config Loading Precedence.
func TestProperty22TheEnvironmentWinsOverFilesOverDefaults(t *testing.T) {
	files := []string{"share/config.toml", "etc/config.toml", "home/config.toml", "home/config.d/10-a.toml", "home/config.d/20-b.toml"}
	rapid.Check(t, func(rt *rapid.T) {
		l := newLayers(t)
		defer os.RemoveAll(l.root)
		model, rounds := "", 10 // defaults
		for i, file := range files {
			text := ""
			if rapid.Bool().Draw(rt, "model of "+file) {
				model = fmt.Sprint("model-", i)
				text += fmt.Sprintf("[ai_agent]\nmodel = %q\n", model)
			}
			if i > 0 && rapid.Bool().Draw(rt, "rounds of "+file) {
				rounds = i + 1
				text += fmt.Sprintf("[limits]\nrounds = %d\n", rounds)
			}
			if text != "" || rapid.Bool().Draw(rt, "empty "+file) {
				l.write(file, text)
			}
		}
		if rapid.Bool().Draw(rt, "environment") {
			model = "model-of-the-environment"
			l.env["BLUNUX_AI_MODEL"] = model
		}
		c := l.mustLoad()
		require.Equal(rt, model, c.Agent.Model)
		require.Equal(rt, rounds, c.Limits.Rounds)
	})
}
