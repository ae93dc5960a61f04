package ipc

// Judgement is the data of the result of the query "judge": what the checker
// thinks of the command in the query's text, with the person's own rules. It
// runs nothing and promises nothing: a command is judged again before it runs.
type Judgement struct {
	Class      string   `json:"class"` // SAFE, CONFIRM or BLOCKED
	Reasons    []string `json:"reasons,omitempty"`
	Privileged bool     `json:"privileged"`
	// Warnings are codes as [Ask] has them.
	Warnings []string `json:"warnings,omitempty"`
}
