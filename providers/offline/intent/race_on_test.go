//go:build race

package intent

// raceDetector makes tests ten times slower. Long tests run without it (see the Makefile), and only a part of
// them with it.
const raceDetector = true
