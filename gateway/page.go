package gateway

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/nidoit/blunux-ai/i18n"
)

// The page is one document with its style and its script. Its texts are those of the catalogue.
//
//go:embed page
var pageFiles embed.FS

const (
	pagePath = "/page"
	// pageProtocol is the subprotocol of the page's WebSocket. Two more values that the script offers are the session's
	// key and its language: a script can set no other header, and an address is no place for a secret.
	pageProtocol = "blunux-ai-page"
	keyProtocol  = "key."
	langProtocol = "lang."
	cookiePrefix = "blunux-ai-page-"
	maxCode      = 256 // bytes of the request that exchanges a link's code
)

// pagePolicy lets the page load its own style, script and connections, and nothing else.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func isPagePath(path string) bool { return path == pagePath || strings.HasPrefix(path, pagePath+"/") }

// servePage serves the page to a browser of the person. The files and texts are no secrets; what the page shows comes
// over its WebSocket, which needs a session.
func (g *Gateway) servePage(w http.ResponseWriter, r *http.Request) {
	for name, value := range map[string]string{
		"Content-Security-Policy": pagePolicy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-cache",
	} {
		w.Header().Set(name, value)
	}
	proxied := g.tokens.servesHost(r.Host)
	if !proxied && !g.isOwnHost(r.Host) || !isPageOrigin(r, proxied) {
		refuse(w, http.StatusForbidden)
		return
	}
	if r.URL.RawQuery != "" {
		refuse(w, http.StatusBadRequest)
		return
	}
	switch name := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, pagePath), "/"); {
	case r.Method == http.MethodPost && name == "session":
		g.serveSession(w, r)
	case r.Method == http.MethodGet && name == "session":
		g.checkSession(w, r)
	case r.Method != http.MethodGet:
		refuse(w, http.StatusMethodNotAllowed)
	case name == "":
		servePageFile(w, r, "page.html")
	case name == "page.css" || name == "page.js":
		servePageFile(w, r, name)
	case name == "socket":
		g.servePageSocket(w, r)
	case strings.HasPrefix(name, "texts/"):
		servePageTexts(w, r, strings.TrimPrefix(name, "texts/"))
	default:
		refuse(w, http.StatusNotFound)
	}
}

func refuse(w http.ResponseWriter, status int) { http.Error(w, http.StatusText(status), status) }

// isPageOrigin reports whether a request comes from no web page, or from this one. Requests over the person's proxy come
// from a page over HTTPS.
func isPageOrigin(r *http.Request, proxied bool) bool {
	if !proxied {
		return isOwnOrigin(r)
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "https" || !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	return true
}

func servePageFile(w http.ResponseWriter, r *http.Request, name string) {
	text, err := pageFiles.ReadFile("page/" + name)
	if err != nil { // cannot happen: the names are those of files of this program
		refuse(w, http.StatusNotFound)
		return
	}
	kind := map[string]string{"html": "text/html", "css": "text/css", "js": "text/javascript"}[name[strings.LastIndexByte(name, '.')+1:]]
	serveText(w, r, kind+"; charset=utf-8", text)
}

// servePageTexts serves the texts of the page in a language.
func servePageTexts(w http.ResponseWriter, r *http.Request, name string) {
	lang, ok := i18n.Parse(name)
	if !ok {
		refuse(w, http.StatusNotFound)
		return
	}
	texts := map[string]string{}
	for code := range i18n.Page() {
		texts[code] = i18n.Page.In(code, lang)
	}
	for code := range i18n.FleetResults() {
		texts["fleet-result-"+code] = i18n.FleetResults.In(code, lang)
	}
	texts["fleet-never"], texts["fleet-twins"] = i18n.FleetNever.In(lang), i18n.FleetTwins.In(lang)
	serveText(w, r, "application/json", encode(texts))
}

// serveText serves a text that changes only with this program.
func serveText(w http.ResponseWriter, r *http.Request, kind string, text []byte) {
	sum := sha256.Sum256(text)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	w.Header().Set("Etag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(text) // the browser has left
}

// serveSession exchanges the code of a link for a session.
func (g *Gateway) serveSession(w http.ResponseWriter, r *http.Request) {
	if !hasOrigin(r) {
		refuse(w, http.StatusForbidden)
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(g.AuthTime)) // else the read below has no bound but its size
	code, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCode))
	if err != nil {
		refuse(w, http.StatusBadRequest)
		return
	}
	cookie, key, t, err := openSession(g.Dir, string(code), g.Now())
	switch {
	case errors.Is(err, errLink):
		refuse(w, http.StatusUnauthorized)
		return
	case err != nil:
		g.Log.Error().Err(err).Msg("cannot open session")
		refuse(w, http.StatusInternalServerError)
		return
	}
	g.Log.Info().Str("session", t.Name).Time("expires", t.Page.Expires).Msg("page opened")
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r), Value: cookie, Path: pagePath, MaxAge: int(sessionTime.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: t.Page.Host != "",
	})
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encode(map[string]any{"key": key, "lang": t.Page.Lang, "name": t.Name})) // the browser has left
}

// hasOrigin reports whether a request says that it comes from a page. Browsers say it with each POST and WebSocket.
func hasOrigin(r *http.Request) bool { return r.Header.Get("Origin") != "" }

// cookieName returns the cookie of the address that a request used. A browser keeps one set of cookies for all ports of a
// host, so the name has the port.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "0"
	}
	return cookiePrefix + port
}

// checkSession says whether the session of a page is still valid, because a script does not learn why a WebSocket was
// refused.
func (g *Gateway) checkSession(w http.ResponseWriter, r *http.Request) {
	if _, ok := g.sessionOf(r, r.Header.Get("Blunux-Ai-Key")); !ok {
		refuse(w, http.StatusForbidden)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// sessionOf returns the session of a request's cookie and a key.
func (g *Gateway) sessionOf(r *http.Request, key string) (Token, bool) {
	cookie, err := r.Cookie(cookieName(r))
	if err != nil {
		return Token{}, false
	}
	return g.tokens.findSession(cookie.Value, key)
}

// servePageSocket makes a client of a page that has a session.
func (g *Gateway) servePageSocket(w http.ResponseWriter, r *http.Request) {
	raw, _ := r.Context().Value(connKey{}).(*counted)
	key, lang := offered(r)
	session, ok := g.sessionOf(r, key)
	if !ok || raw == nil || !hasOrigin(r) {
		refuse(w, http.StatusForbidden)
		return
	}
	if lang == "" {
		lang = g.Lang
	}
	// The origin was checked above.
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled, Subprotocols: []string{pageProtocol},
	})
	if err != nil {
		return // it has answered
	}
	g.serveClient(ws, raw, session, lang)
}

// offered returns the key and the language among the subprotocols that a page offers.
func offered(r *http.Request) (key string, lang i18n.Lang) {
	for _, line := range r.Header.Values("Sec-Websocket-Protocol") {
		for p := range strings.SplitSeq(line, ",") {
			p = strings.TrimSpace(p)
			if k, ok := strings.CutPrefix(p, keyProtocol); ok {
				key = k
			}
			if l, ok := strings.CutPrefix(p, langProtocol); ok {
				lang, _ = i18n.Parse(l)
			}
		}
	}
	return key, lang
}
