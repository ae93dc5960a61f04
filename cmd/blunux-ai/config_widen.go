package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/setup"
)

// printWidened prints the changes that grant more rights. They come first, where they are not lost among the others.
func (c configCommand) printWidened(was, will []config.Setting) {
	hide := secret.NewRedactor(nil)
	shown := func(key string, v any) string {
		if v == nil {
			return i18n.SetupHaveNone.In(c.lang)
		}
		return ipc.VisibleLine(fmt.Sprint(maskValue(hide, config.Setting{Path: strings.Split(key, "."), Value: v})))
	}
	for _, w := range config.FindWidenings(was, will) {
		c.printWarning(w.Key, i18n.SetupChange(ipc.VisibleLine(w.Key), shown(w.Key, w.Before), shown(w.Key, w.After)).In(c.lang))
	}
}

// printTrusted prints what an automation may do beyond the usual: run signed commands without asking, and ask for
// approval over a messenger, where a yes counts.
func (c configCommand) printTrusted(rule map[string]any, title string) {
	if rule["auto_apply"] == true {
		c.printWarning(title, i18n.ConfigApply(ipc.VisibleLine(title)).In(c.lang))
	}
	notify, isList := rule["notify"].([]any)
	if !isList {
		notify = []any{rule["notify"]}
	}
	for _, to := range notify {
		if channel, address, _ := strings.Cut(fmt.Sprint(to), ":"); address != "" {
			c.printWarning(title, i18n.ConfigNotifies(ipc.VisibleLine(title), ipc.VisibleLine(channel+":"+address)).In(c.lang))
		}
	}
}

func (c configCommand) printWarning(key, line string) {
	if len(c.doc.WidenedKeys) == 0 {
		fmt.Fprintln(c.out, i18n.ConfigWidens.In(c.lang))
	}
	c.doc.WidenedKeys = append(c.doc.WidenedKeys, key)
	fmt.Fprintln(c.out, "  ! "+line)
}

// confirmRights asks before an import grants more rights, because the user may not have written the file.
func (c configCommand) confirmRights(ctx context.Context, yes bool) error {
	if len(c.doc.WidenedKeys) == 0 || yes {
		return nil
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if c.out == io.Discard || err != nil {
		return manual.NewUsageError(i18n.ConfigNeedsConfirmation.In(c.lang))
	}
	defer tty.Close()
	if !confirmAt(ctx, tty, i18n.ConfigTake.In(c.lang), c.lang) {
		fmt.Fprintln(c.errs, i18n.ConfigNot.In(c.lang))
		return exitError(exitConfirm)
	}
	return nil
}

// confirmAtTerminal asks for a yes. Without a terminal it returns false.
func confirmAtTerminal(ctx context.Context, question string, lang i18n.Lang) bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer tty.Close()
	return confirmAt(ctx, tty, question, lang)
}

func confirmAt(ctx context.Context, tty *os.File, question string, lang i18n.Lang) bool {
	ask := setup.NewLines(lang, tty, tty, func() int { return 80 })
	defer ask.Close()
	ok, err := ask.Confirm(ctx, setup.Question{Title: question})
	return err == nil && ok
}
