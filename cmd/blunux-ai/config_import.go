package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/rules"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/setup"
)

func newConfigImport() *cobra.Command {
	var dry, keys, yes, asJSON bool
	cmd := &cobra.Command{
		Use: "import FILE|-",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return newUsageError(i18n.ConfigNeedsFile)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := openConfig(cmd)
			if err != nil {
				return err
			}
			text, name, err := readImport(cmd.Context(), args[0], cmd.InOrStdin(), commandLineLang())
			if err != nil {
				return err
			}
			if !asJSON {
				return c.importFile(cmd.Context(), text, name, importFlags{dry, keys, yes})
			}
			out, doc := c.out, newImportDocument(dry)
			c.out, c.doc = io.Discard, &doc
			if err := c.importFile(cmd.Context(), text, name, importFlags{dry, keys, yes}); err != nil {
				return err
			}
			return writeJSON(out, doc)
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "")
	cmd.Flags().BoolVar(&keys, "keys", false, "")
	cmd.Flags().BoolVar(&yes, "yes", false, "")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// importDocument is the output of config import --json.
type importDocument struct {
	From          string         `json:"from,omitempty"` // program that the settings are from
	Unsupported   []string       `json:"no_place"`
	Differs       []differing    `json:"differs"`
	WidenedKeys   []string       `json:"widens"` // keys that grant more rights
	Changes       []setup.Change `json:"changes"`
	Rules         []string       `json:"rules"`
	ExistingRules []string       `json:"rules_there"`
	Keys          []string       `json:"keys"`
	KeysLeft      []string       `json:"keys_left"`
	Backups       []string       `json:"kept"`
	Written       []string       `json:"written"`
	DryRun        bool           `json:"dry_run"`
	Problem       string         `json:"problem,omitempty"` // why a running daemon cannot reload
}

// differing is a foreign setting that has a different meaning here.
type differing struct {
	Key string `json:"key"`
	Why string `json:"why"`
}

func newImportDocument(dry bool) importDocument {
	return importDocument{
		Unsupported: []string{}, Differs: []differing{}, WidenedKeys: []string{}, Changes: []setup.Change{}, Rules: []string{}, ExistingRules: []string{}, Keys: []string{}, KeysLeft: []string{},
		Backups: []string{}, Written: []string{}, DryRun: dry,
	}
}

// maxImport limits the size of an imported file, in bytes.
const maxImport = 1 << 20

func readImport(ctx context.Context, file string, stdin io.Reader, lang i18n.Lang) (text []byte, name string, err error) {
	if name = file; file == "-" {
		name = i18n.ConfigStdin.In(lang)
	}
	in, err := openInterruptible(ctx, file, stdin)
	if isCancelled(ctx, err) {
		return nil, "", err
	}
	if err != nil {
		return nil, "", newUsageError(i18n.CannotRead(file, err))
	}
	defer in.Close()
	text, err = io.ReadAll(io.LimitReader(in, maxImport+1))
	if err == nil && len(text) > maxImport {
		err = newUsageError(i18n.ConfigTooLong(name, maxImport))
	}
	return bytes.TrimPrefix(text, []byte("\ufeff")), name, err
}

type importFlags struct{ dry, keys, yes bool }

// importFile checks a file, prints what changes, asks before granting more rights, and writes.
func (c configCommand) importFile(ctx context.Context, text []byte, name string, how importFlags) error {
	if c.doc == nil {
		c.doc = &importDocument{}
	}
	var files []setup.File
	foreign, ok := config.ReadForeign(text)
	settings, rules := config.Split(text)
	if ok {
		fmt.Fprintln(c.out, i18n.ConfigFrom(foreign.From).In(c.lang))
		c.doc.From = foreign.From
		for _, key := range foreign.Left {
			c.doc.Unsupported = append(c.doc.Unsupported, key)
			fmt.Fprintln(c.out, i18n.ConfigNoPlace(ipc.VisibleLine(key)).In(c.lang))
		}
		c.printDifferences(foreign.Differs)
		own, err := config.Render(config.Settings(foreign.Values), nil)
		if err != nil {
			return err
		}
		settings, rules = []byte(own), nil
	}
	f, err := c.importSettings(settings, name)
	if err != nil {
		return err
	}
	files = append(files, f...)
	if f, err = c.importRules(rules, name); err != nil {
		return err
	}
	files = append(files, f...)
	if how.dry {
		fmt.Fprintln(c.out, i18n.ConfigDry.In(c.lang))
		return nil
	}
	if err := c.confirmRights(ctx, how.yes); err != nil {
		return err
	}
	return c.write(ctx, append(c.importKeys(ctx, foreign.Keys, how.keys), files...))
}

// printDifferences prints which foreign settings have a different meaning here.
func (c configCommand) printDifferences(all []config.Difference) {
	for _, d := range all {
		why := d.Why.In(c.lang)
		c.doc.Differs = append(c.doc.Differs, differing{d.Key, why})
		fmt.Fprintln(c.out, i18n.ConfigDiffers(d.Key, why).In(c.lang))
	}
}

// importSettings checks the settings and prints what they change.
func (c configCommand) importSettings(text []byte, name string) ([]setup.File, error) {
	target := c.paths.Imported()
	if _, err := config.Load(c.src.WithText(target, text)); err != nil {
		return nil, c.relocateError(err, target, name)
	}
	values := map[string]any{}
	var top map[string]any
	if err := toml.Unmarshal(text, &top); err != nil {
		return nil, i18n.CannotRead(name, err).WithCause(err)
	}
	config.MergeValues(values, top)
	list := config.Settings(values)
	for _, s := range list {
		if isSecret(secret.NewRedactor(nil), s) {
			return nil, errors.New(i18n.ConfigKeyInside(name + ": " + s.Key()).In(c.lang))
		}
	}
	own, err := config.Render(list, nil)
	if err != nil {
		return nil, err
	}
	whole := []byte(fmt.Sprintf("%s\n\n%s", i18n.ConfigImportHead(ipc.VisibleLine(name)).In(c.lang), own))
	if err := c.printChanges(c.src, c.src.WithText(target, whole)); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, nil
	}
	return []setup.File{{Path: target, Text: whole}}, nil
}

