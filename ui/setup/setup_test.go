package setup_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/ui/dialog"
	"github.com/nidoit/blunux-ai/ui/setup"
)

const aKey = "sk-test-0123456789abcdef"

// computer is a simulated computer with what the set-up needs.
type computer struct {
	*setup.Setup
	t      *testing.T
	home   string
	env    map[string]string
	claude *claude
	ran    []string
	asked  []catalog.Spec
	check  setup.Check
}

type claude struct{ installed, loggedIn bool }

func (c *claude) Find() (string, bool) { return "/usr/bin/claude", c.installed }
func (c *claude) LoggedIn() bool       { return c.loggedIn }

func newDesk(t *testing.T) *computer {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	d := &computer{t: t, home: home, env: map[string]string{}, claude: &claude{}, check: setup.Check{Verdict: setup.Valid}}
	getenv := func(name string) string { return d.env[name] }
	paths := config.Paths{Home: home}
	d.Setup = &setup.Setup{
		Lang: i18n.English, Paths: paths, Getenv: getenv, Claude: d.claude, HTTPClient: http.DefaultClient,
		Source: config.Source{Distribution: "/nowhere", System: "/nowhere", Paths: paths, Getenv: getenv},
		Run: func(_ context.Context, argv []string) error {
			d.ran = append(d.ran, strings.Join(argv, " "))
			return nil
		},
		IsInstalled: func(program string) bool { return program == "npm" },
		Verify:      func(_ context.Context, s catalog.Spec) setup.Check { d.asked = append(d.asked, s); return d.check },
	}
	return d
}

func (d *computer) write(name, text string) {
	d.t.Helper()
	file := filepath.Join(d.home, name)
	require.NoError(d.t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(d.t, os.WriteFile(file, []byte(text), 0o600))
}

func (d *computer) read(name string) string {
	d.t.Helper()
	text, err := os.ReadFile(filepath.Join(d.home, name))
	require.NoError(d.t, err)
	return string(text)
}

// tree lists everything below the home directory: names, modes and contents.
func (d *computer) tree() string {
	var b strings.Builder
	err := filepath.WalkDir(filepath.Dir(d.home), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := e.Info()
		if err != nil {
			return err
		}
		text := ""
		if fi.Mode().IsRegular() {
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(raw)
		}
		fmt.Fprintf(&b, "%s %v %v %q\n", path, fi.Mode(), fi.ModTime(), text)
		return nil
	})
	require.NoError(d.t, err)
	return b.String()
}

// person answers questions by the beginning of their titles.
type person struct {
	t       *testing.T
	answers []string // "title: answer", in order
	told    []string
	titles  []string
}

func says(t *testing.T, answers ...string) *person { return &person{t: t, answers: answers} }

func (p *person) next(title string) (string, error) {
	p.titles = append(p.titles, title)
	if len(p.answers) == 0 {
		return "", dialog.ErrAborted
	}
	want, answer, _ := strings.Cut(p.answers[0], ": ")
	require.True(p.t, strings.HasPrefix(title, want), "%q was asked and not %q", title, want)
	p.answers = p.answers[1:]
	return answer, nil
}

func (p *person) Choose(_ context.Context, q dialog.Question) (string, error) {
	answer, err := p.next(q.Title)
	if err != nil {
		return "", err
	}
	if answer == "" {
		return q.Value, nil
	}
	for _, o := range q.Options {
		if o.Value == answer || strings.HasPrefix(o.Label, answer) {
			return o.Value, nil
		}
	}
	p.t.Fatalf("%s: there is no %q in %v", q.Title, answer, q.Options)
	return "", nil
}

func (p *person) Confirm(_ context.Context, q dialog.Question) (bool, error) {
	answer, err := p.next(q.Title)
	if answer == "" {
		answer = q.Value
	}
	return answer == "yes", err
}

func (p *person) Type(_ context.Context, q dialog.Question) (string, error) {
	for {
		answer, err := p.next(q.Title)
		if err != nil || q.Check == nil {
			return answer, err
		}
		if err := q.Check(answer); err != nil {
			p.told = append(p.told, err.Error())
			continue
		}
		return answer, nil
	}
}

func (p *person) Tell(text string) { p.told = append(p.told, text) }

func (p *person) heard() string { return strings.Join(p.told, "\n") }

