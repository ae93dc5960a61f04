package safety

import (
	"maps"
	"slices"
)

// Codes returns every reason code, sorted.
func Codes() []string { return slices.Sorted(maps.Keys(explanations)) }

// explanations has one line for a person per reason code.
var explanations = map[string]string{
	"background":          "a command left running in the background is not bounded",
	"bad-redirect":        "only reading ordinary files, /dev/null and copies of descriptors are accepted",
	"chmod-root":          "opens the root directory to every user",
	"control-character":   "the text holds invisible, control or invalid characters",
	"directory":           "the working directory cannot be followed",
	"data-loss":           "all data on it is lost",
	"disk-wipe":           "erases a disk, or what is mounted",
	"disk-write":          "writes over a disk",
	"empty":               "there is no command",
	"environment":         "the value of this variable may be a secret",
	"assignment":          "this assignment can change what programs do",
	"find-delete":         "find would remove files of the system or of a home",
	"fork-bomb":           "starts processes without end",
	"function":            "a function that cannot be followed",
	"interpreter":         "runs text as a program",
	"missing-operand":     "without an operand or option this form does something else",
	"missing-value":       "an option or the program lacks an operand",
	"make-filesystem":     "makes a new file system on a device",
	"network-condition":   "whether it reaches another host may tell what a file holds",
	"network-operand":     "what it asks another host for is only known when the command runs",
	"operand":             "an operand this program may not be given unasked",
	"operand-count":       "more operands than the read-only form takes",
	"path-program":        "only programs of /usr/bin by name are accepted",
	DeleteOwn:             "removes the person's own files",
	"delete-root":         "removes the system, a home or a part of one",
	"secret-file":         "the file may hold secrets",
	"script":              "the program text is not on the accept list",
	"substitution":        "an expansion that can run or change something",
	"sudo":                "asks for the rights of another user",
	"too-long":            "too long to check",
	"unknown-program":     "the program is not on the accept list",
	"unknown-command":     "the name of the program is only known when it runs",
	"unlisted-option":     "this option is not on the accept list of the program",
	"unlisted-verb":       "this verb is not on the accept list of the program",
	"unparsed":            "the text is not valid shell syntax",
	"unproven-operand":    "a value only known when the command runs could become an option or a secret path",
	"unbounded":           "may run without end",
	"unstable-print":      "the printed form is not judged like the text",
	"unprintable":         "the tree cannot be printed",
	"unsupported-syntax":  "a construct that is not on the accept list",
	"wrapper":             "this way of starting a program is not on the accept list",
	"write-redirect":      "writes to a file",
	"too-many-wrappers":   "too many wrappers around the command",
	"version-only":        "only --version and --help of this program are accepted",
	"listed":              "on the accept list",
	"unlisted-expression": "an expression that is not on the accept list of the program",
}

func explanation(code string) string { return explanations[code] }
