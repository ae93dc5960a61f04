package chat

import (
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/i18n"
)

// newViChat returns a chat with the keys of vi.
func newViChat(lang i18n.Lang) *chat {
	c := newChat(lang)
	c.vi.on = true
	return c
}

func TestTheKeysOfViEditTheQuestion(t *testing.T) {
	c := newViChat(i18n.English)
	require.Contains(t, c.screen(), "INSERT")
	c.write("disk fulk?")
	c.press("esc")
	require.Contains(t, c.screen(), "NORMAL")
	require.False(t, c.leaving)
	require.Equal(t, "disk fulk?", c.typed(), "Esc ends the input of text and clears nothing")
	c.press("h", "h", "x", "i", "l")
	require.Equal(t, "disk full?", c.typed())
	c.press("esc", "0", "w", "D", "A", "!", "esc", "b", "I", "/", "esc", "0", "x")
	require.Equal(t, "disk!", c.typed())
	c.press("d", "d")
	require.Empty(t, c.typed())
	c.press("d", "j", "o", "a", "enter", "esc")
	require.False(t, c.leaving)
	require.Empty(t, c.typed(), "Enter sends")
	require.Equal(t, Thinking, c.state)
	c.press("esc")
	require.Equal(t, Input, c.state, "in normal mode, Esc stops the turn")
}

func TestTheKeysOfViScroll(t *testing.T) {
	c := newViChat(i18n.English)
	for range 60 {
		c.addSystem("a line")
	}
	c.draw()
	c.press("esc", "g", "g")
	require.False(t, c.log.follow)
	top := c.screen()
	c.press("j", "ctrl+d")
	require.NotEqual(t, top, c.screen())
	c.press("ctrl+u", "k")
	require.Equal(t, top, c.screen())
	c.press("G")
	require.True(t, c.log.follow)
	c.press("ctrl+d", "ctrl+d")
	require.False(t, c.leaving, "scrolling at the end does not leave")
	// A letter of the Korean keyboard is the key that it is on.
	c.press("ㅎ", "ㅎ")
	require.Equal(t, top, c.screen())
	c.press("ㅓ")
	require.NotEqual(t, top, c.screen())
	c.press("ㅏ")
	require.Equal(t, top, c.screen())
	c.press("ㅑ")
	require.False(t, c.vi.normal)
}

func TestKoreanTextInNormalModeIsTheQuestion(t *testing.T) {
	c := newViChat(i18n.Korean)
	c.press("esc")
	require.Contains(t, c.screen(), "명령 모드")
	c.write("디스크 꽉 찼어?")
	require.Equal(t, "디스크 꽉 찼어?", c.typed())
	require.Contains(t, c.screen(), "입력 모드")
}

func TestAConfirmationHasItsOwnKeysWithTheKeysOfVi(t *testing.T) {
	c := newReviewChat(askOf("touch x"))
	c.vi = vi{on: true, normal: true}
	c.press("x", "j", "i")
	require.Equal(t, ReviewAction, c.state)
	require.NotContains(t, c.screen(), "NORMAL")
	c.press("esc")
	require.NotEqual(t, ReviewAction, c.state)
}

func TestEveryKeyOfTheKoreanKeyboardIsKnown(t *testing.T) {
	require.Equal(t, utf8.RuneCountInString(koreanLetters), len(koreanKeys))
	rapid.Check(t, func(t *rapid.T) {
		c := newViChat(i18n.English)
		for _, k := range rapid.SliceOf(rapid.SampledFrom([]rune("hjklwbe0$^xdDcCgGiaIAoOㅗㅓㅏㅣㅈㅠㄷㅌㅇㅊㅎㅑㅁㅐ가 a?"))).Draw(t, "keys") {
			if rapid.Bool().Draw(t, "esc") {
				c.press("esc")
			}
			c.press(string(k))
		}
		require.False(t, c.leaving)
		require.True(t, utf8.ValidString(c.typed()))
	})
}

func TestTheWordBeforeNothingIsTheBeginning(t *testing.T) {
	for _, text := range []string{"", "  ", "\n \n", " a"} {
		c := newChat(i18n.English)
		c.do(pasted(text))
		c.press("home")
		c.do(tea.KeyPressMsg{Code: 'b', Mod: tea.ModAlt})
		c.write("x")
		require.Contains(t, c.typed(), "x")
	}
}
