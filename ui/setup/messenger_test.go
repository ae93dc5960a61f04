package setup_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/ui/setup"
)

// messengers returns a desk with both bridges installed, on which a login creates its file.
func messengers(t *testing.T) *computer {
	t.Helper()
	d := newDesk(t)
	d.IsInstalled = func(program string) bool { return strings.HasSuffix(program, "-bridge") }
	d.Unit = func(context.Context, string) setup.Unit { return setup.Unit{Installed: true} }
	d.Run = func(_ context.Context, argv []string) error {
		d.ran = append(d.ran, strings.Join(argv, " "))
		for _, c := range channel.WithBridge() {
			if argv[0] == c.Program {
				d.write(filepath.Join(c.Name, c.Login), "x")
			}
		}
		return nil
	}
	return d
}

// After the numbers are saved, the notice is shown, and each command runs after a yes.
func TestAMessengerIsLinkedOnceItIsKnownWhoMayWrite(t *testing.T) {
	d := messengers(t)
	d.write("config.toml", "[ai_agent]\nprovider = \"offline\"\n")
	p := says(t, "Settings: whatsapp", "Numbers allowed on WhatsApp: +82 10-1234-5678", "Settings: save", "Save?: yes",
		"Link WhatsApp now?: yes", "Start the WhatsApp bridge: yes")
	plan, err := d.Guide(t.Context(), p)
	require.NoError(t, err)
	require.Empty(t, d.ran, "nothing runs before it is saved who may write")
	done, err := d.Finish(t.Context(), plan)
	require.NoError(t, err)
	require.Equal(t, []string{"blunux-wa-bridge login", "systemctl --user enable --now blunux-wa-bridge.service"}, done.Next)
	d.ReportDone(t.Context(), p, done)
	require.Equal(t, []string{"blunux-wa-bridge login", "systemctl --user enable --now blunux-wa-bridge.service"}, d.ran)
	require.Contains(t, p.heard(), "unofficial client")
	require.Contains(t, p.heard(), "Use a separate number for it")

	// The next time, linked messengers are not asked about, but switched-off ones are.
	p = says(t, "Start the WhatsApp bridge: no")
	d.ran = nil
	d.ReportDone(t.Context(), p, done)
	require.Empty(t, d.ran)
	require.Contains(t, p.heard(), "To do it later: systemctl --user enable --now blunux-wa-bridge.service")
	d.Unit = func(context.Context, string) setup.Unit { return setup.Unit{Installed: true, IsOn: true} }
	d.ReportDone(t.Context(), says(t), done)
	require.Empty(t, d.NextCommands([]string{"whatsapp"}))
}

func TestWhatIsLeftOpenIsTold(t *testing.T) {
	for name, test := range map[string]struct {
		arrange func(*computer)
		answers []string
		told    string
		ran     int
	}{
		"a no":                       {func(*computer) {}, []string{"Link Telegram now?: no"}, "To do it later: blunux-telegram-bridge login", 0},
		"the person leaves":          {func(*computer) {}, nil, "To do it later: blunux-telegram-bridge login", 0},
		"the program is not there":   {func(d *computer) { d.IsInstalled = nil }, nil, "blunux-telegram-bridge is not installed", 0},
		"a login that does not work": {func(d *computer) { d.Run = func(context.Context, []string) error { return errors.New("no network") } }, []string{"Link Telegram now?: yes"}, "no network", 0},
		"there is no unit": {
			func(d *computer) { d.Unit = nil }, []string{"Link Telegram now?: yes"}, "Keep the bridge running yourself: blunux-telegram-bridge", 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := messengers(t)
			test.arrange(d)
			p := says(t, test.answers...)
			d.ReportDone(t.Context(), p, setup.Done{Messengers: []string{"telegram", "discord"}})
			require.Contains(t, p.heard(), test.told)
			require.Len(t, d.ran, test.ran)
		})
	}
}

// With setup --non-interactive.
func TestWhoAsksNothingIsToldWhatIsLeft(t *testing.T) {
	d := messengers(t)
	plan, _, err := d.Direct(t.Context(), setup.Order{Answers: setup.Answers{Senders: map[string][]string{"telegram": {"42"}}}})
	require.NoError(t, err)
	done, err := d.Finish(t.Context(), plan)
	require.NoError(t, err)
	require.Equal(t, []string{"blunux-telegram-bridge login", "systemctl --user enable --now blunux-telegram-bridge.service"}, done.Next)
	require.Empty(t, d.ran)
	require.NoFileExists(t, filepath.Join(d.home, "telegram/token"))

	plan, _, err = d.Direct(t.Context(), setup.Order{Answers: setup.Answers{Language: "ko"}})
	require.NoError(t, err)
	require.Equal(t, []string{"telegram"}, plan.Messengers, "they were let in before")
	require.NoError(t, os.RemoveAll(d.home))
	plan, _, err = d.Direct(t.Context(), setup.Order{Answers: setup.Answers{Language: "ko"}})
	require.NoError(t, err)
	require.Empty(t, plan.Messengers)
}
