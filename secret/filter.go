package secret

// anchorLen is how many bytes call for a rule.
const anchorLen = 4

// filter tells in one pass over text where a rule may apply: it holds four
// bytes of each rule, without regard to case, as bits at their hash. A bit
// set by chance, one in some two hundred, costs a look into a map.
type filter struct {
	bits [1 << 11]uint32
}

// fold makes letters of both cases the same. It makes some other characters
// the same too, which only costs time.
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

// next returns the first offset from which a rule may apply, -1 when there is
// none. Discord's tokens have no four bytes in common, but two dots, and Vault's
// older ones one.
func (f *filter) next(s string, from int) int {
	if from < 0 || from+anchorLen > len(s) {
		return -1
	}
	gram := gramAt(s, from) << 8
	for i := from; i+anchorLen <= len(s); i++ {
		gram = gram>>8 | uint32(s[i+3]|fold)<<24
		h := hashOf(gram)
		if f.bits[h>>5]&(1<<(h&31)) != 0 || byte(gram) == '.' && (dotted(s, i) || behindS(s, i)) {
			return i
		}
	}
	return -1
}
