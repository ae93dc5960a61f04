package plan

// VerbSpec describes a verb of plans: its arguments, and whether it only looks.
type VerbSpec struct {
	Args  []string // all it knows
	Needs []string // those that it cannot do without
}

// Verbs are the verbs of plans. What a verb runs, how it is checked and what takes it back is known from its command:
// [Recognize].
var Verbs = map[string]VerbSpec{
	"run":         {Args: []string{"command"}, Needs: []string{"command"}},
	"install":     {Args: []string{"name", "file", "reason", "replaces", "mark"}},
	"remove":      {Args: []string{"name", "only"}, Needs: []string{"name"}},
	"upgrade":     {Args: []string{"replaces"}},
	"unit":        {Args: []string{"action", "name", "user", "now"}, Needs: []string{"action", "name"}},
	"write_file":  {Args: []string{"path", "content", "kept", "mode", "was"}, Needs: []string{"path"}},
	"edit_file":   {Args: []string{"path", "old", "new", "kept", "was"}, Needs: []string{"path", "old"}},
	"remove_file": {Args: []string{"path"}, Needs: []string{"path"}},

	// [Step.Command] makes the commands of these; the names are those of [SettingNames].
	"setting":   {Args: []string{"name", "target", "value"}, Needs: []string{"name", "value"}},
	"network":   {Args: []string{"name", "target", "value"}, Needs: []string{"name", "value"}},
	"sound":     {Args: []string{"name", "value"}, Needs: []string{"name", "value"}},
	"bluetooth": {Args: []string{"name", "value"}, Needs: []string{"value"}},
	"mount":     {Args: []string{"target", "value"}, Needs: []string{"target", "value"}},
	"reboot":    {},

	"timer": {Args: []string{"name", "when", "command"}, Needs: []string{"name", "when", "command"}}, // [Plan.Expand]
}