func TestOneThingThatIsFoundIsOneQuestion(t *testing.T) {
	for name, c := range map[string]struct {
		arrange func(*computer)
		ask     string
		want    map[string]string // settings
		key     string
	}{
		"a key in the environment is kept in a file too": {
			func(d *computer) { d.env["ANTHROPIC_API_KEY"] = aKey }, "Found a key for Claude", map[string]string{"ai_agent.provider": "claude"}, aKey,
		},
		"a key in a file stays there": {
			func(d *computer) { d.write("credentials/deepseek", aKey) }, "Found a key for DeepSeek", map[string]string{"ai_agent.provider": "deepseek"}, aKey,
		},
		"a logged-in claude": {
			func(d *computer) { *d.claude = claude{true, true} }, "Claude Code is logged in", map[string]string{"ai_agent.provider": "claude", "ai_agent.claude_mode": "oauth"}, "",
		},
		"a model server": {
			func(d *computer) {
				d.Local = func(context.Context) []string { return []string{"qwen3:8b", "llama3.2"} }
			}, "Ollama has a model",
			map[string]string{"ai_agent.provider": "ollama", "ai_agent.model": "qwen3:8b"},
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			c.arrange(d)
			p := says(t, c.ask+": use")
			plan, err := d.Guide(context.Background(), p)
			require.NoError(t, err)
			require.Len(t, p.titles, 1, "one question and done")
			require.NotContains(t, p.heard(), aKey, "a key is never shown")
			_, err = d.Finish(context.Background(), plan)
			require.NoError(t, err)
			for key, want := range c.want {
				require.Equal(t, want, d.setting(key))
			}
			require.Equal(t, c.key, d.key(c.want["ai_agent.provider"]))
		})
	}
}

func (d *computer) setting(key string) string {
	d.t.Helper()
	all, err := config.Effective(d.Source)
	require.NoError(d.t, err)
	for _, s := range all {
		if s.Key() == key {
			return fmt.Sprint(s.Value)
		}
	}
	return ""
}

// key returns the content of a key file, and requires that only its owner can access it.
func (d *computer) key(name string) string {
	d.t.Helper()
	file := filepath.Join(d.home, "credentials", name)
	fi, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	require.NoError(d.t, err)
	require.Equal(d.t, fs.FileMode(0o600), fi.Mode().Perm())
	dir, err := os.Stat(filepath.Dir(file))
	require.NoError(d.t, err)
	require.Equal(d.t, fs.FileMode(0o700), dir.Mode().Perm())
	return strings.TrimSpace(d.read("credentials/" + name))
}

func TestTheWholeWay(t *testing.T) {
	d := newDesk(t)
	d.check = setup.Check{Verdict: setup.Refused, Words: "bad key " + aKey}
	p := says(t,
		"Which model should answer?: deepseek", "DeepSeek API key: not a key", "DeepSeek API key: "+aKey, "What now?: again",
		"DeepSeek API key: "+aKey, "What now?: anyway", "Model to use: ",
		"Settings: whatsapp", "Numbers: 010-1234-5678", "Numbers: +82 (0)10-1234-5678, +82 10-1234-5678",
		"Settings: automations", "Turn on automations?: no", "Settings: language", "Interface language: ko",
		"Settings: save", "Save?: no", "Settings: save", "Save?: yes")
	plan, err := d.Guide(context.Background(), p)
	require.NoError(t, err)
	require.Empty(t, p.answers)
	require.NoDirExists(t, d.home, "nothing is written before the end")
	require.Contains(t, p.heard(), "✗ Key rejected: bad key ***")
	require.Contains(t, p.heard(), "010-1234-5678 has no country code")
	require.NotContains(t, p.heard(), aKey)
	_, err = d.Finish(context.Background(), plan)
	require.NoError(t, err)
	require.Equal(t, `# Written by "blunux-ai setup", which rewrites it each time. config.toml is yours to edit. Settings here override it;
# a later file in this directory or the environment overrides them. To see the values in use: blunux-ai config show

[ai_agent]
language = 'ko'
provider = 'deepseek'

[automations]
enabled = false

[whatsapp]
allowed_numbers = ['+821012345678']
`, d.read("config.d/50-setup.toml"))
	require.Equal(t, aKey, d.key("deepseek"))

	// In a second run, the current values are shown, and only changes are written.
	before := d.tree()
	p = says(t, "Settings: save")
	plan, err = d.Guide(context.Background(), p)
	require.NoError(t, err)
	require.True(t, plan.IsEmpty())
	_, err = d.Finish(context.Background(), plan)
	require.NoError(t, err)
	require.Equal(t, before, d.tree())
	p = says(t, "Settings: model", "Model to use: deepseek-reasoner", "Settings: save", "Save?: yes")
	plan, err = d.Guide(context.Background(), p)
	require.NoError(t, err)
	require.Equal(t, []setup.Change{{Key: "ai_agent.model", Before: nil, After: "deepseek-reasoner"}}, plan.Changes)
}

