package check

import "fmt"

var severities = [...]string{"notice", "warning", "critical"}

// String returns notice, warning or critical.
func (s Severity) String() string {
	if s < Notice || s > Critical {
		return severities[Critical]
	}
	return severities[s]
}

// MarshalText returns the word of [Severity.String].
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses the word of [Severity.String].
func (s *Severity) UnmarshalText(text []byte) error {
	for i, word := range severities {
		if string(text) == word {
			*s = Severity(i)
			return nil
		}
	}
	return fmt.Errorf("cannot read severity %q: want notice, warning or critical", text)
}
