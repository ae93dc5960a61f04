package desktop

import (
	"strings"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// key is a key of a desktop's settings, and the value that is wished.
type key struct {
	look  machine.Probe // prints the value
	sort  string        // what the look prints before it
	set   string        // the command, which the value ends
	want  string
	usual string // the value while none is set
}

// now returns the value of a key.
func (k key) now(f *diagnose.Facts) string {
	value := strings.Trim(strings.TrimPrefix(strings.TrimSpace(f.Stdout(k.look)), k.sort), "' ")
	if value == "" || quote(value) != value {
		return k.usual
	}
	return value
}

// setKeys plans to set the keys that have other values, in one step, and then a command by which the desktop notices.
func setKeys(f *diagnose.Facts, about i18n.Text, then string, keys ...key) Outcome {
	var looks []machine.Probe
	for _, k := range keys {
		looks = append(looks, k.look)
	}
	if !f.Know(looks...) {
		return Outcome{}
	}
	if name := f.Output(looks[0]).Missing; name != "" {
		return missing(name)
	}
	var do, back []string
	var first key
	for _, k := range keys {
		if now := k.now(f); now != k.want {
			if do == nil {
				first = k
			}
			do, back = append(do, k.set+quote(k.want)), append(back, k.set+now)
		}
	}
	if do == nil {
		return says(i18n.DeskAlready)
	}
	if then != "" {
		do, back = append(do, then), append(back, then)
	}
	return Outcome{}.with(diagnose.Run(about, strings.Join(do, " && "), first.look.String(), first.sort+first.want, strings.Join(back, " && ")))
}
