package safety

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// Rows marked as script are shell, Python or Perl programs. Some of them execute the files that their operands
// lead to (dkms.conf, the hooks and images of mkinitcpio), and nothing limits what they do with a word. So
// their words are restricted: see [checkRestricted].

// Kinds for the words of scripts.
const (
	bare    kind = "word"    // letters, digits and ._+-, never a path
	label   kind = "label"   // words with blanks and commas, never a path
	image   kind = "image"   // an initial RAM disk below /boot or /efi
	media   kind = "media"   // a media type such as text/html
	port    kind = "port"    // a port with its protocol: 80/tcp
	address kind = "address" // a numeric address, optionally with a prefix length
	choice  kind = "choice"  // one of the words of [form.only]
)

var (
	wordText    = lazyregexp.New(`^[A-Za-z0-9_+][A-Za-z0-9._+-]*$`)
	labelText   = lazyregexp.New(`^[A-Za-z0-9_+][A-Za-z0-9._+ ,-]*$`)
	mediaText   = lazyregexp.New(`^(application|audio|chemical|font|image|inode|message|model|multipart|text|video|x-scheme-handler|x-content)/[A-Za-z0-9][A-Za-z0-9._+-]*$`)
	portText    = lazyregexp.New(`^[0-9]{1,5}(-[0-9]{1,5})?/(tcp|udp|sctp|dccp)$`)
	addressText = lazyregexp.New(`^([0-9]{1,3}(\.[0-9]{1,3}){3}|[0-9A-Fa-f]{0,4}(:[0-9A-Fa-f]{0,4}){2,7})(/[0-9]{1,3})?$`)
	imageText   = lazyregexp.New(`^[A-Za-z0-9._+/-]+$`)
)

// strictKind checks a word, which must be completely known, against one of these kinds.
func strictKind(k kind, text string) bool {
	switch k {
	case bare:
		return wordText.MatchString(text)
	case label:
		return labelText.MatchString(text)
	case media:
		return mediaText.MatchString(text)
	case port:
		return portText.MatchString(text)
	case address:
		return addressText.MatchString(text)
	case image:
		return imageText.MatchString(text) && path.Clean(text) == text && (strings.HasPrefix(text, "/boot/") || strings.HasPrefix(text, "/efi/"))
	}
	return false
}

// strictKinds are the kinds that [strictKind] checks.
var strictKinds = []kind{bare, label, image, media, port, address}

// checkRestricted returns an error if a script's row is not restricted enough. In a form with hands set, the script
// passes its arguments unchanged to the named program.
func checkRestricted(p *program) error {
	if !p.script {
		return nil
	}
	for i := range p.forms {
		f := &p.forms[i]
		if f.hands != "" {
			continue
		}
		if f.loose || f.prepare != nil {
			return fmt.Errorf("cannot accept any operand of the script %s", p.names)
		}
		kinds := []kind{f.operand, f.first}
		for pair := range strings.FieldsSeq(f.kinds) {
			_, value, _ := strings.Cut(pair, "=")
			kinds = append(kinds, kind(value))
		}
		for _, k := range kinds {
			if k != none && k != number && k != plain && !slices.Contains(strictKinds, k) && !strings.HasPrefix(string(k), "only:") && (k != choice || f.only == "") {
				return fmt.Errorf("cannot accept an operand of kind %q of the script %s", k, p.names)
			}
		}
		if strings.Contains(f.lines, "@") {
			return fmt.Errorf("cannot accept a path of the script %s", p.names)
		}
	}
	return nil
}

// passesTo marks a form whose script only passes its arguments to another program.
func passesTo(to string, f form) form {
	f.hands = to
	return f
}

// literalOnly requires every argument to be known and to be one line, because scripts have executed file names
// that they inserted into sed programs.
func literalOnly(f form) form {
	inner := f.check
	f.check = func(in *invocation, p *parsed) *refusal {
		for _, arg := range in.args {
			text, known := arg.val.lit()
			if !known || arg.many || strings.ContainsAny(text, "\n\r") {
				return deny("unproven-operand", arg.val.String(), 1)
			}
		}
		if inner == nil {
			return nil
		}
		return inner(in, p)
	}
	return f
}

// scriptForms returns forms whose operands are restricted to words.
func scriptForms(forms []form) []form {
	out := slices.Clone(forms)
	for i := range out {
		if out[i].operand != none {
			out[i].operand = bare
		}
	}
	return out
}

// firstIs requires want as the first operand.
func firstIs(want string) func(*invocation, *parsed) *refusal {
	return func(_ *invocation, p *parsed) *refusal {
		if got, ok := p.operands[0].val.lit(); !ok || got != want {
			return deny("unlisted-verb", p.operands[0].val.String(), 1)
		}
		return nil
	}
}
