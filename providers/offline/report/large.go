package report

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
)

// bigItem is a folder or file with its size in bytes.
type bigItem struct {
	path string
	size float64
	text string // the size as printed, for folders
}

// parseDU parses du -h: size, tab, path. The result includes the sum of the root.
func parseDU(text string) []bigItem {
	var out []bigItem
	for line := range strings.Lines(text) {
		size, p, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		n, okSize := parseSize(size)
		if ok && okSize && p != "" {
			out = append(out, bigItem{cleanLine(p), n, size})
		}
	}
	slices.SortStableFunc(out, func(a, b bigItem) int { return -cmp.Compare(a.size, b.size) })
	return out
}

// parseFindOutput parses find -printf '%s %p\n': bytes and path.
func parseFindOutput(text string) []bigItem {
	var out []bigItem
	for line := range strings.Lines(text) {
		size, p, ok := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		n, err := strconv.ParseFloat(size, 64)
		if ok && err == nil && n > 0 && strings.HasPrefix(p, "/") {
			out = append(out, bigItem{cleanLine(p), n, ""})
		}
	}
	slices.SortStableFunc(out, func(a, b bigItem) int { return -cmp.Compare(a.size, b.size) })
	return out
}

func (r *result) large() Reply {
	du, find := r.step("du "), r.step("find ")
	var folders, files []bigItem
	denied := false
	if du != nil {
		folders = parseDU(du.Stdout)
		denied = strings.Contains(du.Stderr, "ermission denied")
	}
	if find != nil {
		files = parseFindOutput(find.Stdout)
		denied = denied || strings.Contains(find.Stderr, "ermission denied")
	}
	root := r.str("path")
	if root == "" {
		root = "~"
	}
	if len(folders) == 0 && len(files) == 0 {
		if s := r.usableStep(); s.Exit != 0 && strings.TrimSpace(s.Stdout) == "" || strings.TrimSpace(s.Stdout) != "" {
			return r.unreadableReply(s)
		}
		return Reply{Text: r.say(i18n.HelperLargeUnseen(root))} // du prints at least the folder itself
	}
	total, children := splitRoot(folders)
	var parts []string
	if top := r.topItem(children, files); top != "" {
		parts = append(parts, top)
	}
	parts = append(parts, r.folderList(root, total, children), r.fileList(find != nil, files))
	if denied {
		parts = append(parts, r.say(i18n.HelperLargeDenied))
	}
	return Reply{Text: joinBlocks(append(parts, r.cacheHint(children), r.say(i18n.HelperLargeCaution))...)}
}

// splitRoot removes the total of the searched folder from the list: the biggest entry that contains all others.
func splitRoot(folders []bigItem) (total string, children []bigItem) {
	if len(folders) < 2 {
		return "", folders
	}
	root := strings.TrimSuffix(folders[0].path, "/") + "/"
	for _, f := range folders[1:] {
		if !strings.HasPrefix(f.path, root) {
			return "", folders
		}
	}
	return folders[0].text, folders[1:]
}

func (r *result) topItem(folders, files []bigItem) string {
	switch {
	case len(folders) > 0:
		return r.say(i18n.HelperLargeBiggest(r.tilde(folders[0].path), folders[0].text))
	case len(files) > 0:
		return r.say(i18n.HelperLargeBiggest(r.tilde(files[0].path), formatSize(files[0].size)))
	}
	return ""
}

func (r *result) folderList(root, total string, folders []bigItem) string {
	if len(folders) == 0 {
		return ""
	}
	var lines []string
	for _, f := range folders[:min(7, len(folders))] {
		lines = append(lines, f.text+"  "+r.tilde(f.path))
	}
	head := r.say(i18n.HelperLargeList(root))
	if total != "" {
		head = r.say(i18n.HelperLargeFolders(root, total))
	}
	return joinBlocks(head, bullets(lines))
}

func (r *result) fileList(searched bool, files []bigItem) string {
	if len(files) == 0 {
		if searched {
			return r.say(i18n.HelperLargeNoFiles)
		}
		return ""
	}
	var lines []string
	for _, f := range files[:min(7, len(files))] {
		lines = append(lines, formatSize(f.size)+"  "+r.tilde(f.path))
	}
	return joinBlocks(r.say(i18n.HelperLargeFiles), bullets(lines))
}

func (r *result) cacheHint(folders []bigItem) string {
	for _, f := range folders[:min(5, len(folders))] {
		if base := path.Base(f.path); base == ".cache" || base == "cache" {
			return r.say(i18n.HelperLargeCache(r.tilde(f.path)))
		}
	}
	return ""
}

// tilde shortens the home directory.
func (r *result) tilde(p string) string {
	if r.home != "" && (p == r.home || strings.HasPrefix(p, strings.TrimSuffix(r.home, "/")+"/")) {
		return "~" + strings.TrimPrefix(p, strings.TrimSuffix(r.home, "/"))
	}
	return p
}
