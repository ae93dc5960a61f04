package memory

// What the tests look at.
var (
	Stored  = stored
	Cleaned = cleaned
)

// Covered says of every line of a text how many blocks it belongs to.
func Covered(text string) []int {
	lines := linesOf(text)
	covered := make([]int, len(lines))
	for _, b := range blocksOf(lines) {
		for i := b.first; i < b.past; i++ {
			covered[i]++
		}
	}
	return covered
}

// StopAfter ends roll-ups after so many steps, as a crash would.
func StopAfter(m *Memory, steps int) {
	m.step = func() error {
		if steps--; steps < 0 {
			return errStopped
		}
		return nil
	}
}

// Meanwhile does something once between the reading and the writing of a file.
func Meanwhile(m *Memory, do func()) {
	m.read = func() {
		m.read = nil
		do()
	}
}
