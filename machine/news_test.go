package machine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestNewsSinceTheLastFullUpdate(t *testing.T) {
	t.Parallel()
	items, err := ParseArchNews([]byte("# Arch Linux News Archives\n\n| Published | Title | Author |\n|---|---|---|\n" +
		"| 2026-11-18 | [glibc [2.43] needs a step](https://archlinux.org/news/glibc-243/) | A |\n| 2026-10-02 | [New mirrors](https://archlinux.org/news/new-mirrors/) | B |\n" +
		"| 2026-09-01 | [Elsewhere](https://example.org/) | C |\n"))
	require.NoError(t, err)
	require.Equal(t, NewsItem{"2026-11-18", "glibc [2.43] needs a step", "https://archlinux.org/news/glibc-243/"}, items[0])
	require.Len(t, items, 2)
	require.Len(t, NewsSince(items, time.Time{}), 2)
	require.Len(t, NewsSince(items, time.Date(2026, 11, 18, 23, 0, 0, 0, time.UTC)), 1)
	require.Empty(t, NewsSince(items, time.Date(2026, 11, 19, 0, 0, 0, 0, time.UTC)))
	_, err = ParseArchNews([]byte("<html>a portal</html>"))
	require.Error(t, err)
}

func TestOnlyACompletedUpdateOfAllPackagesCounts(t *testing.T) {
	t.Parallel()
	const full = "[2026-11-20T09:10:00+0900] [PACMAN] Running 'pacman -Syu'\n[2026-11-20T09:10:02+0900] [PACMAN] starting full system upgrade\n[2026-11-20T09:12:33+0900] [ALPM] transaction completed\n"
	for _, c := range []struct{ text, want string }{
		{full, "2026-11-20T09:12:33+09:00"},
		{full + "[2026-11-21T08:00:00+0900] [PACMAN] Running 'pacman -S htop'\n[2026-11-21T08:00:01+0900] [ALPM] transaction completed\n", "2026-11-20T09:12:33+09:00"},
		{full + "[2026-11-22T08:00:00+0900] [PACMAN] Running 'pacman -Syu'\n[2026-11-22T08:00:01+0900] [PACMAN] starting full system upgrade\n[2026-11-22T08:01:00+0900] [PACMAN] Running 'pacman -U x'\n[2026-11-22T08:01:01+0900] [ALPM] transaction completed\n", "2026-11-20T09:12:33+09:00"},
		{"[2026-11-22T08:00:01+0900] [PACMAN] starting full system upgrade\n", ""},
	} {
		at, err := ParseLastFullUpgrade([]byte(c.text))
		require.Equal(t, c.want == "", err != nil, c.text)
		if err == nil {
			require.Equal(t, c.want, at.Format(time.RFC3339), c.text)
		}
	}
}
