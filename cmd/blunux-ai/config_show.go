package main

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/wire"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/ipc"
)

type configCommand struct {
	paths config.Paths
	src   config.Source
	lang  i18n.Lang
	out   io.Writer
	errs  io.Writer
	doc   *importDocument // progress of an import; nil in other commands
}

func openConfig(cmd *cobra.Command) (configCommand, error) {
	paths, err := config.FindPaths(os.Getenv)
	if err != nil {
		return configCommand{}, err
	}
	distribution, _ := cmd.Flags().GetString("blunux-config")
	if _, err := os.Stat(distribution); distribution != "" && err != nil {
		return configCommand{}, newUsageError(i18n.ConfigNoFile(distribution, err))
	}
	c := configCommand{paths: paths, src: wire.NewSource(paths, distribution), out: cmd.OutOrStdout(), errs: cmd.ErrOrStderr()}
	c.lang = configuredLang(langOf(cmd), c.src)
	return c, nil
}

func newConfigShow() *cobra.Command {
	cmd := jsonCommand("show [KEY]", manual.AtMostOneArg, func(in invocation) error {
		c, err := openConfig(in.Command)
		if err != nil {
			return err
		}
		return c.show(strings.Join(in.args, ""), in.json)
	})
	cmd.ValidArgsFunction = completeKeys
	return cmd
}

type shownSetting struct {
	Key     string `json:"key"`
	Value   any    `json:"value"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Default bool   `json:"default"`
}

func (c configCommand) show(key string, asJSON bool) error {
	if asJSON {
		doc, err := c.settings(key)
		if err != nil {
			return err
		}
		return writeJSON(c.out, doc)
	}
	all, err := c.effective(key)
	if err != nil {
		return err
	}
	text, err := config.Render(all, c.origin)
	if err == nil {
		_, err = io.WriteString(c.out, ipc.Clean(text))
	}
	return err
}

func (c configCommand) settings(key string) ([]shownSetting, error) {
	all, err := c.effective(key)
	doc := []shownSetting{}
	for _, s := range all {
		doc = append(doc, shownSetting{s.Key(), s.Value, s.File, s.Line, s.Default()})
	}
	return doc, err
}

// effective returns the effective settings below a key, or all of them, without API keys and passwords.
func (c configCommand) effective(key string) ([]config.Setting, error) {
	all, err := config.Effective(c.src)
	if err != nil {
		return nil, err
	}
	if key != "" {
		all = slices.DeleteFunc(all, func(s config.Setting) bool {
			rest, below := strings.CutPrefix(s.Key(), key)
			return !below || rest != "" && rest[0] != '.' && rest[0] != '['
		})
		if len(all) == 0 {
			return nil, newUsageError(i18n.ConfigNoKey(key))
		}
	}
	hide := secret.NewRedactor(nil)
	for i := range all {
		all[i].Value = maskValue(hide, all[i])
	}
	return all, nil
}

// completeKeys completes settings and the tables that contain them.
func completeKeys(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	const nothingElse = cobra.ShellCompDirectiveNoFileComp
	c, err := openConfig(cmd)
	if err != nil || len(args) > 0 {
		return nil, nothingElse
	}
	all, err := config.Effective(c.src)
	if err != nil {
		return nil, nothingElse
	}
	var keys []string
	for _, s := range all {
		key := s.Key()
		for i, r := range key {
			if r == '.' {
				keys = append(keys, key[:i])
			}
		}
		keys = append(keys, key)
	}
	keys = slices.DeleteFunc(keys, func(key string) bool { return !strings.HasPrefix(key, word) })
	slices.Sort(keys)
	return slices.Compact(keys), nothingElse
}

// origin returns where a setting is set: a file with the line, or that it is the default.
func (c configCommand) origin(s config.Setting) string {
	switch {
	case s.Default():
		return i18n.ConfigDefault.In(c.lang)
	case s.Line == 0:
		return ipc.VisibleLine(s.File)
	}
	return fmt.Sprintf("%s:%d", ipc.VisibleLine(s.File), s.Line)
}

// mask replaces secrets in the output.
const mask = "***"

// secretName matches names of options and variables whose value is a secret.
var secretName = regexp.MustCompile(`(?i)(key|token|secret|passw|credential|auth)`)

func maskValue(hide *secret.Redactor, s config.Setting) any {
	switch v := s.Value.(type) {
	case string:
		if len(s.Path) == 4 && s.Path[0] == "mcp" && s.Path[2] == "env" && !strings.HasPrefix(v, "$") {
			return mask
		}
		return maskText(hide, v)
	case []any:
		list := make([]any, len(v))
		for i, word := range v {
			text, isText := word.(string)
			switch before, _ := before(v, i); {
			case !isText:
				list[i] = word
			case s.Path[0] == "mcp" && strings.HasPrefix(before, "-") && secretName.MatchString(before):
				list[i] = mask
			default:
				list[i] = maskText(hide, text)
			}
		}
		return list
	}
	return s.Value
}

func before(list []any, i int) (string, bool) {
	if i == 0 {
		return "", false
	}
	text, ok := list[i-1].(string)
	return text, ok
}

func maskText(hide *secret.Redactor, text string) string {
	if option, value, ok := strings.Cut(text, "="); ok && value != "" && strings.HasPrefix(option, "-") && secretName.MatchString(option) {
		return option + "=" + mask
	}
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		if u.User != nil {
			u.User = url.User(mask)
		}
		if u.RawQuery != "" {
			u.RawQuery = mask
		}
		if u.String() != text && (u.User != nil || u.RawQuery != "") {
			text = u.String()
		}
	}
	return hide.Redact(text)
}