// relocateError reports a mistake under the name of the file that the user gave.
func (c configCommand) relocateError(err error, target, name string) error {
	var e *config.Error
	if !errors.As(err, &e) || e.File != target {
		return err
	}
	at := *e
	at.File = name
	if strings.HasPrefix(e.Problem, "unknown key ") && secretName.MatchString(e.Problem) {
		return errors.New(i18n.ConfigKeyInside(at.In(c.lang)).In(c.lang))
	}
	return &at
}

// printChanges prints the settings whose effective value changes.
func (c configCommand) printChanges(before, after config.Source) error {
	was, err := config.Effective(before)
	if err != nil {
		return err
	}
	will, err := config.Effective(after)
	if err != nil {
		return err
	}
	c.printWidened(was, will)
	hide := secret.NewRedactor(nil)
	shown := func(list []config.Setting, key string) string {
		for _, s := range list {
			if s.Key() == key {
				return ipc.VisibleLine(fmt.Sprint(maskValue(hide, s)))
			}
		}
		return i18n.SetupHaveNone.In(c.lang)
	}
	printed := map[string]bool{}
	for _, s := range append(slices.Clone(will), was...) {
		a, b := shown(was, s.Key()), shown(will, s.Key())
		if a != b && !printed[s.Key()] {
			printed[s.Key()] = true
			c.doc.Changes = append(c.doc.Changes, setup.Change{Key: s.Key(), Before: a, After: b})
			if !slices.Contains(c.doc.WidenedKeys, s.Key()) { // printed already
				fmt.Fprintln(c.out, i18n.SetupChange(ipc.VisibleLine(s.Key()), a, b).In(c.lang))
			}
		}
	}
	if len(printed) == 0 {
		fmt.Fprintln(c.out, i18n.ConfigSame.In(c.lang))
	}
	return nil
}

