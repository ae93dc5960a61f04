package secret

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// parts are the building blocks of texts in property tests: secrets, near misses and other text.
var parts = []string{
	"\n", "\n", " ", "=", ":", "\"", "'", ",", "/", "@", ".", "-", "_", "a", "1", "한글", "\x00", "\xff", "\t", "\r\n", `\n`, `\"`,
	"password", "token", "api_key", "psk", "PrivateKey", "--secret", "비밀번호", "Authorization", "Bearer ", "Basic ", "https://", "u:", "hunter2", "[redacted:secret]",
	"[redacted:", "]", known1, known2[:6], known2, "sk-" + "ant-" + alnum36, "ghp_" + alnum36, "ghp_", "AK" + "IAIOSFODNN7EXAMPLE", ":AA" + "HdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1", "110201543",
	"ey" + "JhbGciOiJIUzI1NiJ9", "M" + "TE4NDA1NDY0OTUyNDg0NjU5Mg", ".GhIjKl.", alnum36, base43,
	"-----BEGIN ", "OPENSSH PRIVATE KEY-----", "PRIVATE KEY-----\n", "-----END ", "PRIVATE KEY-----", "Proc-Type: 4,ENCRYPTED\n", "\n" + base43 + "\n",
}

const (
	known1 = "correct horse battery"
	known2 = "aabaabaabaab"
)

func texts() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 40).Draw(t, "parts"), "")
	})
}

func stream(r *Redactor, text string, cuts []int) string {
	return streamBy(r.Writer, text, cuts)
}

func streamBy(writer func(io.Writer) *Writer, text string, cuts []int) string {
	var out strings.Builder
	w := writer(&out)
	at := 0
	for _, cut := range append(cuts, len(text)) {
		_, _ = w.Write([]byte(text[at:cut]))
		at = cut
	}
	_ = w.Close()
	return out.String()
}

func cutsOf(t *rapid.T, text string) []int {
	cuts := rapid.SliceOfN(rapid.IntRange(0, len(text)), 0, 20).Draw(t, "cuts")
	slices.Sort(cuts)
	return cuts
}

func TestAStreamIsTheWholeHoweverItIsSplit(t *testing.T) {
	r := NewRedactor([]string{known1, known2})
	rapid.Check(t, func(t *rapid.T) {
		text := texts().Draw(t, "text")
		require.Equal(t, r.Redact(text), stream(r, text, cutsOf(t, text)))
	})
}

func TestALiveStreamIsTheWholeToo(t *testing.T) {
	r := NewRedactor([]string{known1, known2})
	rapid.Check(t, func(t *rapid.T) {
		text := texts().Draw(t, "text")
		require.Equal(t, r.Redact(text), streamBy(r.LiveWriter, text, cutsOf(t, text)))
	})
}

func TestWhoReadsAlongGetsWordsAsTheyCome(t *testing.T) {
	r := NewRedactor([]string{known1})
	for name, c := range map[string]struct{ said, shown string }{
		"words":                {"The disk is almost fu", "The disk is "},
		"Korean":               {"디스크가 거의 찼어요", "디스크가 거의 찼어"},
		"Chinese":              {"磁盘快满了，请清理", "磁盘快满了，请清"},
		"what may be a key":    {"your key: correct horse", "your key: "},
		"behind what may be":   {"the token is in the file and more words", "the "},
		"lines are whole":      {"the password\nis long", "the password\nis "},
		"a key begins at once": {"sk-ant-api03-aaaaaaaaaaaa", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			w := r.LiveWriter(&out)
			for i := range len(c.said) {
				_, _ = w.Write([]byte{c.said[i]})
			}
			require.Equal(t, c.shown, out.String())
			require.NoError(t, w.Close())
			require.Equal(t, r.Redact(c.said), out.String())
		})
	}
}

func TestAStreamOfVeryLongLinesIsTheWholeToo(t *testing.T) {
	r := NewRedactor([]string{known1, known2})
	rapid.Check(t, func(t *rapid.T) {
		fill := rapid.SampledFrom([]string{"x", "word ", "a,", "=", known2}).Draw(t, "fill")
		text := strings.Repeat(fill, rapid.IntRange(0, 3*maxPiece/len(fill)).Draw(t, "n")) + texts().Draw(t, "text")
		text += strings.Repeat(fill, rapid.IntRange(0, 2*maxPiece/len(fill)).Draw(t, "more"))
		require.Equal(t, r.Redact(text), stream(r, text, cutsOf(t, text)))
	})
}

func TestDoneAgainNothingChanges(t *testing.T) {
	r := NewRedactor([]string{known1, known2})
	rapid.Check(t, func(t *rapid.T) {
		once := r.Redact(texts().Draw(t, "text"))
		require.Equal(t, once, r.Redact(once))
	})
}

