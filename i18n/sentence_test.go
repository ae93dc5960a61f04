package i18n

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestASentenceIsReadInTheLanguageOfTheWhole(t *testing.T) {
	s := SettingOf.With("limits.rounds", SettingType.With(SettingTypes["string"].With(), Verbatim("100% odd")))
	require.Equal(t, "limits.rounds: it is a TOML string, the key takes: 100% odd", s.In(English))
	require.Equal(t, "limits.rounds: TOML의 문자열인데, 이 열쇠말에는 100% odd가 와야 해요", s.In(Korean))
	require.Equal(t, "limits.rounds：它是 TOML 的 字符串，此键应为：100% odd", s.In(Chinese))
	require.False(t, s.IsZero())
	require.True(t, Sentence{}.IsZero())
}

func TestAFailureIsToldInTheLanguageAndKeepsWhatBroughtItAbout(t *testing.T) {
	err := PlaceBad.With("/x", fs.ErrPermission).WithCause(fs.ErrPermission)
	require.EqualError(t, err, "cannot use /x: permission denied")
	require.ErrorIs(t, err, fs.ErrPermission)
	whole := fmt.Errorf("cannot begin: %w", err)
	require.Equal(t, "cannot begin: cannot use /x: permission denied", ErrorText(whole, English))
	require.Equal(t, "/x를 쓸 수 없어요: 권한이 없어요", ErrorText(whole, Korean))
	require.Equal(t, "nobody knows", ErrorText(errors.New("nobody knows"), Korean))
}
