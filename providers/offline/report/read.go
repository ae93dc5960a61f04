package report

// read returns what could be read of an output. Callers that find nothing show the output itself.
func read[T any](parse func([]byte) (T, error), output string) T {
	v, _ := parse([]byte(output))
	return v
}

// tryRead returns the value in an output, and whether it could be read.
func tryRead[T any](parse func([]byte) (T, error), output string) (T, bool) {
	v, err := parse([]byte(output))
	return v, err == nil
}
