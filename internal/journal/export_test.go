package journal

// AppendSync is Append and Sync.
func (j *Journal) AppendSync(v any) error {
	at, err := j.Append(v)
	if err == nil {
		err = j.Sync(at)
	}
	return err
}
