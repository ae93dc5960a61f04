package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/gateway"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/errand"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/systemd"
)

// options are the options of a command.
type options struct {
	Lang  i18n.Lang     `json:"lang"`
	JSON  bool          `json:"json"`
	Name  string        `json:"name"`
	Scope gateway.Scope `json:"scope"`
	// Method and Params are the request of call.
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	At     string          `json:"at"`
	Print  bool            `json:"print"`
}

// commands are the commands of blunux-aictl gateway.
var commands = map[string]func(context.Context, options) error{
	"start": start, "stop": stop, "restart": restart, "status": status,
	"token-add": addToken, "token-list": listTokens, "token-remove": removeToken,
	"page": openPage, "call": callMethod,
}

const (
	gatewayName = "blunux-ai-gateway"
	socketUnit  = "blunux-ai-gateway.socket"
	serviceUnit = "blunux-ai-gateway.service"
	// defaultAddress is the address of the socket unit.
	defaultAddress = "127.0.0.1:18789"
)

// start lets the service manager listen on the address of the settings.
func start(ctx context.Context, o options) error {
	dir, err := gatewayDir()
	if err != nil {
		return err
	}
	if err := requireTokens(dir); err != nil {
		return err
	}
	address, err := configuredAddress()
	if err != nil {
		return err
	}
	if err := startListening(ctx, dir, address); err != nil {
		return err
	}
	text := i18n.GatewayListens(address)
	if !hasUnit(ctx) {
		text = i18n.GatewayListensUntilUnused(address)
	}
	return printResult(o, map[string]any{"listening": true, "address": address}, text)
}

// hasUnit reports whether the service manager runs, and has the gateway's units.
func hasUnit(ctx context.Context) bool {
	unit, err := systemd.NewUserManager(os.Getenv).Unit(ctx, socketUnit)
	return err == nil && unit.Load != "not-found"
}

// startListening lets the service manager listen on an address. Without its units, it starts the gateway itself, which then
// runs until it is unused.
func startListening(ctx context.Context, dir, address string) error {
	if !hasUnit(ctx) {
		return startDetached(ctx, dir)
	}
	if err := writeDropIn(ctx, address); err != nil {
		return err
	}
	return errand.Run(ctx, []string{"systemctl", "--user", "--quiet", "enable", "--now", socketUnit})
}

// startTime bounds the start and the end of the gateway.
const startTime = 20 * time.Second

// startDetached starts the gateway and waits until it listens.
func startDetached(ctx context.Context, dir string) error {
	if gateway.IsRunning(dir) {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("cannot find %s: %w", gatewayName, err)
	}
	ended, err := errand.Detach([]string{self})
	if err != nil {
		return err
	}
	if err := await(ctx, ended, func() bool { return hasStarted(dir) }); err != nil {
		return coded{i18n.GatewayNotStarted(gatewayName).WithCause(err), exitFailure}
	}
	return nil
}

// hasStarted reports whether a gateway runs and says which process it is.
func hasStarted(dir string) bool {
	pid, _ := gateway.Running(dir)
	return pid > 1
}

var errEnded = errors.New("it has ended")

