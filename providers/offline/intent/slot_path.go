package intent

import "strings"

// folders maps common names of folders to their paths.
var folders = []struct{ path, texts string }{
	{"~/Downloads", "downloads folder|download folder|downloads directory|download directory|my downloads|downloads|다운로드폴더|다운로드디렉토리|다운로드디렉터리|다운로드에|다운폴더|받은파일폴더|내려받기폴더|다운로드밑|다운로드안|下载文件夹|下载目录|下载里"},
	{"~/Documents", "documents folder|document folder|my documents|documents directory|문서폴더|도큐먼트폴더|문서디렉토리|文档目录|文档文件夹"},
	{"~/Pictures", "pictures folder|picture folder|photos folder|my pictures|사진폴더|그림폴더|图片文件夹|图片目录"},
	{"~/Videos", "videos folder|video folder|my videos|movies folder|동영상폴더|비디오폴더|영상폴더|视频文件夹|视频目录"},
	{"~/Music", "music folder|my music folder|음악폴더|音乐文件夹|音乐目录"},
	{"~/Desktop", "desktop folder|my desktop|바탕화면|데스크톱폴더|데스크탑폴더|桌面"},
	{"~/.cache", "cache folder|cache directory|캐시폴더|캐시디렉토리|缓存目录"},
	{"~", "home folder|home directory|my home|home dir|in home|홈폴더|홈디렉토리|홈디렉터리|홈에|홈에서|홈밑|홈안|家目录|主目录|用户目录"},
	{"/var/log", "log folder|log directory|logs folder|로그폴더|로그디렉토리|日志目录"},
	{"/", "root directory|root folder|root filesystem|whole disk|entire disk|whole drive|entire system|루트폴더|루트디렉토리|루트에서|루트밑|디스크전체|전체디스크|根目录|整个硬盘|整个磁盘"},
}

// findPath returns the path that a request mentions, "" when it names none.
func findPath(u *utterance) string {
	for _, w := range u.words {
		if w.script != latin {
			continue
		}
		switch p := strings.TrimRight(w.raw, "/"); {
		case strings.HasPrefix(w.raw, "~/") || w.raw == "~" || strings.HasPrefix(w.raw, "$HOME"):
			return p
		case w.raw == "/":
			return "/"
		case strings.HasPrefix(w.raw, "/") && len(p) > 1 && strings.Count(p, "//") == 0:
			return p
		}
	}
	spaced, flat := spacedLatin(u), string(u.flat)
	for _, f := range folders {
		for _, t := range strings.Split(f.texts, "|") {
			if detectLang(t) == "en" && strings.Contains(spaced, " "+t+" ") || detectLang(t) != "en" && strings.Contains(flat, t) {
				return f.path
			}
		}
	}
	return folderAfterName(u)
}

// folderAfterName reads "my Projects folder" as ~/Projects: a capitalised word directly before "folder".
func folderAfterName(u *utterance) string {
	for i := 1; i < len(u.words); i++ {
		t := u.words[i].text
		prev := u.words[i-1].raw
		isFolder := t == "folder" || t == "directory" || strings.HasPrefix(t, "폴더") || strings.HasPrefix(t, "디렉")
		if isFolder && prev != "" && u.words[i-1].script == latin && prev[0] >= 'A' && prev[0] <= 'Z' && i > 1 {
			return "~/" + prev
		}
	}
	return ""
}

// spacedLatin joins the words with single blanks between and around them.
func spacedLatin(u *utterance) string {
	var b strings.Builder
	b.WriteByte(' ')
	for _, w := range u.words {
		b.WriteString(foldWord(w.text))
		b.WriteByte(' ')
	}
	return b.String()
}