func TestNoKnownValueRemains(t *testing.T) {
	r := NewRedactor([]string{known1, known2})
	rapid.Check(t, func(t *rapid.T) {
		clean := r.Redact(texts().Draw(t, "text"))
		require.NotContains(t, clean, known1)
		require.NotContains(t, clean, known2)
	})
}

func TestAValueOnTheEdgeOfAPieceIsFound(t *testing.T) {
	r := NewRedactor([]string{known1})
	for _, fill := range []string{"x", "word ", "a,b;", "%"} {
		for before := maxPiece - 200; before < maxPiece+8; before++ {
			text := (strings.Repeat(fill, maxPiece/len(fill)+8) + strings.Repeat(fill, 10))[:before-before%len(fill)] + known1 + strings.Repeat(fill, maxPiece/len(fill))
			require.Contains(t, r.Redact(text), "[redacted:known]")
			require.NotContains(t, r.Redact(text), known1[:12])
		}
	}
}

func TestAnAssignmentIsNotCutFromItsName(t *testing.T) {
	r := NewRedactor(nil)
	for before := maxPiece*3/4 - 40; before < maxPiece+8; before++ {
		text := strings.Repeat("word ", maxPiece)[:before] + " password = hunter2x --token Zx81kQ0vTz77aBc9 " + strings.Repeat("word ", maxPiece/4)
		require.NotContains(t, r.Redact(text), "hunter2x", before)
		require.NotContains(t, r.Redact(text), "Zx81kQ0vTz77aBc9", before)
	}
}

func TestAFailureOfTheWriterBelowIsTold(t *testing.T) {
	full := errors.New("disk full")
	w := NewRedactor(nil).Writer(writerFunc(func([]byte) (int, error) { return 0, full }))
	_, err := io.WriteString(w, "no line feed yet")
	require.NoError(t, err)
	_, err = io.WriteString(w, "\n")
	require.ErrorIs(t, err, full)
	_, err = io.WriteString(w, "more\n")
	require.ErrorIs(t, err, full)
	require.ErrorIs(t, w.Close(), full)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestAtMostOneLineIsHeldBack(t *testing.T) {
	var out strings.Builder
	w := NewRedactor(nil).Writer(&out)
	_, _ = io.WriteString(w, "a\nb")
	require.Equal(t, "a\n", out.String())
	_, _ = io.WriteString(w, strings.Repeat("x", 10*maxPiece))
	require.Greater(t, out.Len(), 8*maxPiece)
	require.NoError(t, w.Close())
	require.Equal(t, 10*maxPiece+3, out.Len())
}

func FuzzRedact(f *testing.F) {
	f.Add("password=hunter2 "+pem("PRIVATE KEY"), "hunter2 again")
	f.Add(ordinary, "12345678")
	f.Add("https://u:p@h ghp_"+alnum36, "\n\n\n\n")
	f.Fuzz(func(t *testing.T, text, known string) {
		r := NewRedactor([]string{known})
		clean := r.Redact(text)
		if strings.ContainsAny(known, "[]:") || len(text) > maxPiece {
			return // it can be next to a marker or at the end of a piece
		}
		require.Equal(t, clean, r.Redact(clean))
		require.Equal(t, clean, stream(r, text, []int{len(text) / 3, len(text) / 2}))
		for _, form := range formsOf([]string{known}) {
			require.NotContains(t, clean, form)
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	r := NewRedactor([]string{"sk-" + "ant-" + alnum36})
	for name, text := range map[string]string{
		"journal":   strings.Repeat("Nov 21 09:00:06 host NetworkManager[500]: <info>  [1763715606.1234] device (wlan0): state change: config -> ip-config\n", 2000),
		"checksums": strings.Repeat("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  /usr/bin/env\n", 2000),
		"table":     strings.Repeat(ordinary, 20),
		"seq":       strings.Repeat("1234567\n", 20000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if r.Redact(text) != text {
					b.Fatal("changed")
				}
			}
		})
	}
	b.Run("secrets", func(b *testing.B) {
		text := strings.Repeat("password=hunter2\nnothing here at all\n", 4000)
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			r.Redact(text)
		}
	})
	b.Run("worst", func(b *testing.B) {
		text := strings.Repeat("token=", 100_000)
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			r.Redact(text)
		}
	})
}

func BenchmarkWriter(b *testing.B) {
	r := NewRedactor(nil)
	chunk := []byte(strings.Repeat("Nov 21 09:00:06 host NetworkManager[500]: <info>  [1763715606.1234] device (wlan0): state change\n", 340))[:32<<10]
	b.SetBytes(int64(len(chunk)))
	w := r.Writer(io.Discard)
	for b.Loop() {
		_, _ = w.Write(chunk)
	}
}

func BenchmarkNewRedactor(b *testing.B) {
	for b.Loop() {
		NewRedactor([]string{"sk-" + "ant-" + alnum36, known1, known2})
	}
}