// importRules checks automations. It skips those whose name already exists.
func (c configCommand) importRules(text []byte, name string) ([]setup.File, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	o := rules.AutomationFiles(c.paths)
	target := filepath.Join(filepath.Dir(o.Managed), "60-imported.toml")
	if err := checkRules(o, text, name, c.lang); err != nil {
		return nil, err
	}
	top, err := readRules(text)
	if err != nil {
		return nil, i18n.CannotRead(name, err).WithCause(err)
	}
	o.State = "" // write no state
	set, _ := automation.Load(o)
	var fresh []map[string]any
	for _, r := range append(top["automation"], top["automations"]...) {
		title := fmt.Sprint(r["name"])
		if slices.ContainsFunc(set.Rules, func(have automation.Rule) bool { return have.Name == title && have.File != target }) {
			c.doc.ExistingRules = append(c.doc.ExistingRules, title)
			fmt.Fprintln(c.out, i18n.ConfigRuleThere(ipc.VisibleLine(title)).In(c.lang))
			continue
		}
		c.doc.Rules = append(c.doc.Rules, title)
		fmt.Fprintln(c.out, i18n.ConfigRuleNew(ipc.VisibleLine(title)).In(c.lang))
		c.printTrusted(r, title)
		fresh = append(fresh, r)
	}
	if len(fresh) == 0 {
		return nil, nil
	}
	list, err := toml.Marshal(map[string]any{"automation": fresh})
	if err != nil {
		return nil, err
	}
	head := i18n.ConfigImportRulesHead(ipc.VisibleLine(name)).In(c.lang) + "\n\n"
	return []setup.File{{Path: target, Text: append([]byte(head), list...)}}, nil
}

// checkRules loads the rules as the daemon would, from a temporary file.
func checkRules(o automation.Files, text []byte, name string, lang i18n.Lang) error {
	dir, err := os.MkdirTemp("", "blunux-ai-import-")
	if err != nil {
		return i18n.CannotLook(err).WithCause(err)
	}
	defer os.RemoveAll(dir)
	o.Path, o.Managed, o.State = filepath.Join(dir, "rules.toml"), "", ""
	if err := os.WriteFile(o.Path, text, 0o600); err != nil {
		return i18n.CannotLook(err).WithCause(err)
	}
	_, problems := automation.Load(o)
	for _, p := range problems {
		if !p.Used {
			return fmt.Errorf("%s:%d:%d: %s", name, p.Line, p.Column, ipc.VisibleLine(p.Text(lang)))
		}
	}
	return nil
}

// importKeys asks whether to store the API keys of a foreign file.
func (c configCommand) importKeys(ctx context.Context, keys map[string]string, unasked bool) []setup.File {
	var files []setup.File
	for name, key := range keys {
		path := filepath.Join(c.paths.Credentials(), name)
		if setup.CheckKey(key) == nil && filepath.Base(name) == name && !strings.HasPrefix(name, ".") &&
			(unasked || c.out != io.Discard && confirmAtTerminal(ctx, i18n.ConfigKeyAsk(name, ipc.VisibleLine(path)).In(c.lang), c.lang)) {
			files = append(files, setup.File{Path: path, Text: []byte(key + "\n")})
			c.doc.Keys = append(c.doc.Keys, name)
			continue
		}
		c.doc.KeysLeft = append(c.doc.KeysLeft, name)
		fmt.Fprintln(c.out, i18n.ConfigKeyLeft(ipc.VisibleLine(name)).In(c.lang))
	}
	return files
}

// write backs up the files that exist, writes, and reloads a running daemon.
func (c configCommand) write(ctx context.Context, files []setup.File) error {
	stamp := time.Now().Format("20060102-150405")
	var backups []setup.File
	for _, f := range files {
		if filepath.Dir(f.Path) == c.paths.Credentials() {
			continue
		}
		if old, err := os.ReadFile(f.Path); err == nil { // the backup's name does not end in .toml, so it is not read
			backups = append(backups, setup.File{Path: f.Path + "." + stamp, Text: old})
		}
	}
	if err := setup.WriteFiles(c.paths, append(backups, files...)); err != nil {
		return err
	}
	for _, f := range backups {
		c.doc.Backups = append(c.doc.Backups, f.Path)
		fmt.Fprintln(c.out, i18n.ConfigKept(ipc.VisibleLine(f.Path)).In(c.lang))
	}
	for _, f := range files {
		c.doc.Written = append(c.doc.Written, f.Path)
		fmt.Fprintln(c.out, i18n.ConfigWrote(ipc.VisibleLine(f.Path)).In(c.lang))
	}
	if len(files) == 0 {
		return nil
	}
	if _, err := reloadRunning(ctx); err != nil {
		c.doc.Problem = ipc.VisibleLine(i18n.Cause(err, c.lang))
		fmt.Fprintln(c.errs, i18n.SetupNoReload(c.doc.Problem).In(c.lang))
	}
	return nil
}
