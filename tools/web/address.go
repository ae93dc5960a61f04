package web

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// maxURL bounds a URL in bytes, because a person reads it.
const maxURL = 2 << 10

var (
	errScheme   = errors.New("only http:// and https:// addresses can be opened")
	errUserInfo = errors.New("an address with a user name or a password is not opened")
	errHost     = errors.New("the address has no valid host name")
	errNumber   = errors.New("the host is an unusual spelling of an IP address")
	errZone     = errors.New("an address that belongs to one network interface is not opened")
	errText     = errors.New("the address has blanks, control characters or backslashes")
	errPort     = errors.New("the port is not a number from 1 to 65535")
)

// Parse returns a URL in the one spelling that is shown, judged and opened, and its host. It refuses every spelling that
// a person, the judge and the resolver could read differently.
func Parse(text string) (address, host string, err error) {
	text = strings.TrimSpace(text)
	if len(text) > maxURL {
		return "", "", fmt.Errorf("the address has %d bytes, at most %d can be shown to a person", len(text), maxURL)
	}
	if strings.ContainsFunc(text, func(r rune) bool {
		return r == '\\' || unicode.IsSpace(r) || !unicode.IsPrint(r)
	}) {
		return "", "", errText
	}
	u, err := url.Parse(text)
	if err != nil {
		return "", "", errHost
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "" {
		return "", "", errScheme
	}
	if u.User != nil || strings.Contains(authority(text), "@") {
		return "", "", errUserInfo
	}
	if host, err = hostOf(u); err != nil {
		return "", "", err
	}
	port := u.Port()
	if n, err := strconv.ParseUint(port, 10, 16); port != "" && (err != nil || n == 0) || port == "" && strings.HasSuffix(u.Host, ":") {
		return "", "", errPort
	}
	u.Host = host
	if strings.Contains(host, ":") {
		u.Host = "[" + host + "]"
	}
	if port != "" && port != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		u.Host += ":" + port
	}
	if u.Path == "" {
		u.Path = "/"
	}
	u.ForceQuery = false
	return u.Scheme + "://" + u.Host + u.RequestURI(), host, nil // with the letters of the host as they are
}

// authority returns the part of a URL's text before its path.
func authority(text string) string {
	_, rest, _ := strings.Cut(text, "://")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// hostOf returns the host of a URL in lower case: a name, or the usual spelling of an IP address.
func hostOf(u *url.URL) (string, error) {
	host := strings.ToLower(u.Hostname())
	if strings.HasPrefix(u.Host, "[") {
		ip, err := netip.ParseAddr(host)
		switch {
		case err != nil || !ip.Is6():
			return "", errHost
		case ip.Zone() != "":
			return "", errZone
		}
		return ip.String(), nil
	}
	host = strings.TrimSuffix(host, ".")
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is4() {
		return ip.String(), nil
	}
	if !IsName(host) {
		return "", errHost
	}
	if LooksNumeric(host) {
		return "", errNumber
	}
	return host, nil
}

// IsName reports whether a text can be the name of a host. Letters of other scripts can be in it, but no character that
// IDNA replaces by another one, such as a full-width digit or an ideographic full stop.
func IsName(host string) bool {
	if host == "" || len(host) > 253 {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return false
		}
		for _, r := range label {
			switch {
			case r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z':
			case r < 0x80 || !unicode.In(r, unicode.L, unicode.M) || isReplaced(r):
				return false
			}
		}
	}
	return true
}

// isReplaced reports whether IDNA maps a letter to others: full-width and mathematical letters, ligatures, superscripts.
func isReplaced(r rune) bool {
	return unicode.In(r, unicode.Lm) && r < 0x300 || 0x2070 <= r && r <= 0x24ff || 0x3200 <= r && r <= 0x33ff ||
		0xf900 <= r && r <= 0xfaff || 0xfb00 <= r && r <= 0xfdff || 0xfe00 <= r && r <= 0xffef || r >= 0x1d400 && r <= 0x1d7ff
}

// LooksNumeric reports whether a resolver can read a name as an IPv4 address: its last label is a number in decimal,
// octal or hexadecimal (WHATWG URL, "ends in a number").
func LooksNumeric(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if rest, hex := strings.CutPrefix(last, "0x"); hex {
		return strings.Trim(rest, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}
