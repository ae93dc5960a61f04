package wire

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/nidoit/blunux-ai/daemon/notes"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/stretchr/testify/require"
)

func TestTroubleWithFindingIsToldInEveryLanguage(t *testing.T) {
	for _, code := range []string{
		"index-damaged", "index-in-memory", "index-busy", "index-behind", "no-index", "no-index-program", "index-ended", "file-unreadable", "file-cut", "no-vectors", "no-embedder", "vectors-late",
	} {
		said := map[string]bool{}
		for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
			text := notes.NoteErrorText(&notes.SearchError{Code: code, File: "a.md", Err: fs.ErrPermission}, lang)
			require.NotContains(t, text, code)
			require.Contains(t, text, "(a.md): "+i18n.ErrorText(fs.ErrPermission, lang))
			said[text] = true
		}
		require.Len(t, said, 3, code)
	}
	require.Equal(t, "cannot use the note index", notes.ErrNoIndex.Error())
	unread := &notes.SearchError{Code: "file-unreadable", File: "USER.md", Err: &memory.Fault{File: "USER.md", Act: "read", Reason: "link", Help: "cp x"}}
	require.Equal(t, "메모를 찾을 파일을 읽을 수 없어요 (USER.md): USER.md를 읽을 수 없어요: 링크는 따라가지 않아요\n  링크를 파일로 바꾸세요: cp x", notes.NoteErrorHelp(unread, i18n.Korean))
}

func TestWhatHelpsIsToldInEveryLanguage(t *testing.T) {
	for _, reason := range []string{
		"link", "not-regular", "not-text", "too-large", "full", "shape", "read-only", "read-only-disk", "no-space", "permission", "busy",
	} {
		said := map[string]bool{}
		for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
			fault := &memory.Fault{File: "USER.md", Act: "write", Reason: reason, Help: "cmd", Err: errors.New("untold")}
			text := notes.NoteErrorHelp(fault, lang)
			require.NotContains(t, text, "untold", reason)
			require.Contains(t, text, "\n  ")
			said[text] = true
		}
		require.Len(t, said, 3, reason)
	}
	unknown := &memory.Fault{File: "USER.md", Act: "read", Reason: "io", Err: errors.New("input/output error")}
	require.Equal(t, "cannot read USER.md: input/output error", notes.NoteErrorHelp(unknown, i18n.English))
}
