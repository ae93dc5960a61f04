//go:build race

package automation

const raceDetector = true
