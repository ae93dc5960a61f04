package setup

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image/color"
	"io"
	"os"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/width"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/term"
)

// Forms asks with forms drawn on the terminal.
type Forms struct {
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

func (f *Forms) width() int {
	if w := f.Width(); w > 0 {
		return min(w, maxWidth)
	}
	return columns
}

// Choose implements [Asker].
func (f *Forms) Choose(ctx context.Context, q Question) (string, error) {
	value := q.Value
	var options []huh.Option[string]
	for _, o := range q.Options {
		options = append(options, huh.NewOption(o.Label, o.Value))
	}
	field := huh.NewSelect[string]().Title(q.Title).Description(f.help(q, i18n.SetupKeysHelp)).Options(options...).Value(&value)
	err := f.run(ctx, field, func() string { return q.Title + " › " + labelOf(q.Options, value) })
	return value, err
}

// Confirm implements [Asker].
func (f *Forms) Confirm(ctx context.Context, q Question) (bool, error) {
	q.Options = []Option{{i18n.SetupYes.In(f.Lang), yes}, {i18n.SetupNo.In(f.Lang), "no"}}
	if q.Value != yes {
		q.Value = "no"
	}
	got, err := f.Choose(ctx, q)
	return got == yes, err
}

// Type implements [Asker].
func (f *Forms) Type(ctx context.Context, q Question) (string, error) {
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
		if value == Back && q.Back {
			return q.Title + " › " + i18n.SetupBack.In(f.Lang)
		}
		if q.Secret {
			return q.Title + " › ***"
		}
		return q.Title + " › " + value
	})
	if q.Back && errors.Is(err, errEscaped) {
		return Back, nil
	}
	return value, err
}

// Tell implements [Asker].
func (f *Forms) Tell(text string) {
	fmt.Fprintln(f.Out, f.wrapped(text))
}

func (f *Forms) wrapped(text string) string { return ansi.Wrap(text, f.width()-1, "") }

func (f *Forms) help(q Question, keys i18n.Text) string {
	if q.Help == "" {
		return keys.In(f.Lang)
	}
	return q.Help + "\n" + keys.In(f.Lang)
}

func labelOf(options []Option, value string) string {
	for _, o := range options {
		if o.Value == value {
			return o.Label
		}
	}
	return value
}

