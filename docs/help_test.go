package docs

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// help is the parsed help of a command.
type help struct {
	commands []string
	flags    []flagOf
	least    int // number of arguments
	most     int // -1: any number
}

type flagOf struct {
	name  string // with dashes
	value bool   // has a value
}

var (
	flagRow    = regexp.MustCompile(`^\s+(?:(-\w), )?\s*(--[\w-]+)(\[=[\w-]+\])?( [a-z]+)?(?:\s{2,}|$)`)
	commandRow = regexp.MustCompile(`^  ([a-z][a-z-]*)\s{2,}`)
)

// parseHelp parses the English help of a command.
func parseHelp(text string) help {
	var h help
	section, usage := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if line != "" && line[0] != ' ' && strings.HasSuffix(line, ":") {
			section = line
			continue
		}
		switch section {
		case "Usage:":
			switch {
			case strings.HasPrefix(line, "      "):
				usage += " " + strings.TrimSpace(line)
			case strings.TrimSpace(line) != "" && usage == "":
				usage = strings.TrimSpace(line)
			case strings.TrimSpace(line) != "":
				section = ""
			}
		case "Commands:":
			if m := commandRow.FindStringSubmatch(line); m != nil {
				h.commands = append(h.commands, m[1])
			}
		case "Flags:", "Global flags:":
			if m := flagRow.FindStringSubmatch(line); m != nil {
				value := m[4] != "" && m[3] == ""
				if m[1] != "" {
					h.flags = append(h.flags, flagOf{m[1], value})
				}
				h.flags = append(h.flags, flagOf{m[2], value})
			}
		}
	}
	h.least, h.most = arguments(usage)
	return h
}

// arguments counts the arguments in a usage line: CODE, [FILE], WORDS…, a|b.
func arguments(usage string) (least, most int) {
	words := strings.Fields(usage)
	depth, started := 0, false
	for i, w := range words {
		if i == 0 || !started && depth == 0 && regexp.MustCompile(`^[a-z][a-z-]*$`).MatchString(w) {
			continue // the command itself
		}
		started = true
		many := strings.Contains(w, "…") || strings.Contains(w, "...")
		switch {
		case w == "[flags]" || w == "[command]" || strings.HasPrefix(strings.TrimLeft(w, "["), "-") || w == "|":
		case many:
			most = -1
			if depth == 0 && w[0] != '[' {
				least++
			}
		case depth == 0 && w[0] != '[':
			least++
			if most >= 0 {
				most++
			}
		case strings.HasPrefix(words[i-1], "--") && depth > 0 && w[0] != '[': // [--flag VALUE]
		case most >= 0:
			most++
		}
		depth += strings.Count(w, "[") - strings.Count(w, "]")
	}
	return least, most
}

var (
	helps   = map[string]*help{}
	helping sync.Mutex
)

// realHelp runs a built program. ok is false if there is no such command.
func realHelp(path ...string) (help, bool) {
	helping.Lock()
	defer helping.Unlock()
	key := strings.Join(path, " ")
	if h, ok := helps[key]; ok {
		return *h, true
	}
	if !slices.Contains(ours, path[0]) {
		return help{}, false
	}
	cmd := exec.Command(filepath.Join(binaries, path[0]), append(slices.Clone(path[1:]), "--help")...)
	cmd.Env = []string{"HOME=/nonexistent", "LANG=C.UTF-8", "BLUNUX_AI_LANG=en"}
	out, err := cmd.Output()
	if err != nil {
		return help{}, false
	}
	h := parseHelp(string(out))
	helps[key] = &h
	return h, true
}
