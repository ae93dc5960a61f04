package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/rules"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/ipc"
)

func newConfigExport() *cobra.Command {
	return &cobra.Command{
		Use:  "export [FILE|-]",
		Args: manual.AtMostOneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := openConfig(cmd)
			if err != nil {
				return err
			}
			text, err := c.exportText()
			if err != nil {
				return err
			}
			if len(args) == 0 || args[0] == "-" {
				_, err = io.WriteString(c.out, text)
				return err
			}
			return c.writeNew(args[0], text)
		},
	}
}

// writeNew creates a file that only its owner can read. It fails if the file exists.
func (c configCommand) writeNew(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return errors.New(i18n.ConfigExportThere(file).In(c.lang))
	}
	if err != nil {
		return i18n.CannotWrite(file, err).WithCause(err)
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func (c configCommand) exportText() (string, error) {
	own, err := config.OwnValues(c.src)
	if err != nil {
		return "", err
	}
	text, err := config.Render(c.withoutSecrets(config.Settings(own)), nil)
	if err != nil {
		return "", err
	}
	head := i18n.ConfigExportHead.In(c.lang) + "\n\n"
	rules, err := c.mergedRules()
	if err != nil || len(rules) == 0 {
		return head + text, err
	}
	list, err := toml.Marshal(map[string]any{"automation": rules})
	return head + text + "\n" + string(list), err
}

// withoutSecrets removes settings that contain a secret and prints their names. An MCP server whose command contains a
// secret is removed completely, because it is useless without its command.
func (c configCommand) withoutSecrets(settings []config.Setting) []config.Setting {
	hide := secret.NewRedactor(nil)
	closed := []string{}
	for _, s := range settings {
		if !isSecret(hide, s) {
			continue
		}
		key := s.Key()
		if s.Path[0] == "mcp" && len(s.Path) == 3 {
			key = "mcp." + s.Path[1]
		}
		closed = append(closed, key)
		fmt.Fprintln(c.errs, i18n.ConfigLeftOut(ipc.VisibleLine(key)).In(c.lang))
	}
	return slices.DeleteFunc(settings, func(s config.Setting) bool {
		return slices.ContainsFunc(closed, func(key string) bool { return s.Key() == key || strings.HasPrefix(s.Key(), key+".") })
	})
}

// isSecret reports whether a setting contains a value that must not be in a settings file.
func isSecret(hide *secret.Redactor, s config.Setting) bool {
	if text, ok := s.Value.(string); ok && strings.HasPrefix(text, "$") {
		return false
	}
	if s.Path[0] == "mcp" && len(s.Path) == 4 && s.Path[2] == "env" {
		text, _ := s.Value.(string)
		return secretName.MatchString(s.Path[3]) || hide.Redact(text) != text
	}
	return fmt.Sprint(maskValue(hide, s)) != fmt.Sprint(s.Value)
}

// mergedRules merges the user's automations into one list. The first of a name wins. Changes that commands made
// (enabled, removed) are applied.
func (c configCommand) mergedRules() ([]map[string]any, error) {
	o := rules.AutomationFiles(c.paths)
	drop, err := filepath.Glob(filepath.Join(filepath.Dir(o.Managed), "[^.]*.toml"))
	if err != nil {
		return nil, err
	}
	var rules []map[string]any
	seen := map[string]bool{}
	changes := map[string]map[string]any{}
	for _, file := range append([]string{o.Path}, drop...) {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, i18n.CannotRead(file, err).WithCause(err)
		}
		top, err := readRules(text)
		if err != nil {
			return nil, i18n.CannotRead(file, err).WithCause(err)
		}
		for _, r := range append(top["automation"], top["automations"]...) {
			if name := fmt.Sprint(r["name"]); !seen[name] {
				seen[name] = true
				rules = append(rules, r)
			}
		}
		if file == o.Managed {
			for _, change := range top["change"] {
				changes[fmt.Sprint(change["name"])] = change
			}
		}
	}
	return applyChanges(rules, changes), nil
}

func applyChanges(rules []map[string]any, changes map[string]map[string]any) []map[string]any {
	return slices.DeleteFunc(rules, func(r map[string]any) bool {
		change := changes[fmt.Sprint(r["name"])]
		if enabled, ok := change["enabled"].(bool); ok {
			r["enabled"] = enabled
		}
		removed, _ := change["removed"].(bool)
		return removed
	})
}

// readRules reads the tables of a file of automations, by their list's name.
func readRules(text []byte) (map[string][]map[string]any, error) {
	var top map[string]any
	if err := toml.Unmarshal(text, &top); err != nil {
		return nil, errors.New(ipc.VisibleLine(err.Error()))
	}
	lists := map[string][]map[string]any{}
	for name, v := range top {
		list, _ := v.([]any)
		for _, e := range list {
			if table, ok := e.(map[string]any); ok {
				lists[name] = append(lists[name], table)
			}
		}
	}
	return lists, nil
}
