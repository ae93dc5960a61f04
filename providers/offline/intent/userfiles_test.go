package intent

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestAPersonsOwnFilesAddToWhatIsUnderstood(t *testing.T) {
	l, errs := NewExtended(fstest.MapFS{
		"names.tsv":    {Data: []byte("# mine\nfoozle-bin\tfoozled\tdaemon\t푸즐, Foozle Box\n")},
		"concepts.tsv": {Data: []byte("disk\t디슥, rust\n")},
		"phrases.tsv":  {Data: []byte("\ufeffGood morning!\tcheck_updates\r\n게임 모드\trun_command\tcommand=powerprofilesctl set performance\n")},
	})
	require.Empty(t, errs)
	plan := func(text string) []Step { return l.Understand(text, Context{}).Steps }
	require.Equal(t, []Step{Call("manage_service", "action", "restart", "name", "foozled")}, plan("푸즐 재시작해줘"))
	require.Equal(t, []Step{Call("install_package", "name", "foozle-bin")}, plan("install foozle box"))
	require.Equal(t, []Step{Call("check_disk")}, plan("디슥 용량 얼마나 남았어?"))
	require.Equal(t, []Step{Call("check_updates")}, plan("good  morning"))
	require.Equal(t, []Step{Call("run_command", "command", "powerprofilesctl set performance")}, plan("게임모드"))
	require.NotEqual(t, []Step{Call("check_updates")}, shared().Understand("good morning", Context{}).Steps, "what is built in stays as it is")
}

func TestMistakesInOwnFilesAreNamedAndTheRestCounts(t *testing.T) {
	l, errs := NewExtended(fstest.MapFS{
		"names.tsv":    {Data: []byte("Bad Name\t-\tapp\nok-package\t-\tthing\nonly\nfine\t-\tcli\t파인\n")},
		"concepts.tsv": {Data: []byte("nosuchconcept\tx\ndisk\n")},
		"phrases.tsv":  {Data: []byte("x\tno_tool\n!!\tcheck_disk\na\tcheck_disk\tpath\nhow full\tcheck_disk\n")},
	})
	var said []string
	for _, err := range errs {
		said = append(said, err.Error())
	}
	require.Equal(t, []string{
		`names.tsv line 1: invalid package name "Bad Name"`,
		`names.tsv line 2: unknown kind "thing": want app, daemon or cli`,
		`names.tsv line 3: want package, service or -, kind and optionally other names, separated by tabs`,
		`concepts.tsv line 1: unknown concept "nosuchconcept"`,
		`concepts.tsv line 2: want a concept and its words, separated by a tab`,
		`phrases.tsv line 1: unknown tool "no_tool"`,
		`phrases.tsv line 2: the request has no words`,
		`phrases.tsv line 3: invalid input "path": want key=value`,
	}, said)
	require.Equal(t, []Step{Call("install_package", "name", "fine")}, l.Understand("파인 설치해줘", Context{}).Steps)
	require.Equal(t, []Step{Call("check_disk")}, l.Understand("How full?", Context{}).Steps)
}

func TestOwnFilesThatAreNoneAreNoMistake(t *testing.T) {
	l, errs := NewExtended(fstest.MapFS{"names.tsv/x": {}})
	require.Len(t, errs, 1, "a directory in a file's place is one")
	require.NotNil(t, l)
	_, errs = NewExtended(fstest.MapFS{})
	require.Empty(t, errs)
	require.False(t, HasUserFiles(fstest.MapFS{}))
}
