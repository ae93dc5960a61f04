package wire

import (
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/internal/child"
	"github.com/nidoit/blunux-ai/internal/helper"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/web"
)

// newFetcher returns the program that makes the requests of the web tools. It gets no keys and, of the environment, only
// what says where certificates are.
func newFetcher(version string, log zerolog.Logger) *web.Program {
	return web.NewProgram(helper.Start(func() (child.Start, error) {
		program, err := helper.Find(ExtraProgram)
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

// web returns the web as the configuration permits it, or nil.
func (b Builder) web(cfg config.Config, home string) action.Web {
	if b.Process.Web == nil || !cfg.Web.IsEnabled() {
		return nil
	}
	return web.New(b.Process.Web, web.Settings{
		Allow: cfg.Web.Allow, LAN: cfg.Web.LANHosts, Timeout: cfg.Web.TimeoutDuration(), Downloads: b.downloads(home),
		Cache: b.Paths.WebCache(), Now: time.Now,
	})
}

// downloads returns the person's directory for downloads.
func (b Builder) downloads(home string) string {
	settings := b.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(settings) {
		settings = filepath.Join(home, ".config")
	}
	text, _ := os.ReadFile(filepath.Join(settings, "user-dirs.dirs")) // "" if there are no desktop directories
	if dir := machine.DownloadDir(string(text), home); dir != "" {
		return dir
	}
	return filepath.Join(home, "Downloads")
}
