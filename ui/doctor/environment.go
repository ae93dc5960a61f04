package doctor

import (
	"context"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
)

// notifications checks for a notification server.
func notifications(ctx context.Context, p Machine) Finding {
	name, err := p.Desktop(ctx)
	if err != nil {
		return p.finding(Warn, "systemctl --user list-units 'dbus-*Notifications*'", i18n.DoctorNoDesktop(err))
	}
	return p.finding(OK, "", i18n.DoctorDesktop(name))
}

// The plausible years: this program did not exist before the first, and today's certificates expire before the
// last.
const (
	firstYear = 2026
	lastYear  = 2099
)

// clock checks that the date is plausible and synchronised.
func clock(ctx context.Context, p Machine) Finding {
	now := p.Now()
	if now.Year() < firstYear || now.Year() > lastYear {
		return p.finding(Broken, "sudo timedatectl set-ntp true", i18n.DoctorClockWrong(now.Format(time.DateOnly)))
	}
	s, err := p.Clock(ctx)
	switch {
	case err != nil:
		return p.finding(OK, "", i18n.DoctorClockUnsure(err))
	case s.Synced:
		return p.finding(OK, "", i18n.DoctorClock)
	case s.Enabled:
		return p.finding(Warn, "timedatectl timesync-status", i18n.DoctorClockUnsynced)
	}
	return p.finding(Warn, "sudo timedatectl set-ntp true", i18n.DoctorClockOff)
}

// narrow is the minimum width of a readable terminal, in columns.
const narrow = 40

// terminal checks that the terminal can display the output.
func terminal(_ context.Context, p Machine) Finding {
	variable, locale := "LANG", ""
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} { // locale(7): the first one set counts
		if v := p.Getenv(name); v != "" {
			variable, locale = name, v
			break
		}
	}
	charset := strings.ToLower(strings.ReplaceAll(locale, "-", ""))
	term := p.Getenv("TERM")
	switch {
	case !strings.Contains(charset, "utf8"):
		return p.finding(Warn, "export "+variable+"="+utf8Locale(locale), i18n.DoctorTerminalAscii(orDash(locale)))
	case p.Columns == 0:
		return p.finding(OK, "", i18n.DoctorTerminalNone)
	case term == "" || term == "dumb":
		return p.finding(Warn, "export TERM=xterm-256color", i18n.DoctorTerminalDumb(orDash(term)))
	case p.Columns < narrow:
		return p.finding(Warn, "stty cols 80", i18n.DoctorTerminalNarrow(p.Columns))
	}
	return p.finding(OK, "", i18n.DoctorTerminal(term, i18n.Count(int64(p.Columns))))
}

// utf8Locale returns the UTF-8 locale of the same language, or C.UTF-8, which always exists.
func utf8Locale(locale string) string {
	if language, _, _ := strings.Cut(locale, "."); strings.Contains(language, "_") {
		return language + ".UTF-8"
	}
	return "C.UTF-8"
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// language reports where the language is set.
func language(_ context.Context, p Machine) Finding {
	cfg, _ := config.Load(p.Source) // another check reports its errors
	for _, from := range []struct{ name, value string }{
		{"BLUNUX_AI_LANG", p.Getenv("BLUNUX_AI_LANG")}, {"ai_agent.language", cfg.Agent.Language},
	} {
		if from.value == "" || from.value == "auto" {
			continue
		}
		if _, known := i18n.Parse(from.value); !known {
			return p.finding(Warn, "export BLUNUX_AI_LANG="+string(p.Lang), i18n.DoctorLanguageOdd(from.value))
		}
		return p.finding(OK, "", i18n.DoctorLanguage(from.name))
	}
	return p.finding(OK, "", i18n.DoctorLanguage(orDash(p.Getenv("LANG"))))
}
