//go:build race

package e2e

// raceDetector reports that the programs under test have the race detector, too.
const raceDetector = true