func TestWhoLeavesFindsEverythingAsItWas(t *testing.T) {
	all := []string{
		"Which model should answer?: claude", "Claude API key: " + aKey, "Model to use: claude-opus-4-6",
		"Settings: telegram", "Telegram: 100123", "Settings: automations", "Turn on automations?: no", "Settings: save", "Save?: yes",
	}
	for n := range all {
		d := newDesk(t)
		d.write("config.toml", "# mine\n[limits]\nrounds = 3\n")
		d.write("credentials/gemini", aKey)
		before := d.tree()
		p := says(t, append([]string{"Found a key for Gemini: other"}, all[:n]...)...)
		_, err := d.Guide(context.Background(), p)
		require.ErrorIs(t, err, dialog.ErrAborted)
		require.Equal(t, before, d.tree())
	}
}

func TestClaudeBySubscriptionIsExplainedAndInstalledOnlyAfterAYes(t *testing.T) {
	d := newDesk(t)
	p := says(t, "Which model should answer?: claude-code", "claude is not installed: yes", "Model to use: ", "Settings: save", "Save?: yes")
	plan, err := d.Guide(context.Background(), p)
	require.NoError(t, err)
	require.Equal(t, []string{"npm install -g @anthropic-ai/claude-code"}, d.ran)
	require.Contains(t, p.heard(), "run claude in a terminal, then /login")
	_, err = d.Finish(context.Background(), plan)
	require.NoError(t, err)
	require.Contains(t, d.read("config.d/50-setup.toml"), "claude_mode = 'oauth'\nprovider = 'claude'\n")

	d = newDesk(t)
	_, err = d.Guide(context.Background(), says(t, "Which model should answer?: claude-code", "claude is not installed: no"))
	require.ErrorIs(t, err, dialog.ErrAborted)
	require.Empty(t, d.ran)
	d.IsInstalled = func(string) bool { return false }
	p = says(t, "Which model should answer?: claude-code")
	_, err = d.Guide(context.Background(), p)
	require.ErrorIs(t, err, dialog.ErrAborted)
	require.Contains(t, p.heard(), "sudo pacman -S npm")
}

func TestWhatALaterFileOrTheEnvironmentDecidesIsTold(t *testing.T) {
	d := newDesk(t)
	d.write("config.d/90-mine.toml", "[ai_agent]\nprovider = \"gemini\"\n")
	d.env["DEEPSEEK_API_KEY"] = "another-key"
	plan, _, err := d.Direct(context.Background(), setup.Order{Answers: setup.Answers{Provider: "deepseek", Key: aKey}})
	require.NoError(t, err)
	require.Len(t, plan.OverriddenSettings, 1)
	require.Equal(t, "ai_agent.provider", plan.OverriddenSettings[0].Key())
	require.Equal(t, 2, plan.OverriddenSettings[0].Line)
	require.Equal(t, "DEEPSEEK_API_KEY", plan.Shadow)
	p := says(t)
	d.Summary(plan, p.Tell)
	require.Contains(t, p.heard(), "90-mine.toml:2")
}

func TestOnlyWhatDiffersFromThePersonsFilesIsWritten(t *testing.T) {
	d := newDesk(t)
	d.write("config.toml", "[agent]\nprovider = \"deepseek\"\nmodel = \"deepseek-reasoner\"\n[automations]\nenabled = false\n")
	d.write("config.d/50-setup.toml", "# older\n[limits]\nrounds = 4\n")
	off := false
	plan, _, err := d.Direct(context.Background(), setup.Order{NoVerify: true, Answers: setup.Answers{
		Provider: "deepseek", Key: aKey, Automations: &off, Model: "default", Senders: map[string][]string{"telegram": {}},
	}})
	require.NoError(t, err)
	require.Contains(t, string(plan.Text), "[ai_agent]\nmodel = 'deepseek-chat'\n\n[limits]\nrounds = 4\n", "what stands there otherwise is kept")
	require.NotContains(t, string(plan.Text), "provider")
	require.NotContains(t, string(plan.Text), "automations")
	require.NotContains(t, string(plan.Text), "telegram")
}

