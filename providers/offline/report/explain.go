package report

import "strings"

// explainReply passes on what the tool explain says: it is written for people, in the language of the request.
func (r *result) explainReply() Reply { return Reply{Text: strings.TrimSpace(r.lastStep().Stdout)} }
