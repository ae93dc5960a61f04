package program

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/internal/term"
)

// Dir returns the channel's state directory, in $BLUNUX_AI_HOME, else in blunux-ai below $XDG_CONFIG_HOME or ~/.config.
func (p *Program) Dir() (string, error) {
	home, err := p.home()
	return state.Dir(home, p.Kind.Channel.Name), err
}

func (p *Program) home() (string, error) {
	home := p.Getenv("BLUNUX_AI_HOME")
	if home == "" {
		if base := p.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(base) {
			home = filepath.Join(base, "blunux-ai")
		} else if base := p.Getenv("HOME"); base != "" {
			home = filepath.Join(base, ".config", "blunux-ai")
		}
	}
	switch {
	case home == "":
		return "", i18n.PlaceNone.WithCause(nil)
	case !filepath.IsAbs(home):
		return "", i18n.PlaceHalf(home).WithCause(nil)
	}
	return filepath.Clean(home), nil
}

// Lock creates the channel's directory and locks it against other bridges until release is called.
// It fails with [state.ErrRunning] if a bridge runs.
func (p *Program) Lock() (dir string, release func(), err error) {
	dir, err = p.Dir()
	if err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, fmt.Errorf("cannot create the bridge's directory: %w", err)
	}
	lock, err := state.Lock(dir)
	if err != nil {
		return "", nil, err
	}
	return dir, func() { lock.Close() }, nil
}

// ClearHalt saves that the bridge no longer waits for the person. A running bridge saves its own
// state, so ClearHalt then does nothing.
func (p *Program) ClearHalt(dir string) error {
	lock, err := state.Lock(dir)
	if errors.Is(err, state.ErrRunning) {
		return nil
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	return state.Write(dir, state.State{Channel: p.Kind.Channel.Name, Phase: state.Stopped, Since: time.Now(), Version: p.version()})
}

// ReadLine reads a line from the person, or returns ctx's error.
func (p *Program) ReadLine(ctx context.Context) (string, error) {
	type typed struct {
		line string
		err  error
	}
	got := make(chan typed, 1)
	go func() {
		line, err := bufio.NewReader(io.LimitReader(p.In, 4<<10)).ReadString('\n')
		if errors.Is(err, io.EOF) && line != "" {
			err = nil
		}
		got <- typed{line, err}
	}()
	select {
	case t := <-got:
		return t.line, t.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Confirm asks the person at the terminal for a yes, unless yes is set. It returns nil for a yes, a
// [manual.UsageError] if there is no terminal, and otherwise an [Exit] that reports that nothing was changed.
func (p *Program) Confirm(ctx context.Context, question string, yes bool) error {
	if yes {
		return nil
	}
	if !term.IsTerminal(p.In) {
		return manual.NewUsageError(i18n.BridgeNeedsYes.In(p.Lang))
	}
	fmt.Fprint(p.Err, question+" "+i18n.BridgeYesNo.In(p.Lang)+" ")
	line, err := p.ReadLine(ctx)
	if err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(p.Err)
		return err
	}
	if i18n.ParseAnswer(line) == i18n.Yes {
		return nil
	}
	return &Exit{Failure, i18n.BridgeLeft.In(p.Lang)}
}
