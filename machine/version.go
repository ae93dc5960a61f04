package machine

import "strings"

// CompareVersions compares two versions of packages as pacman does: alpm_pkg_vercmp, libalpm, lib/libalpm/version.c. It
// returns -1 if a is older than b, 0 if both are the same, and 1 if a is newer. A release counts only if both have one.
func CompareVersions(a, b string) int {
	epochA, versionA, releaseA := splitVersion(a)
	epochB, versionB, releaseB := splitVersion(b)
	order := comparePart(epochA, epochB)
	if order == 0 {
		order = comparePart(versionA, versionB)
	}
	if order == 0 && releaseA != "" && releaseB != "" {
		order = comparePart(releaseA, releaseB)
	}
	return order
}

// splitVersion splits EPOCH:VERSION-RELEASE. An epoch that is not written is 0.
func splitVersion(text string) (epoch, version, release string) {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	epoch, version = "0", text
	if strings.HasPrefix(text[digits:], ":") {
		version = text[digits+1:]
		if digits > 0 {
			epoch = text[:digits]
		}
	}
	if at := strings.LastIndexByte(version, '-'); at >= 0 {
		version, release = version[:at], version[at+1:]
	}
	return epoch, version, release
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// separators returns how many characters at the start of a text separate its segments.
func separators(text string) int {
	n := 0
	for n < len(text) && !isDigit(text[n]) && !isLetter(text[n]) {
		n++
	}
	return n
}

// segment returns the digits or letters at the start of a text.
func segment(text string, is func(byte) bool) string {
	n := 0
	for n < len(text) && is(text[n]) {
		n++
	}
	return text[:n]
}

// comparePart compares segments of digits and of letters in turn: rpmvercmp.
func comparePart(a, b string) int {
	if a == b {
		return 0
	}
	for {
		gapA, gapB := separators(a), separators(b)
		a, b = a[gapA:], b[gapB:]
		if a == "" || b == "" {
			return compareRests(a, b)
		}
		if gapA != gapB {
			return sign(gapA - gapB)
		}
		is := isLetter
		if isDigit(a[0]) {
			is = isDigit
		}
		one, two := segment(a, is), segment(b, is)
		if two == "" { // numbers are newer than letters
			if isDigit(a[0]) {
				return 1
			}
			return -1
		}
		if order := compareSegments(one, two, isDigit(a[0])); order != 0 {
			return order
		}
		a, b = a[len(one):], b[len(two):]
		if a == "" || b == "" {
			return compareRests(a, b)
		}
	}
}

func compareSegments(a, b string, numbers bool) int {
	if numbers {
		a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
		if len(a) != len(b) {
			return sign(len(a) - len(b))
		}
	}
	return strings.Compare(a, b)
}

// compareRests compares what remains when one text has ended: letters that remain make it older (1.0rc1 and 1.0), anything
// else newer.
func compareRests(a, b string) int {
	switch {
	case a == "" && b == "":
		return 0
	case a == "" && !isLetter(b[0]), a != "" && isLetter(a[0]):
		return -1
	}
	return 1
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}
