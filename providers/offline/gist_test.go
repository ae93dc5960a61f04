package offline_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers/offline"
)

// TestTheWordsOfASearchField: names of programs and files ask for nothing, and are not noted as not understood.
func TestTheWordsOfASearchField(t *testing.T) {
	m := offline.New(offline.Options{Missed: func(text string) { t.Errorf("%q is noted", text) }})
	for words, tool := range map[string]string{
		"disk full?": "check_disk", "디스크 용량": "check_disk", "磁盘满了吗": "check_disk", "why is my computer slow?": "check_processes",
		"배터리 얼마나 남았어": "check_hardware", "install vlc": "install_package", "vlc 설치해줘": "install_package",
	} {
		require.Equal(t, []string{tool}, m.Gist(words), words)
	}
	for _, words := range []string{
		"firefox", "firefox settings", "자바", "visual studio code", "libreoffice writer", "system settings", "google chrome",
		"파이어폭스 설정", "사진 폴더", "보고서 최종", "project report 2024", "python tutorial", "안녕", "오늘 날씨", "2+2", "rm -rf /", "my documents",
	} {
		require.Empty(t, m.Gist(words), words)
	}
}
