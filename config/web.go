package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
)

// Web is the [web] table: settings for pages and files from the web.
type Web struct {
	Enabled *bool `toml:"enabled"` // false: no tool reaches the web, default true
	// Allow are hosts whose pages are read unasked; *.NAME means all below NAME.
	Allow []string `toml:"allow"`
	// LANHosts are hosts of this computer or its network that may be reached, with or without a port.
	LANHosts []string `toml:"lan_hosts"`
	Timeout  int      `toml:"timeout"` // seconds, default 30
	Browser  *bool    `toml:"browser"` // false: pages are only read, not used, default true
	// BrowserIdle is how long the browser stays without use, in seconds, default 300.
	BrowserIdle int `toml:"browser_idle"`
}

// maxWebTimeout bounds the time of a request in seconds.
const maxWebTimeout = 600

// maxBrowserIdle bounds the time that an unused browser stays, in seconds.
const maxBrowserIdle = 3600

// IsEnabled reports whether tools may reach the web. They may by default.
func (w Web) IsEnabled() bool { return w.Enabled == nil || *w.Enabled }

// HasBrowser reports whether pages may be used in a browser. They may by default.
func (w Web) HasBrowser() bool { return w.IsEnabled() && (w.Browser == nil || *w.Browser) }

// TimeoutDuration is the time limit of a request.
func (w Web) TimeoutDuration() time.Duration {
	if w.Timeout == 0 {
		return 30 * time.Second
	}
	return seconds(w.Timeout)
}

// BrowserIdleDuration is how long the browser stays without use.
func (w Web) BrowserIdleDuration() time.Duration {
	if w.BrowserIdle == 0 {
		return 5 * time.Minute
	}
	return seconds(w.BrowserIdle)
}

// bad returns the first invalid value of the table.
func (w *Web) bad() problem {
	for i, h := range w.Allow {
		if !hostName.MatchString(strings.TrimPrefix(h, "*.")) || strings.Contains(h, ":") {
			return problem{fmt.Sprintf("web.allow[%d]", i), i18n.SettingHost("web.allow", h)}
		}
	}
	for i, h := range w.LANHosts {
		if !hostName.MatchString(strings.NewReplacer("[", "", "]", "").Replace(h)) {
			return problem{fmt.Sprintf("web.lan_hosts[%d]", i), i18n.SettingHost("web.lan_hosts", h)}
		}
	}
	if w.Timeout < 0 || w.Timeout > maxWebTimeout {
		return problem{"web.timeout", i18n.ServerTimeout(w.Timeout, maxWebTimeout)}
	}
	if w.BrowserIdle < 0 || w.BrowserIdle > maxBrowserIdle {
		return problem{"web.browser_idle", i18n.ServerTimeout(w.BrowserIdle, maxBrowserIdle)}
	}
	return problem{}
}
