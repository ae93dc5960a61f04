package wire

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/internal/child"
	"github.com/nidoit/blunux-ai/internal/helper"
	"github.com/nidoit/blunux-ai/internal/installed"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/browser"
	"github.com/nidoit/blunux-ai/tools/unit"
	"github.com/nidoit/blunux-ai/tools/web"
)

// newFetcher returns the program that makes the requests of the web tools. It gets no keys and, of the environment, only
// what says where certificates are.
func newFetcher(version string, log zerolog.Logger) *web.Program {
	return web.NewProgram(helper.Start(func() (child.Start, error) {
		program, err := installed.Find(ExtraProgram)
		if err != nil {
			return child.Start{}, err
		}
		s := child.Start{File: program, Args: []string{"web", "{}"}, Dir: "/"}
		for _, v := range []string{"SSL_CERT_FILE", "SSL_CERT_DIR"} {
			if value := os.Getenv(v); value != "" {
				s.Env = append(s.Env, v+"="+value)
			}
		}
		return s, nil
	}), func(line string) { log.Warn().Msg("web: " + ipc.VisibleLine(line)) }, version)
}

// systemdRun starts units, systemd-run(1).
const systemdRun = "/usr/bin/systemd-run"

// browserProgram drives Chromium for the tool that uses pages.
const browserProgram = "blunux-ai-browser"

// newBrowser returns the program that drives the browser. It runs in its own unit if there is a service manager, because
// the browser's sandbox needs what the daemon's unit does not allow.
func newBrowser(getenv func(string) string, log zerolog.Logger) *browser.Program {
	return browser.NewProgram(helper.Start(func() (child.Start, error) {
		program, err := installed.Find(browserProgram)
		if err != nil {
			return child.Start{}, err
		}
		s := child.Start{File: program, Dir: "/"}
		for _, v := range browserEnvironment {
			if value := getenv(v); value != "" {
				s.Env = append(s.Env, v+"="+value)
			}
		}
		if _, err := os.Stat(systemdRun); err != nil || unit.NewUserManager(getenv).Available(context.Background()) != nil {
			return s, nil
		}
		s.File, s.Args = systemdRun, append(browserUnit(getenv, program), "--", program)
		return s, nil
	}), func(line string) { log.Warn().Msg("browser: " + ipc.VisibleLine(line)) })
}

const busAddress = "DBUS_SESSION_BUS_ADDRESS"

// browserEnvironment are the variables that the browser needs, most of them for its window.
var browserEnvironment = strings.Fields("PATH HOME LANG TMPDIR XDG_RUNTIME_DIR WAYLAND_DISPLAY DISPLAY XAUTHORITY " + busAddress)

// browserUnit returns the arguments of systemd-run for the browser's unit: it sees no file of the person, has bounds, and
// ends as a whole (systemd.exec(5), systemd.resource-control(5)).
func browserUnit(getenv func(string) string, program string) []string {
	args := strings.Fields("--user --pipe --quiet --collect --service-type=exec --description=browser-of-blunux-ai")
	var random [4]byte
	_, _ = rand.Read(random[:]) // never fails
	args = append(args, "--unit="+browserProgram+"-"+hex.EncodeToString(random[:]))
	for _, v := range browserEnvironment {
		if value := getenv(v); value != "" && v != busAddress { // the bus is for systemd-run
			args = append(args, "--setenv="+v+"="+value)
		}
	}
	properties := strings.Fields(`NoNewPrivileges=yes PrivateUsers=yes PrivateTmp=yes ProtectSystem=strict ProtectHome=tmpfs
		LimitCORE=0 UMask=0077 TasksMax=1024 MemoryHigh=1536M MemoryMax=2G RuntimeMaxSec=6h TimeoutStopSec=10s`)
	properties = append(properties, "BindReadOnlyPaths="+program)
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		properties = append(properties, "TemporaryFileSystem="+dir+":mode=0700")
		if name := getenv("WAYLAND_DISPLAY"); name != "" && !strings.Contains(name, "/") {
			properties = append(properties, "BindReadOnlyPaths=-"+filepath.Join(dir, name))
		}
	}
	if getenv("DISPLAY") != "" && getenv("WAYLAND_DISPLAY") == "" {
		properties = append(properties, "BindReadOnlyPaths=-/tmp/.X11-unix")
		if file := getenv("XAUTHORITY"); filepath.IsAbs(file) {
			properties = append(properties, "BindReadOnlyPaths=-"+file)
		}
	}
	for _, p := range properties {
		args = append(args, "--property="+p)
	}
	return args
}

// web returns the web as the configuration permits it, or nil.
func (b Builder) web(cfg config.Config, home string) action.Web {
	if b.Process.Web == nil || !cfg.Web.IsEnabled() {
		return nil
	}
	return web.New(b.Process.Web, web.Settings{
		Allow: cfg.Web.Allow, LAN: cfg.Web.LANHosts, Timeout: cfg.Web.TimeoutDuration(), Downloads: downloads(b.Getenv, home),
		Cache: b.Paths.WebCache(), Now: time.Now,
	})
}

// browser returns the browser as the configuration permits it, or nil.
func (b Builder) browser(cfg config.Config) action.Browser {
	if b.Process.Browser == nil || !cfg.Web.HasBrowser() {
		return nil
	}
	return browser.New(b.Process.Browser, browser.Settings{
		LAN: cfg.Web.LANHosts, Allow: cfg.Web.Allow, Timeout: cfg.Web.TimeoutDuration(), Idle: cfg.Web.BrowserIdleDuration(),
		Pictures: b.Paths.Pictures(),
	})
}

// downloads returns the person's directory for downloads.
func downloads(getenv func(string) string, home string) string {
	settings := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(settings) {
		settings = filepath.Join(home, ".config")
	}
	text, _ := os.ReadFile(filepath.Join(settings, "user-dirs.dirs")) // "" if there are no desktop directories
	if dir := machine.DownloadDir(string(text), home); dir != "" {
		return dir
	}
	return filepath.Join(home, "Downloads")
}