func TestAKeyAndItsProviderAreWrittenTogetherOrNotAtAll(t *testing.T) {
	d := newDesk(t)
	d.write("config.d", "in the way") // prevents writing the settings
	plan := setup.Plan{KeyFile: filepath.Join(d.home, "credentials/glm"), Key: aKey, File: d.Paths.Setup(), Text: []byte("[ai_agent]\n")}
	require.ErrorContains(t, plan.Write(d.Paths), "cannot write")
	require.NoFileExists(t, plan.KeyFile)
}

func TestAnOrderThatCannotBeDoneSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		order setup.Order
		kind  error
		words string
	}{
		"an unknown provider":    {setup.Order{Answers: setup.Answers{Provider: "hal"}}, setup.ErrUsage, `Unknown provider "hal". Available: claude, `},
		"no key":                 {setup.Order{Answers: setup.Answers{Provider: "z.ai"}}, setup.ErrNoKey, "ZAI_API_KEY, GLM_API_KEY"},
		"custom without address": {setup.Order{Answers: setup.Answers{Provider: "custom", Model: "m"}}, setup.ErrUsage, "--base-url"},
		"custom without model":   {setup.Order{Answers: setup.Answers{Provider: "custom", BaseURL: "http://127.0.0.1:1"}}, setup.ErrUsage, "--model"},
		"an address with a key":  {setup.Order{Answers: setup.Answers{Provider: "custom", Model: "m", BaseURL: "http://a/?key=x"}}, setup.ErrUsage, "contains a key"},
		"scripted":               {setup.Order{Answers: setup.Answers{Provider: "scripted"}}, setup.ErrUsage, `Unknown provider "scripted"`},
		"a mode for another":     {setup.Order{Answers: setup.Answers{Provider: "glm"}, ClaudeMode: "oauth"}, setup.ErrUsage, "--claude-mode"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			_, _, err := d.Direct(context.Background(), c.order)
			require.ErrorIs(t, err, c.kind)
			require.ErrorContains(t, err, c.words)
			require.Empty(t, d.asked)
			require.NoDirExists(t, d.home)
		})
	}
}

func TestNeverSetUp(t *testing.T) {
	d := newDesk(t)
	require.True(t, setup.IsUnconfigured(d.Source))
	d.env["BLUNUX_AI_PROVIDER"] = "offline"
	require.False(t, setup.IsUnconfigured(d.Source))
	delete(d.env, "BLUNUX_AI_PROVIDER")
	d.write("credentials/claude", aKey)
	require.False(t, setup.IsUnconfigured(d.Source))
	d = newDesk(t)
	d.write("config.toml", "[limits]\nrounds = 3\n")
	require.False(t, setup.IsUnconfigured(d.Source))
	d.write("config.toml", "nonsense")
	require.False(t, setup.IsUnconfigured(d.Source))
}

func TestU7ClaudeIsChosenOnceAndMessengersAreOffered(t *testing.T) {
	d := newDesk(t)
	d.claude.installed = true
	p := says(t, "Which model should answer?: claude-code", "Model to use: ", "Settings: save", "Save?: yes")
	offered := &offers{Asker: p}
	plan, err := d.Guide(context.Background(), offered)
	require.NoError(t, err)
	require.Empty(t, p.answers)
	require.Empty(t, plan.Key)
	require.Contains(t, p.heard(), "A subscription has different terms than the API")
	require.Contains(t, offered.values, "telegram")
	require.Contains(t, offered.values, "discord")
}

func TestU7AtAKeyOrAnAddressThePersonCanGoBack(t *testing.T) {
	d := newDesk(t)
	p := says(t, "Which model should answer?: deepseek", "DeepSeek API key: <", "Which model should answer?: custom", "Server address (base_url): <", "Which model should answer?: offline",
		"Settings: save", "Save?: yes")
	plan, err := d.Guide(context.Background(), p)
	require.NoError(t, err)
	require.Empty(t, p.answers)
	require.Empty(t, plan.Key)
	require.Empty(t, d.asked, "a server was asked with what was not typed")
}

// offers records the options.
type offers struct {
	dialog.Asker
	values []string
}

func (o *offers) Choose(ctx context.Context, q dialog.Question) (string, error) {
	for _, option := range q.Options {
		o.values = append(o.values, option.Value)
	}
	return o.Asker.Choose(ctx, q)
}
