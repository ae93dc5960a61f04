package machine

import (
	"math"
	"strconv"
	"strings"
)

// ParseSize parses a size as printed by df, du, free and pacman (15G, 7.7Gi, 512M, 1.2 MiB, 0B, 4,0K) in bytes.
// Units are powers of 1024. ok is false for anything else.
func ParseSize(s string) (bytes float64, ok bool) {
	s = strings.TrimSpace(strings.Replace(s, ",", ".", 1))
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.') {
		i++
	}
	n, err := strconv.ParseFloat(s[:i], 64)
	if err != nil {
		return 0, false
	}
	unit := strings.TrimSpace(s[i:])
	if unit == "" || unit == "B" {
		return n, true
	}
	exp := strings.IndexByte("KMGTPE", strings.ToUpper(unit)[0])
	if rest := strings.ToLower(unit[1:]); exp < 0 || rest != "" && rest != "i" && rest != "b" && rest != "ib" {
		return 0, false
	}
	for range exp + 1 {
		n *= 1024
	}
	return n, true
}

// ParseNumber parses a decimal with point or comma.
func ParseNumber(s string) (float64, bool) {
	n, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
}
