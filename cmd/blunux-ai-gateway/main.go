// Blunux-ai-gateway lets other programs use the daemon over JSON-RPC on a WebSocket. Systemd starts it when a program
// connects, and it ends when it is not used. With a command and its options as JSON it manages the tokens and its own
// units, for blunux-aictl gateway. It is separate so that the daemon listens on no network.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/gateway"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// version is set by the build: -ldflags "-X main.version=1.2.3".
var version = ""

// The exit codes, documented in docs/exit-codes.md. The systemd unit does not restart the gateway after exitRunning and
// exitPerson.
const (
	exitFailure = 1
	exitUsage   = 2
	exitRunning = 75
	exitPerson  = 78
)

// idleExit is how long an unused gateway stays. idleExitEnv overrides it for tests.
const (
	idleExit    = 5 * time.Minute
	idleExitEnv = "BLUNUX_AI_GATEWAY_IDLE"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	lang := i18n.CommandLineLang(nil, os.Getenv)
	var err error
	switch len(os.Args) {
	case 1:
		err = serve(ctx, lang)
	case 3:
		o := options{Lang: lang}
		if err = json.Unmarshal([]byte(os.Args[2]), &o); err == nil && commands[os.Args[1]] != nil {
			lang = o.Lang
			err = commands[os.Args[1]](ctx, o)
			break
		}
		fallthrough
	default:
		fmt.Fprintln(os.Stderr, i18n.GatewayNotByHand.In(lang))
		os.Exit(exitUsage)
	}
	code, text := explain(err, lang)
	if text != "" {
		fmt.Fprintln(os.Stderr, ipc.Clean(text))
	}
	os.Exit(code)
}

// coded is an error with its own exit code.
type coded struct {
	error
	code int
}

// explain returns the exit code and the text of an error.
func explain(err error, lang i18n.Lang) (code int, text string) {
	var c coded
	switch {
	case err == nil:
		return 0, ""
	case errors.Is(err, errNoTokens):
		return exitPerson, i18n.GatewayTokenNone.In(lang)
	case errors.Is(err, gateway.ErrOpenTokens):
		return exitPerson, i18n.GatewayTokenOpen(tokensPath()).In(lang)
	case errors.Is(err, gateway.ErrRunning):
		return exitRunning, i18n.GatewayRuns.In(lang)
	case errors.As(err, &c):
		return c.code, i18n.Cause(c.error, lang)
	}
	return exitFailure, i18n.Cause(err, lang)
}

// tokensPath returns the file of the tokens, for messages.
func tokensPath() string {
	dir, _ := gatewayDir() // the error was reported before
	return gateway.TokensPath(dir)
}

func gatewayDir() (string, error) {
	paths, err := config.FindPaths(os.Getenv)
	return gateway.Dir(paths.Home), err
}

// serve runs the gateway on the service manager's socket, or on the address of the settings.
func serve(ctx context.Context, lang i18n.Lang) error {
	dir, err := gatewayDir()
	if err != nil {
		return err
	}
	idle := idleExit
	if d, err := time.ParseDuration(os.Getenv(idleExitEnv)); err == nil {
		idle = d
	}
	listener, err := listen(dir)
	if err != nil {
		return err
	}
	defer listener.Close()
	dialer := ipc.NewDialer()
	dialer.Channel = ipc.GatewayChannel
	link := ipc.NewLink(dialer, ipc.Hello{
		Client: "blunux-ai-gateway/" + buildVersion(), Channel: ipc.GatewayChannel, Caps: []string{ipc.CapAsk}, Locale: string(lang),
	})
	link.IdleTimeout = -1 // its connection keeps no daemon running
	g, err := gateway.New(gateway.Options{
		Dir: dir, Link: link, Listener: listener, Fleet: ipc.FleetSocket(os.Getenv), Lang: lang, Version: buildVersion(), Log: log(), IdleExit: idle,
	})
	if err != nil {
		return err
	}
	_, _ = daemon.SdNotify(false, daemon.SdNotifyReady)
	return g.Run(ctx)
}

// errNoTokens reports that no program could connect.
var errNoTokens = errors.New("there is no token")

// listen returns the service manager's socket, or listens on the address of the settings. The former is served in any
// case: the service manager would start the gateway again and again.
func listen(dir string) (net.Listener, error) {
	given, err := activation.Listeners()
	if err != nil {
		return nil, fmt.Errorf("cannot take the service manager's socket: %w", err)
	}
	if len(given) > 0 && given[0] != nil {
		return given[0], nil
	}
	if err := requireTokens(dir); err != nil {
		return nil, err
	}
	address, err := configuredAddress()
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, coded{i18n.GatewayInUse(address, err).WithCause(err), exitFailure}
	}
	return l, nil
}

// requireTokens fails with errNoTokens without a token.
func requireTokens(dir string) error {
	tokens, err := gateway.ReadTokens(dir)
	if err == nil && len(tokens) == 0 {
		err = errNoTokens
	}
	return err
}

func configuredAddress() (string, error) {
	paths, err := config.FindPaths(os.Getenv)
	if err != nil {
		return "", err
	}
	cfg, err := config.Load(config.NewSource(paths, os.Getenv))
	return cfg.Gateway.Address(), err
}

// log returns a logger to standard error, which the journal reads.
func log() zerolog.Logger {
	w := zerolog.ConsoleWriter{Out: os.Stderr, NoColor: true, TimeFormat: "2006-01-02 15:04:05"}
	if os.Getenv("JOURNAL_STREAM") != "" {
		w.PartsExclude = []string{zerolog.TimestampFieldName}
	}
	return zerolog.New(w).Level(zerolog.InfoLevel).With().Timestamp().Logger()
}

func buildVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