// await waits until something is so, at most [startTime], or a process has ended.
func await(ctx context.Context, ended <-chan error, so func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for !so() {
		select {
		case <-again.C:
		case err := <-ended:
			return errors.Join(errEnded, err)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// stop ends the gateway and stops listening.
func stop(ctx context.Context, o options) error {
	dir, err := gatewayDir()
	if err != nil {
		return err
	}
	if hasUnit(ctx) {
		if err := errand.Run(ctx, []string{"systemctl", "--user", "--quiet", "disable", "--now", socketUnit}); err != nil {
			return err
		}
		if err := errand.Run(ctx, []string{"systemctl", "--user", "stop", serviceUnit}); err != nil {
			return err
		}
	}
	if err := endDetached(ctx, dir); err != nil {
		return err
	}
	if err := gateway.EndSessions(dir); err != nil {
		return err
	}
	return printResult(o, map[string]any{"listening": false}, i18n.GatewayStopped)
}

// endDetached ends a gateway that the service manager did not start, and waits for its end.
func endDetached(ctx context.Context, dir string) error {
	if err := await(ctx, nil, func() bool { return !gateway.IsRunning(dir) || hasStarted(dir) }); err != nil {
		return fmt.Errorf("cannot stop the gateway: %w", err)
	}
	pid, _ := gateway.Running(dir)
	if pid <= 1 {
		return nil
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("cannot stop the gateway: %w", err)
	}
	return await(ctx, nil, func() bool { return !gateway.IsRunning(dir) })
}

func restart(ctx context.Context, o options) error {
	dir, err := gatewayDir()
	if err != nil {
		return err
	}
	if hasUnit(ctx) {
		if err := errand.Run(ctx, []string{"systemctl", "--user", "stop", serviceUnit, socketUnit}); err != nil {
			return err
		}
	}
	if err := endDetached(ctx, dir); err != nil {
		return err
	}
	return start(ctx, o)
}

// Status is the output of status --json.
type Status struct {
	Listening bool   `json:"listening"`
	Running   bool   `json:"running"`
	Address   string `json:"address"`
	Tokens    int    `json:"tokens"`
}

// status prints the state. It ends with exitFailure if the gateway is off.
func status(ctx context.Context, o options) error {
	dir, err := gatewayDir()
	if err != nil {
		return err
	}
	tokens, err := gateway.ReadTokens(dir)
	if err != nil {
		return err
	}
	s := Status{Tokens: len(tokens)}
	if s.Address, err = configuredAddress(); err != nil {
		return err
	}
	manager := systemd.NewUserManager(os.Getenv)
	if unit, err := manager.Unit(ctx, socketUnit); err == nil {
		s.Listening = unit.Active == "active"
	}
	s.Running = gateway.IsRunning(dir)
	text := i18n.GatewayOff
	switch {
	case s.Tokens == 0:
		text = i18n.GatewayTokenNone
	case s.Listening || s.Running:
		text = i18n.GatewayListens(s.Address)
	}
	if err := printResult(o, s, text); err != nil {
		return err
	}
	if s.Running && !o.JSON {
		fmt.Println(i18n.GatewayRunning.In(o.Lang))
	}
	if !s.Listening && !s.Running {
		return coded{errors.New(""), exitFailure}
	}
	return nil
}

// addToken makes a token and shows it.
func addToken(_ context.Context, o options) error {
	dir, err := gatewayDir()
	if err != nil {
		return err
	}
	text, err := gateway.AddToken(dir, o.Name, o.Scope, time.Now())
	if err != nil {
		return tokenError(err, o)
	}
	if o.JSON {
		return printJSON(map[string]any{"name": o.Name, "scope": o.Scope, "token": text})
	}
	fmt.Fprintln(os.Stderr, i18n.GatewayTokenAdded(o.Name, string(o.Scope)).In(o.Lang))
	fmt.Println(text)
	fmt.Fprintln(os.Stderr, i18n.GatewayTokenStart.In(o.Lang))
	return nil
}

// listTokens prints the tokens without the tokens themselves.
func listTokens(_ context.Context, o options) error {
	dir, err := gatewayDir()
	if err != nil {
		return err
	}
	tokens, err := gateway.ReadTokens(dir)
	if err != nil {
		return err
	}
	if o.JSON {
		return printJSON(append([]gateway.Token{}, tokens...))
	}
	if len(tokens) == 0 {
		fmt.Fprintln(os.Stderr, i18n.GatewayTokenNone.In(o.Lang))
	}
	for _, t := range tokens {
		fmt.Printf("%s  %s  %s\n", ipc.VisibleLine(t.Name), ipc.VisibleLine(string(t.Scope)), t.Created.Local().Format("2006-01-02"))
	}
	return nil
}

func removeToken(_ context.Context, o options) error {
	dir, err := gatewayDir()
	if err != nil {
		return err
	}
	if err := gateway.RemoveToken(dir, o.Name); err != nil {
		return tokenError(err, o)
	}
	return printResult(o, map[string]any{"name": o.Name, "removed": true}, i18n.GatewayTokenRemoved(o.Name))
}

// extraProgram speaks WebSocket as a client, which this program does not.
const extraProgram = "blunux-ai-extra"

// callMethod lets the other program call a method, with its own token, which is removed afterwards.
func callMethod(ctx context.Context, o options) error {
	dir, err := gatewayDir()
	if err != nil {
		return err
	}
	address, err := configuredAddress()
	if err != nil {
		return err
	}
	request, err := json.Marshal(map[string]any{"lang": o.Lang, "address": address, "method": o.Method, "params": o.Params})
	if err != nil {
		return fmt.Errorf("cannot write the request: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("cannot find %s: %w", extraProgram, err)
	}
	name := "call-" + rand.Text()[:8]
	token, err := gateway.AddToken(dir, name, gateway.Approve, time.Now())
	if err != nil {
		return tokenError(err, o)
	}
	exit, err := errand.Feed(ctx, []string{filepath.Join(filepath.Dir(self), extraProgram), "call", string(request)}, token)
	if removeErr := gateway.RemoveToken(dir, name); removeErr != nil {
		return removeErr
	}
	if err == nil && exit != 0 {
		err = coded{errors.New(""), max(exit, exitFailure)} // it has said why
	}
	return err
}

// tokenError adds the text for a person to an error of the tokens.
func tokenError(err error, o options) error {
	for _, e := range []struct {
		err  error
		text i18n.Text
		code int
	}{
		{gateway.ErrTokenName, i18n.GatewayTokenName, exitUsage},
		{gateway.ErrScope, i18n.GatewayTokenScope, exitUsage},
		{gateway.ErrTokenExists, i18n.GatewayTokenExists(o.Name), exitFailure},
		{gateway.ErrNoToken, i18n.GatewayTokenMissing(o.Name), exitFailure},
	} {
		if errors.Is(err, e.err) {
			return coded{e.text.WithCause(err), e.code}
		}
	}
	return err
}

// writeDropIn lets the socket unit listen on another address than its own. The service manager then reads its units
// again.
func writeDropIn(ctx context.Context, address string) error {
	base := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(base) {
		base = filepath.Join(os.Getenv("HOME"), ".config")
	}
	path := filepath.Join(base, "systemd/user", socketUnit+".d", "50-address.conf")
	have, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot read the socket's address: %w", err)
	}
	want := ""
	if address != defaultAddress {
		want = "# Written by blunux-aictl gateway start, from [gateway] of the settings.\n[Socket]\nListenStream=\nListenStream=" + address + "\n"
	}
	if string(have) == want {
		return nil
	}
	if want == "" {
		err = os.Remove(path)
	} else if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
		err = renameio.WriteFile(path, []byte(want), 0o644)
	}
	if err != nil {
		return fmt.Errorf("cannot set the socket's address: %w", err)
	}
	return errand.Run(ctx, []string{"systemctl", "--user", "daemon-reload"})
}

// printResult prints a text, or with --json a value.
func printResult(o options, value any, text i18n.Text) error {
	if o.JSON {
		return printJSON(value)
	}
	_, err := fmt.Println(text.In(o.Lang))
	return err
}

func printJSON(v any) error {
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
