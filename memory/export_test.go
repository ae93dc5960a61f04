package memory

// Internals for tests.
var (
	Stored  = formatNote
	Cleaned = cleanText
)

// Covered returns for every line of a text the number of blocks it belongs to.
func Covered(text string) []int {
	lines := linesOf(text)
	covered := make([]int, len(lines))
	for _, b := range parseBlocks(lines) {
		for i := b.first; i < b.past; i++ {
			covered[i]++
		}
	}
	return covered
}

// StopAfter aborts roll-ups after that many steps, as a crash would.
func StopAfter(m *Memory, steps int) {
	m.step = func() error {
		if steps--; steps < 0 {
			return errStopped
		}
		return nil
	}
}

// Meanwhile calls do once between reading and writing a file.
func Meanwhile(m *Memory, do func()) {
	m.afterRead = func() {
		m.afterRead = nil
		do()
	}
}
