package catalog

// ContextOf returns the context size of a model in tokens, 0 if unknown.
func (e Entry) ContextOf(model string) int {
	m, _ := e.Find(model)
	return m.Context
}
