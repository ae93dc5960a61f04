package report

import (
	"cmp"
	"path"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

func (r *result) large() Reply {
	du, find := r.step("du "), r.step("find ")
	var folders, files []machine.SizedPath
	denied := false
	if du != nil {
		folders = read(machine.ParseDU, du.Stdout)
		denied = strings.Contains(du.Stderr, "ermission denied")
	}
	if find != nil {
		files = read(machine.ParseFindSizes, find.Stdout)
		denied = denied || strings.Contains(find.Stderr, "ermission denied")
	}
	root := cmp.Or(r.str("path"), "~")
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
func splitRoot(folders []machine.SizedPath) (total string, children []machine.SizedPath) {
	if len(folders) < 2 {
		return "", folders
	}
	root := strings.TrimSuffix(folders[0].Path, "/") + "/"
	for _, f := range folders[1:] {
		if !strings.HasPrefix(f.Path, root) {
			return "", folders
		}
	}
	return folders[0].Printed, folders[1:]
}

func (r *result) topItem(folders, files []machine.SizedPath) string {
	switch {
	case len(folders) > 0:
		return r.say(i18n.HelperLargeBiggest(r.tilde(folders[0].Path), folders[0].Printed))
	case len(files) > 0:
		return r.say(i18n.HelperLargeBiggest(r.tilde(files[0].Path), formatSize(files[0].Size)))
	}
	return ""
}

func (r *result) folderList(root, total string, folders []machine.SizedPath) string {
	if len(folders) == 0 {
		return ""
	}
	var lines []string
	for _, f := range folders[:min(7, len(folders))] {
		lines = append(lines, f.Printed+"  "+r.tilde(f.Path))
	}
	head := r.say(i18n.HelperLargeList(root))
	if total != "" {
		head = r.say(i18n.HelperLargeFolders(root, total))
	}
	return joinBlocks(head, bullets(lines))
}

func (r *result) fileList(searched bool, files []machine.SizedPath) string {
	if len(files) == 0 {
		if searched {
			return r.say(i18n.HelperLargeNoFiles)
		}
		return ""
	}
	var lines []string
	for _, f := range files[:min(7, len(files))] {
		lines = append(lines, formatSize(f.Size)+"  "+r.tilde(f.Path))
	}
	return joinBlocks(r.say(i18n.HelperLargeFiles), bullets(lines))
}

func (r *result) cacheHint(folders []machine.SizedPath) string {
	for _, f := range folders[:min(5, len(folders))] {
		if base := path.Base(f.Path); base == ".cache" || base == "cache" {
			return r.say(i18n.HelperLargeCache(r.tilde(f.Path)))
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
