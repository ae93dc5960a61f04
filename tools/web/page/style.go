package page

import (
	"strconv"
	"strings"
)

// Bounds of what people can see.
const (
	leastOpacity  = 0.1
	leastFontSize = 3    // pixels
	mostAway      = -500 // pixels to the left of the page or above it
)

// unitPixels is about how many pixels a unit of length has. A percent counts as if of 500 pixels.
var unitPixels = map[string]float64{
	"": 1, "px": 1, "pt": 1.33, "em": 16, "rem": 16, "ex": 8, "ch": 8, "vw": 5, "vh": 5, "%": 5, "in": 96, "cm": 38, "mm": 3.8,
}

// hides reports whether style declarations make text invisible: not displayed, transparent, tiny, in the colour of its
// background, clipped or off the screen.
func hides(declarations string) bool {
	s := styleOf(declarations)
	return s["display"] == "none" || s["visibility"] == "hidden" || s["visibility"] == "collapse" || s["content-visibility"] == "hidden" ||
		s.isTransparent() || s.isTiny() || s.isClipped() || s.isAway()
}

// style are declarations by the name of their property, in lower case.
type style map[string]string

func styleOf(declarations string) style {
	s := style{}
	for d := range strings.SplitSeq(strings.ToLower(withoutComments(declarations)), ";") {
		name, value, ok := strings.Cut(d, ":")
		if !ok {
			continue
		}
		value, _, _ = strings.Cut(value, "!")
		s[strings.TrimSpace(name)] = strings.Join(strings.Fields(value), " ")
	}
	return s
}

// pixels returns a length in pixels.
func (s style) pixels(name string) (float64, bool) { return pixelsOf(s[name]) }

func pixelsOf(value string) (float64, bool) {
	number := strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyz%")
	f, err := strconv.ParseFloat(number, 64)
	unit, known := unitPixels[value[len(number):]]
	return f * unit, err == nil && known
}

func (s style) isTransparent() bool {
	text, percent := strings.CutSuffix(s["opacity"], "%")
	if f, err := strconv.ParseFloat(text, 64); err == nil && (f < leastOpacity || percent && f < 100*leastOpacity) {
		return true
	}
	if strings.Contains(s["filter"], "opacity(0") && !strings.Contains(s["filter"], "opacity(0.") {
		return true
	}
	color := colorOf(s["color"])
	if color == "" || s["background-clip"] == "text" || s["-webkit-background-clip"] == "text" || s["text-shadow"] != "" {
		return false
	}
	return color == "transparent" || color == colorOf(s["background-color"]) || color == colorOf(s["background"])
}

// colorOf returns one spelling of a colour, "" for none.
func colorOf(value string) string {
	value = strings.ReplaceAll(value, " ", "")
	if hex, ok := strings.CutPrefix(value, "#"); ok {
		if len(hex) == 3 || len(hex) == 4 {
			var long strings.Builder
			for _, digit := range hex {
				long.WriteString(strings.Repeat(string(digit), 2))
			}
			hex = long.String()
		}
		if len(hex) == 8 && strings.HasSuffix(hex, "00") {
			return "transparent"
		}
		return "#" + hex
	}
	if (strings.HasPrefix(value, "rgb") || strings.HasPrefix(value, "hsl")) && (strings.HasSuffix(value, "/0)") || strings.Count(value, ",") == 3 && strings.HasSuffix(value, ",0)")) {
		return "transparent"
	}
	for _, name := range [][2]string{{"white", "#ffffff"}, {"black", "#000000"}, {"rgb(255,255,255)", "#ffffff"}, {"rgb(0,0,0)", "#000000"}} {
		if value == name[0] {
			return name[1]
		}
	}
	return value
}

func (s style) isTiny() bool {
	relative := func(value string) bool { return strings.HasSuffix(value, "%") || strings.HasSuffix(value, "em") }
	if size, ok := s.pixels("font-size"); ok && (size < leastFontSize && !relative(s["font-size"]) || size <= 0) {
		return true
	}
	if height, ok := s.pixels("max-height"); ok && height <= 0 {
		return true
	}
	for _, side := range []string{"width", "height"} {
		size, ok := s.pixels(side)
		if ok && size <= 1 && (strings.HasPrefix(s["overflow"], "hidden") || strings.HasPrefix(s["overflow"], "clip")) {
			return true
		}
	}
	return strings.Contains(s["transform"], "scale(0)") || strings.Contains(s["transform"], "scale(0,")
}

// isClipped reports whether a clip leaves nothing: a rectangle of at most a pixel, or an inset of half or more.
func (s style) isClipped() bool {
	if inside, ok := strings.CutPrefix(s["clip"], "rect("); ok {
		sides := strings.FieldsFunc(strings.TrimSuffix(inside, ")"), func(r rune) bool { return r == ' ' || r == ',' })
		small := len(sides) == 4
		for _, side := range sides {
			size, ok := pixelsOf(side)
			small = small && ok && size <= 1
		}
		if small {
			return true
		}
	}
	if inside, ok := strings.CutPrefix(s["clip-path"], "inset("); ok {
		percent, isPercent := strings.CutSuffix(strings.TrimSuffix(inside, ")"), "%")
		f, err := strconv.ParseFloat(percent, 64)
		return isPercent && err == nil && f >= 50
	}
	return strings.HasPrefix(s["clip-path"], "circle(0")
}

// isAway reports whether an element is off the screen, where people cannot scroll to.
func (s style) isAway() bool {
	for _, name := range []string{"text-indent", "margin-left", "margin-top", "left", "top"} {
		if by, ok := s.pixels(name); ok && by <= mostAway && (s["position"] != "" || name != "left" && name != "top") {
			return true
		}
	}
	if s["position"] == "absolute" || s["position"] == "fixed" {
		for _, name := range []string{"right", "bottom"} {
			if by, ok := s.pixels(name); ok && by <= mostAway {
				return true
			}
		}
	}
	for _, move := range []string{"translate(", "translatex(", "translatey("} {
		if _, rest, ok := strings.Cut(s["transform"], move); ok {
			by, _, _ := strings.Cut(rest, ")")
			by, _, _ = strings.Cut(by, ",")
			if pixels, ok := pixelsOf(strings.TrimSpace(by)); ok && pixels < mostAway {
				return true
			}
		}
	}
	return false
}
