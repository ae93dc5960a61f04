//go:build race

package e2e

// raceDetector reports that the daemon under test has the race detector, too.
const raceDetector = true
