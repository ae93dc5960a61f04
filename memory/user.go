package memory

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// backupSuffix is the suffix of a backup file.
const backupSuffix = "~"

// UpdateUser replaces USER.md with at most 256 KiB of text, from which control characters are removed. The former
// file is kept as USER.md~. Errors: a [Fault].
func (m *Memory) UpdateUser(ctx context.Context, text string) (Change, error) {
	if len(text) > maxKept {
		return Change{}, fault("write", m.path(userFile), userFile, errFull)
	}
	var change Change
	err := m.edit(ctx, userFile, maxFile, func(old content) (string, error) {
		now := ""
		if change, now = userChange(old.text, text); now == old.text {
			return now, nil
		}
		if err := m.prepare(userFile); err != nil {
			return "", err
		}
		return now, m.backUp(userFile, old.text)
	})
	if err != nil {
		return Change{}, fault("write", m.path(userFile), userFile, err)
	}
	return change, nil
}

// UserChange returns the lines that [Memory.UpdateUser] would add and remove.
func (m *Memory) UserChange(text string) (Change, error) {
	old, err := m.readWhole(userFile)
	if err != nil {
		return Change{}, err
	}
	change, _ := userChange(old.text, text)
	return change, nil
}

// backUp stores the former text of a file as FILE~, unless it is blank.
func (m *Memory) backUp(name, text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return m.replace(name+backupSuffix, text)
}

// userChange returns the difference between two texts, and the new text of the file.
func userChange(old, text string) (Change, string) {
	text = normalizeDocument(text)
	if normalizeDocument(old) == text { // only line ends differ
		text = old
	}
	change := Change{File: userFile}
	change.Added, change.Removed = diffLines(linesOf(old), linesOf(text))
	return change, text
}

// normalizeDocument normalizes a text for a file: valid UTF-8, without control characters except tabs and line ends,
// ending with a line end.
func normalizeDocument(text string) string {
	lines := linesOf(strings.ReplaceAll(text, "\r\n", "\n"))
	for i, l := range lines {
		in, rest := indentOf(strings.ReplaceAll(l, "\r", ""))
		lines[i] = in + strings.ReplaceAll(plainText(rest+"."), "\t", " ")
		lines[i] = strings.TrimRight(strings.TrimSuffix(lines[i], "."), " \t")
	}
	text = strings.Trim(strings.Join(lines, "\n"), "\n")
	if text == "" {
		return ""
	}
	return text + "\n"
}

// maxCompared bounds the lines on each side that are compared.
const maxCompared = 2000

// diffLines returns the lines to add and to remove to turn one text into the other, by their longest common
// subsequence. It ignores blank lines. Long texts are compared only at their beginning and end.
func diffLines(old, new []string) (added, removed []string) {
	old, new = nonBlankLines(old), nonBlankLines(new)
	for len(old) > 0 && len(new) > 0 && old[0] == new[0] {
		old, new = old[1:], new[1:]
	}
	for len(old) > 0 && len(new) > 0 && old[len(old)-1] == new[len(new)-1] {
		old, new = old[:len(old)-1], new[:len(new)-1]
	}
	if len(old) > maxCompared || len(new) > maxCompared {
		return new, old
	}
	common := commonLengths(old, new)
	i, j := 0, 0
	for i < len(old) || j < len(new) {
		switch {
		case i < len(old) && j < len(new) && old[i] == new[j]:
			i, j = i+1, j+1
		case j == len(new) || i < len(old) && common[i+1][j] >= common[i][j+1]:
			removed = append(removed, old[i])
			i++
		default:
			added = append(added, new[j])
			j++
		}
	}
	return added, removed
}

// commonLengths returns, for every pair of positions, the length of the longest common subsequence of the rest.
func commonLengths(old, new []string) [][]uint16 {
	common := make([][]uint16, len(old)+1)
	for i := range common {
		common[i] = make([]uint16, len(new)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(new) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if old[i] == new[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	return common
}

// nonBlankLines returns the lines that are not blank, without trailing white space.
func nonBlankLines(lines []string) []string {
	var all []string
	for _, l := range lines {
		if !isBlank(l) {
			all = append(all, strings.TrimRight(l, " \t"))
		}
	}
	return all
}

// Clear deletes daily/ and MEMORY.md, and nothing else (NARE TDD section 11.1), and returns the deleted files. It
// deletes links, not their targets.
func (m *Memory) Clear(ctx context.Context) ([]string, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	gone, _ := m.dailyNames()
	if _, err := os.Lstat(m.path(dailyDir)); len(gone) == 0 && err == nil {
		gone = []string{dailyDir}
	}
	err = os.RemoveAll(m.path(dailyDir))
	faults := []error{fault("write", m.path(dailyDir), dailyDir, err)}
	gone = slices.DeleteFunc(gone, func(name string) bool {
		_, err := os.Lstat(m.path(name))
		return err == nil
	})
	switch err := os.Remove(m.path(memoryFile)); {
	case err == nil:
		gone = append([]string{memoryFile}, gone...)
	case !errors.Is(err, fs.ErrNotExist):
		faults = append(faults, fault("write", m.path(memoryFile), memoryFile, err))
	}
	return gone, errors.Join(faults...)
}
