package memory

import (
	"cmp"
	"slices"
	"strings"
)

// digest returns the most informative lines of a day, in their order, within that many bytes. Lines that a
// person wrote rank first, then turns that remembered or changed something, failures, turns that ran a command,
// then talk. Repeated requests rank lower than the first. Of equal lines, the later ones are kept.
func digest(lines []string, most int) []string {
	if size(lines) <= most {
		return lines
	}
	pieces := piecesOf(lines)
	order := make([]int, len(pieces))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(pieces[b].rank, pieces[a].rank), cmp.Compare(b, a))
	})
	left := most
	for _, i := range order {
		p := &pieces[i]
		if n := size(p.lines); n <= left {
			p.isKept, left = true, left-n
		}
	}
	var kept []string
	for _, p := range pieces {
		if p.isKept {
			kept = append(kept, p.lines...)
		}
	}
	if len(kept) == 0 { // every piece is too large
		kept = []string{truncate(strings.ToValidUTF8(pieces[order[0]].lines[0], "\ufffd"), most-len("…\n")) + "…"}
	}
	return kept
}

func size(lines []string) int { return len(strings.Join(lines, "\n")) + 1 }

// piece is a block of lines that is kept or dropped as a whole.
type piece struct {
	lines  []string
	rank   int
	isKept bool
}

func piecesOf(lines []string) []piece {
	var pieces []piece
	asked := map[string]bool{}
	for _, b := range parseBlocks(lines) {
		p := piece{lines: lines[b.first:b.past]}
		p.rank = rankOf(p.lines[0], asked)
		if len(p.lines) > 1 || !turn.MatchString(p.lines[0]) {
			p.rank = rankByHand
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// Ranks of a line.
const (
	rankByHand   = 100 // written by a person
	rankRemember = 40
	rankChange   = 30
	rankFailure  = 20
	rankRun      = 10
	rankRepeated = -35
)

// readOnlyPrograms are the programs and tools that only read. Turns with others rank higher.
var readOnlyPrograms = strings.Fields(`df du free ls cat head tail ps top uptime uname lsblk lscpu lspci lsusb ip ss ping journalctl
		check_disk check_memory check_processes check_network check_updates read_logs read_file list_directory list_packages search_packages
		package_info recall grep find which stat findmnt nmcli sensors lsof dmesg id who w env printenv`)

// rankOf ranks a line that the program wrote: "- 09:15 · request · commands · result".
func rankOf(line string, asked map[string]bool) int {
	parts := strings.SplitN(line, " · ", 4)
	if len(parts) < 4 {
		return 0
	}
	n := 0
	for _, ran := range strings.Split(parts[2], "; ") {
		word, _, _ := strings.Cut(strings.TrimSpace(ran), " ")
		switch {
		case word == "-" || word == "":
		case word == "remember" || word == "forget" || word == "update_user":
			n = max(n, rankRemember)
		case slices.Contains(readOnlyPrograms, word):
			n = max(n, rankRun)
		default:
			n = max(n, rankChange)
		}
	}
	if strings.HasPrefix(parts[3], "failed: ") {
		n = max(n, rankFailure)
	}
	request := foldCase(parts[1])
	if asked[request] {
		n += rankRepeated
	}
	asked[request] = true
	return n
}
