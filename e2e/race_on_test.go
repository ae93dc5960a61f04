//go:build race

package e2e

// raceDetector: the programs under test are built with it too.
const raceDetector = true
