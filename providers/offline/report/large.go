package report

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
)

var (
	sayLargeFolders = i18n.T("%[1]s 아래에서 용량을 많이 쓰는 폴더(전체 %[2]s):", "The folders that take the most under %[1]s (%[2]s in all):", "%[1]s 下占用空间最多的文件夹（共 %[2]s）：")
	sayLargeList    = i18n.T("%[1]s 아래에서 용량을 많이 쓰는 폴더:", "The folders that take the most under %[1]s:", "%[1]s 下占用空间最多的文件夹：")
	sayLargeFiles   = i18n.T("100MB가 넘는 파일 가운데 큰 것:", "The biggest files over 100 MB:", "超过 100MB 的最大文件：")
	sayLargeNoFiles = i18n.T("100MB가 넘는 파일은 없어요.", "No file is over 100 MB.", "没有超过 100MB 的文件。")
	sayLargeBiggest = i18n.T("가장 큰 것은 %[1]s{이에요/예요}: %[2]s.", "The biggest is %[1]s: %[2]s.", "最大的是 %[1]s：%[2]s。")
	sayLargeDenied  = i18n.T("권한이 없어 들여다보지 못한 폴더가 있어요. 실제로는 더 클 수 있어요.", "Some folders could not be read without rights; the real figures may be larger.", "部分文件夹没有权限读取，实际可能更大。")
	sayLargeCache   = i18n.T("%[1]s{은/는} 캐시라서 대개 지워도 다시 만들어져요. 지우기 전에 무엇인지 확인하세요.", "%[1]s is a cache: it can usually be rebuilt. Look before deleting anything.", "%[1]s 是缓存，通常可以重新生成。删除前请先确认。")
	sayLargeCaution = i18n.T("지우는 일은 직접 판단해 주세요. 저는 파일을 지우지 않아요.", "What to delete is yours to decide; I do not delete files.", "删除哪些由你决定；我不会删除文件。")
	sayLargeUnseen  = i18n.T("%[1]s{을/를} 볼 수 없었어요. 그런 폴더가 없거나 읽을 권한이 없어요.", "%[1]s could not be looked at: there is no such folder, or it may not be read.", "无法查看 %[1]s：没有这个文件夹，或没有读取权限。")
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
		return Reply{Text: r.say(sayLargeUnseen, root)} // du prints at least the folder itself
	}
	total, children := splitRoot(folders)
	var parts []string
	if top := r.topItem(children, files); top != "" {
		parts = append(parts, top)
	}
	parts = append(parts, r.folderList(root, total, children), r.fileList(find != nil, files))
	if denied {
		parts = append(parts, r.say(sayLargeDenied))
	}
	return Reply{Text: joinBlocks(append(parts, r.cacheHint(children), r.say(sayLargeCaution))...)}
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
		return r.say(sayLargeBiggest, r.tilde(folders[0].path), folders[0].text)
	case len(files) > 0:
		return r.say(sayLargeBiggest, r.tilde(files[0].path), formatSize(files[0].size))
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
	head := r.say(sayLargeList, root)
	if total != "" {
		head = r.say(sayLargeFolders, root, total)
	}
	return joinBlocks(head, bullets(lines))
}

func (r *result) fileList(searched bool, files []bigItem) string {
	if len(files) == 0 {
		if searched {
			return r.say(sayLargeNoFiles)
		}
		return ""
	}
	var lines []string
	for _, f := range files[:min(7, len(files))] {
		lines = append(lines, formatSize(f.size)+"  "+r.tilde(f.path))
	}
	return joinBlocks(r.say(sayLargeFiles), bullets(lines))
}

func (r *result) cacheHint(folders []bigItem) string {
	for _, f := range folders[:min(5, len(folders))] {
		if base := path.Base(f.path); base == ".cache" || base == "cache" {
			return r.say(sayLargeCache, r.tilde(f.path))
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
