package secret

// anchorLen is the length of an anchor: bytes that trigger a rule.
const anchorLen = 4

// filter finds offsets where a rule may apply, in one pass over the text. It is a Bloom filter of the
// case-folded anchors of all rules. A false positive (about one in two hundred) costs a map lookup.
type filter struct {
	bits [1 << 11]uint32
}

// fold makes the case of letters equal. It also merges some other characters, which only costs time.
const fold = 0x20

func gramAt(s string, at int) uint32 {
	return uint32(s[at]|fold) | uint32(s[at+1]|fold)<<8 | uint32(s[at+2]|fold)<<16 | uint32(s[at+3]|fold)<<24
}

func gramOf(anchor string) uint32 { return gramAt(anchor, 0) }

func hashOf(gram uint32) uint32 { return gram * 0x9E3779B1 >> 16 }

func (f *filter) add(gram uint32) {
	h := hashOf(gram)
	f.bits[h>>5] |= 1 << (h & 31)
}

// next returns the first offset at which a rule may apply, or -1. Discord tokens have no anchor, but two dots
// at a fixed distance, and older Vault tokens have one dot.
func (f *filter) next(s string, from int) int {
	if from < 0 || from+anchorLen > len(s) {
		return -1
	}
	gram := gramAt(s, from) << 8
	for i := from; i+anchorLen <= len(s); i++ {
		gram = gram>>8 | uint32(s[i+3]|fold)<<24
		h := hashOf(gram)
		if f.bits[h>>5]&(1<<(h&31)) != 0 || byte(gram) == '.' && (isDiscordDot(s, i) || followsS(s, i)) {
			return i
		}
	}
	return -1
}
