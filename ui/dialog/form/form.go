// Package form draws questions as forms on a terminal. It is apart from [dialog], so that only the program that draws
// links the form library.
package form

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"io"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ui/dialog"
)

// Screen shows questions as forms. It implements [dialog.Screen].
type Screen struct {
	Lang i18n.Lang
	In   io.Reader
	Out  io.Writer
	// Width returns the terminal's width in columns.
	Width func() int
	// Plain disables colours.
	Plain bool
}

// maxWidth is the maximum line width in cells, for readability.
const maxWidth = 72

func (f *Screen) width() int {
	if w := f.Width(); w > 0 {
		return min(w, maxWidth)
	}
	return dialog.LeastColumns
}

// Choose implements [dialog.Screen].
func (f *Screen) Choose(ctx context.Context, q dialog.Question) (string, error) {
	value := q.Value
	var options []huh.Option[string]
	for _, o := range q.Options {
		options = append(options, huh.NewOption(o.Label, o.Value))
	}
	field := huh.NewSelect[string]().Title(q.Title).Description(f.help(q, i18n.SetupKeysHelp)).
		Options(options...).Value(&value)
	err := f.run(ctx, field, func() string { return q.Title + " › " + labelOf(q.Options, value) })
	return value, err
}

// Type implements [dialog.Screen].
func (f *Screen) Type(ctx context.Context, q dialog.Question) (string, error) {
	value := q.Value
	field := huh.NewInput().Title(q.Title).Description(f.help(q, i18n.SetupTypeHelp)).Value(&value)
	if q.Secret {
		field = field.EchoMode(huh.EchoModePassword)
	}
	if q.Check != nil {
		field = field.Validate(q.Check)
	}
	if q.Back {
		field = field.Description(f.help(q, i18n.SetupTypeBackHelp))
	}
	err := f.run(ctx, field, func() string {
		if value == dialog.Back && q.Back {
			return q.Title + " › " + i18n.SetupBack.In(f.Lang)
		}
		if q.Secret {
			return q.Title + " › ***"
		}
		return q.Title + " › " + value
	})
	if q.Back && errors.Is(err, dialog.ErrEscaped) {
		return dialog.Back, nil
	}
	return value, err
}

func (f *Screen) help(q dialog.Question, keys i18n.Text) string {
	if q.Help == "" {
		return keys.In(f.Lang)
	}
	return q.Help + "\n" + keys.In(f.Lang)
}

func labelOf(options []dialog.Option, value string) string {
	for _, o := range options {
		if o.Value == value {
			return o.Label
		}
	}
	return value
}

// run shows one field until it is answered. last returns the line that remains.
func (f *Screen) run(ctx context.Context, field huh.Field, last func() string) error {
	keys := huh.NewDefaultKeyMap()
	keys.Quit = key.NewBinding(key.WithKeys("ctrl+c", "esc"))
	keys.Select.Filter = key.NewBinding(key.WithDisabled()) // otherwise Esc would have two meanings
	form := huh.NewForm(huh.NewGroup(field)).WithKeyMap(keys).WithShowHelp(false).WithTheme(f.theme()).
		WithAccessible(false).WithWidth(f.width())
	form.SubmitCmd, form.CancelCmd = tea.Quit, tea.Quit
	drawn, sized, escaped := 0, false, false
	view := formView{form, &drawn, &sized, &escaped}
	program := tea.NewProgram(view, tea.WithInput(f.In), tea.WithOutput(f.Out), tea.WithoutSignalHandler())
	// With tea.WithContext the program would close its input while it still reads it.
	defer context.AfterFunc(ctx, program.Quit)()
	_, err := program.Run()
	if drawn > 1 { // its last frame stays on the screen, with the cursor in its last line
		fmt.Fprint(f.Out, ansi.CursorUp(drawn-1))
	}
	fmt.Fprint(f.Out, "\r"+ansi.EraseScreenBelow)
	switch {
	case escaped && ctx.Err() == nil:
		return dialog.ErrEscaped
	case form.State == huh.StateAborted, ctx.Err() != nil:
		return dialog.ErrAborted
	case err != nil:
		return fmt.Errorf("cannot show the form: %w", err)
	}
	fmt.Fprintln(f.Out, ansi.Wrap(last(), f.width()-1, ""))
	return nil
}

// formView draws a form and counts the lines of its last frame.
type formView struct {
	form  *huh.Form
	drawn *int
	sized *bool // the terminal's size is known
	// escaped reports that the form was ended by Esc and not by Ctrl-C.
	escaped *bool
}

func (s formView) Init() tea.Cmd { return s.form.Init() }

func (s formView) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := s.form.Update(msg)
	if press, ok := msg.(tea.KeyPressMsg); ok && press.String() == "esc" {
		*s.escaped = true
	}
	if _, resized := msg.(tea.WindowSizeMsg); resized {
		if *s.sized { // rows that the terminal rewrapped are no longer where they were drawn
			cmd = tea.Batch(cmd, tea.ClearScreen)
		}
		*s.sized = true
	}
	return s, cmd
}

func (s formView) View() tea.View {
	view := s.form.View()
	if view != "" {
		*s.drawn = lipgloss.Height(view)
	}
	return tea.NewView(view)
}

// theme uses the terminal's own sixteen colours, which fit any palette.
func (f *Screen) theme() huh.Theme {
	return huh.ThemeFunc(func(dark bool) *huh.Styles {
		s := huh.ThemeBase(dark)
		paint := func(style *lipgloss.Style, c color.Color) {
			if !f.Plain {
				*style = style.Foreground(c)
			}
		}
		s.Focused.Title = s.Focused.Title.Bold(true)
		paint(&s.Focused.Title, lipgloss.Cyan)
		paint(&s.Focused.Description, lipgloss.BrightBlack)
		paint(&s.Focused.SelectSelector, lipgloss.Cyan)
		paint(&s.Focused.SelectedOption, lipgloss.Cyan)
		paint(&s.Focused.ErrorMessage, lipgloss.Red)
		paint(&s.Focused.ErrorIndicator, lipgloss.Red)
		return s
	})
}
