package commandlog

// Flaw is the reason code of a problem with a record, a line or a file.
type Flaw string

// The flaws.
const (
	Edited  Flaw = "edited"  // differs from what was written
	Removed Flaw = "removed" // is missing
	Moved   Flaw = "moved"   // is in another place
	Added   Flaw = "added"   // was not written by this program
	Cut     Flaw = "cut"     // only the beginning exists
	Missing Flaw = "missing" // the whole file is missing or unreadable
	Old     Flaw = "old"     // the head is older than possible
)

// Damage is a flaw of one of the files.
type Damage struct {
	File string `json:"file"`
	Flaw Flaw   `json:"problem"`
}