// run shows one field until it is answered. last returns the line that remains.
func (f *Forms) run(ctx context.Context, field huh.Field, last func() string) error {
	keys := huh.NewDefaultKeyMap()
	keys.Quit = key.NewBinding(key.WithKeys("ctrl+c", "esc"))
	keys.Select.Filter = key.NewBinding(key.WithDisabled()) // otherwise Esc would have two meanings
	form := huh.NewForm(huh.NewGroup(field)).WithKeyMap(keys).WithShowHelp(false).WithTheme(f.theme()).WithAccessible(false).WithWidth(f.width())
	form.SubmitCmd, form.CancelCmd = tea.Quit, tea.Quit
	drawn, sized, escaped := 0, false, false
	_, err := tea.NewProgram(formView{form, &drawn, &sized, &escaped}, tea.WithInput(f.In), tea.WithOutput(f.Out), tea.WithContext(ctx), tea.WithoutSignalHandler()).Run()
	if drawn > 1 { // its last frame stays on the screen, with the cursor in its last line
		fmt.Fprint(f.Out, ansi.CursorUp(drawn-1))
	}
	fmt.Fprint(f.Out, "\r"+ansi.EraseScreenBelow)
	switch {
	case escaped && ctx.Err() == nil:
		return errEscaped
	case form.State == huh.StateAborted, ctx.Err() != nil:
		return ErrAborted
	case err != nil:
		return fmt.Errorf("cannot show the form: %w", err)
	}
	f.Tell(last())
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
func (f *Forms) theme() huh.Theme {
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

// Lines asks line by line, for screen readers and simple terminals. It does not use huh's accessible mode, which is
// English only, accepts only y and n, and takes the end of input as consent.
type Lines struct {
	Lang i18n.Lang
	Out  io.Writer
	// Width returns the terminal's width in columns.
	Width func() int

	in       *os.File
	lines    chan string
	ended    chan struct{}
	requests chan struct{}
}

// NewLines returns an asker that reads from a terminal. It reads only when a question is asked.
func NewLines(lang i18n.Lang, in *os.File, out io.Writer, width func() int) *Lines {
	l := &Lines{Lang: lang, Out: out, Width: width, in: in, lines: make(chan string, 1), ended: make(chan struct{}), requests: make(chan struct{})}
	go l.read()
	return l
}

// Close ends the reader after its current line.
func (l *Lines) Close() { close(l.requests) }

// read reads a line for each request. It runs in its own goroutine, because a read cannot be cancelled.
func (l *Lines) read() {
	defer close(l.ended)
	r := bufio.NewReader(l.in)
	for range l.requests {
		line, err := r.ReadString('\n')
		if err != nil && line == "" {
			return
		}
		l.lines <- strings.TrimRight(line, "\r\n")
	}
}

func (l *Lines) line(ctx context.Context, prompt string) (string, error) {
	fmt.Fprint(l.Out, prompt)
	select {
	case l.requests <- struct{}{}:
	case <-l.ended:
		return "", ErrAborted
	}
	select {
	case line := <-l.lines:
		if strings.TrimSpace(line) == "\x1b" {
			return "", errEscaped
		}
		return line, nil
	case <-l.ended:
	case <-ctx.Done():
	}
	fmt.Fprintln(l.Out)
	return "", ErrAborted
}

// Choose implements [Asker].
func (l *Lines) Choose(ctx context.Context, q Question) (string, error) {
	l.head(q)
	chosen := 0
	for i, o := range q.Options {
		l.Tell(fmt.Sprintf("%d. %s", i+1, o.Label))
		if o.Value == q.Value {
			chosen = i
		}
	}
	for {
		line, err := l.line(ctx, i18n.SetupNumber(chosen+1).In(l.Lang))
		if err != nil {
			return "", err
		}
		line = strings.TrimSpace(width.Fold.String(line))
		if line == "" {
			return q.Options[chosen].Value, nil
		}
		if n, err := strconv.Atoi(strings.TrimSuffix(line, ".")); err == nil && n >= 1 && n <= len(q.Options) {
			return q.Options[n-1].Value, nil
		}
		l.Tell(i18n.SetupBadNumber(len(q.Options)).In(l.Lang))
	}
}

// Confirm implements [Asker].
func (l *Lines) Confirm(ctx context.Context, q Question) (bool, error) {
	l.head(q)
	prompt := i18n.SetupNoYes
	if q.Value == yes {
		prompt = i18n.SetupYesNo
	}
	for {
		line, err := l.line(ctx, prompt.In(l.Lang))
		if err != nil {
			return false, err
		}
		if strings.TrimSpace(line) == "" {
			return q.Value == yes, nil
		}
		switch i18n.ParseAnswer(line) {
		case i18n.Yes:
			return true, nil
		case i18n.No:
			return false, nil
		}
		l.Tell(i18n.SetupUnclear.In(l.Lang))
	}
}

// Type implements [Asker].
func (l *Lines) Type(ctx context.Context, q Question) (string, error) {
	l.head(q)
	prompt := "› "
	if q.Value != "" {
		prompt = "[" + q.Value + "] › "
		l.Tell(i18n.SetupKeep.In(l.Lang))
	}
	if q.Back {
		l.Tell(i18n.SetupTypeBackHelp.In(l.Lang))
	}
	if q.Secret {
		l.Tell(i18n.SetupHidden.In(l.Lang))
		show, err := term.HideInput(l.in)
		if err != nil {
			return "", fmt.Errorf("cannot hide the input: %w", err)
		}
		defer show()
	}
	for {
		line, err := l.line(ctx, prompt)
		if q.Back && (errors.Is(err, errEscaped) || err == nil && strings.TrimSpace(line) == Back) {
			fmt.Fprintln(l.Out)
			return Back, nil
		}
		if err != nil {
			return "", err
		}
		if q.Secret {
			fmt.Fprintln(l.Out)
		}
		line = cmp.Or(line, q.Value)
		if line == "-" && q.Value != "" {
			line = "" // an empty value instead of the current one
		}
		if q.Check == nil {
			return line, nil
		}
		if err = q.Check(line); err == nil {
			return line, nil
		}
		l.Tell(err.Error())
	}
}

// Tell implements [Asker].
func (l *Lines) Tell(text string) {
	fmt.Fprintln(l.Out, ansi.Wrap(text, max(l.Width(), columns)-1, ""))
}

func (l *Lines) head(q Question) {
	l.Tell("")
	l.Tell(q.Title)
	if q.Help != "" {
		l.Tell(q.Help)
	}
}
