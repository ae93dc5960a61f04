package ipc

// Judgement is the result data of the query "judge": the checker's verdict on the command in the query's text,
// with the person's own rules. It is only a preview: a command is judged again before it runs.
type Judgement struct {
	Class      string   `json:"class"` // SAFE, CONFIRM or BLOCKED
	Reasons    []string `json:"reasons,omitempty"`
	Privileged bool     `json:"privileged"`
	// Warnings are codes as in [Ask].
	Warnings []string `json:"warnings,omitempty"`
}
