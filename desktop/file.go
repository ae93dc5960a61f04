package desktop

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/machine"
)

// found is how find prints a file: [machine.ParseFoundFiles].
const found = `%T@\t%s\t%p\n`

// maxShown bounds how many files are listed.
const maxShown = 10

// extensions are the names of files of a kind.
var extensions = map[string]string{
	"pdf": "pdf", "image": "jpe?g|png|gif|webp|heic|svg|bmp|tiff?|avif", "video": "mp4|mkv|webm|avi|mov|m4v|flv|wmv", "music": "mp3|flac|ogg|opus|m4a|wav|aac|wma",
	"document": "docx?|odt|hwpx?|rtf|txt|md|pages", "spreadsheet": "xlsx?|ods|csv", "presentation": "pptx?|odp|key", "archive": "zip|7z|rar|tar|gz|xz|zst|bz2",
	"text": "txt|md|log", "program": "appimage|deb|rpm|sh|run|exe",
}

// ages are the tests of find for when a file changed: find(1).
var ages = map[string][]string{
	"today": {"-daystart", "-mtime", "-1"}, "yesterday": {"-daystart", "-mtime", "1"}, "week": {"-mtime", "-7"}, "month": {"-mtime", "-31"}, "year": {"-mtime", "-366"},
}

// fileWish is what a file is looked for by: its name, its kind and when it changed. The object has the name, and the others as
// type:pdf and age:week.
type fileWish struct{ name, kind, age string }

func readFileWish(object string) (want fileWish) {
	var name []string
	for word := range strings.FieldsSeq(object) {
		key, value, _ := strings.Cut(word, ":")
		switch {
		case key == "type" && value != "":
			want.kind = value
		case key == "age" && value != "":
			want.age = value
		default:
			name = append(name, word)
		}
	}
	want.name = strings.Join(name, " ")
	return want
}

// probe returns the look for such files in the person's own directories, without hidden ones.
func (want fileWish) probe() (machine.Probe, bool) {
	look := machine.Probe{"find", "~", "-xdev", "-maxdepth", "7", "-type", "f", "-not", "-path", "'*/.*'"}
	if want.name != "" {
		name := strings.ReplaceAll(searchable(want.name), ".", "?")
		if name == "" {
			return nil, false
		}
		look = append(look, "-iname", "'*"+strings.ReplaceAll(name, " ", "?")+"*'")
	}
	if want.kind != "" {
		list, known := extensions[want.kind]
		if !known {
			list = searchable(want.kind)
		}
		if list == "" || strings.Contains(list, " ") {
			return nil, false
		}
		look = append(look, "-regextype", "posix-extended", "-iregex", `.*\.(`+list+`)`)
	}
	look = append(look, ages[want.age]...)
	return append(look, "-printf", found), want != fileWish{}
}

// filesOf returns the files that a look lists. A list that is cut is used as far as it goes.
func filesOf(f *diagnose.Facts, look machine.Probe) []machine.FoundFile {
	all, _ := machine.ParseFoundFiles([]byte(f.Output(look).Stdout)) // without files there are none
	return all
}

func newestFirst(a, b machine.FoundFile) int { return b.Modified.Compare(a.Modified) }

func fileRow(file machine.FoundFile) string {
	return file.Path + " · " + sizeText(file.Size) + " · " + file.Modified.Local().Format("2006-01-02 15:04")
}

func sizeText(bytes int64) string {
	for _, unit := range []struct {
		name  string
		bytes int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if bytes >= unit.bytes {
			return fmt.Sprintf("%.1f %s", float64(bytes)/float64(unit.bytes), unit.name)
		}
	}
	return fmt.Sprintf("%d B", bytes)
}

// find lists files by name, kind and age, the newest first. A single one can be opened.
func find(w Wish, f *diagnose.Facts) Outcome {
	look, ok := readFileWish(w.Object).probe()
	switch {
	case !ok:
		return says(i18n.DeskFindWhat)
	case !f.Know(look):
		return Outcome{}
	}
	all := filesOf(f, look)
	if len(all) == 0 {
		return says(i18n.DeskFindNothing)
	}
	sorting.Stably(all, newestFirst)
	out := says(i18n.DeskFindFound(len(all)))
	for _, file := range all[:min(len(all), maxShown)] {
		out.Rows = append(out.Rows, fileRow(file))
	}
	if len(all) == 1 {
		return out.with(detached(i18n.DeskOpen(all[0].Path), join("xdg-open", all[0].Path)))
	}
	return out
}

// withFile plans for the file that a wish names: by its path, or by a part of its name.
func (w Wish) withFile(f *diagnose.Facts, do func(file string) Outcome) Outcome {
	if strings.HasPrefix(w.Object, "/") || strings.HasPrefix(w.Object, "~/") {
		return do(path.Clean(w.Object))
	}
	look, ok := readFileWish(w.Object).probe()
	switch {
	case !ok:
		return says(i18n.DeskFindWhat)
	case !f.Know(look):
		return Outcome{}
	}
	all := filesOf(f, look)
	sorting.Stably(all, newestFirst)
	exact := filter(all, func(file machine.FoundFile) bool { return strings.EqualFold(path.Base(file.Path), w.Object) })
	switch {
	case len(exact) == 1:
		return do(exact[0].Path)
	case len(all) == 1:
		return do(all[0].Path)
	case len(all) == 0:
		return says(i18n.DeskFindNothing)
	}
	out := says(i18n.DeskFindFound(len(all)))
	for _, file := range all[:min(len(all), maxShown)] {
		out.Rows = append(out.Rows, fileRow(file))
	}
	return out.and(i18n.DeskWhich)
}

var oldProbe = machine.Probe{"find", "~", "-xdev", "-maxdepth", "7", "-type", "f", "-not", "-path", "'*/.*'", "-mtime", "+365", "-size", "+100k", "-printf", found}

// oldFiles lists the files that have not changed for the longest time.
func oldFiles(_ Wish, f *diagnose.Facts) Outcome {
	if !f.Know(oldProbe) {
		return Outcome{}
	}
	all := filesOf(f, oldProbe)
	if len(all) == 0 {
		return says(i18n.DeskOldNone)
	}
	sorting.Stably(all, func(a, b machine.FoundFile) int { return newestFirst(b, a) })
	out := says(i18n.DeskOld(len(all)))
	for _, file := range all[:min(len(all), maxShown)] {
		out.Rows = append(out.Rows, fileRow(file))
	}
	return out
}

var sizesProbe = machine.Probe{"find", "~", "-xdev", "-maxdepth", "7", "-type", "f", "-not", "-path", "'*/.*'", "-size", "+1M", "-printf", found}

// maxCompared bounds how many files are read to compare them.
const maxCompared = 60

// duplicates lists files with the same contents: those of the same size are compared by their sums.
func duplicates(_ Wish, f *diagnose.Facts) Outcome {
	if !f.Know(sizesProbe) {
		return Outcome{}
	}
	bySize := map[int64][]machine.FoundFile{}
	for _, file := range filesOf(f, sizesProbe) {
		if quote(file.Path) == file.Path || strings.Contains(file.Path, " ") && !strings.Contains(file.Path, "'") {
			bySize[file.Size] = append(bySize[file.Size], file)
		}
	}
	sums := machine.Probe{"sha256sum", "--"}
	var sizes []int64
	for size, same := range bySize {
		if len(same) > 1 {
			sizes = append(sizes, size)
		}
	}
	slices.Sort(sizes)
	for _, size := range slices.Backward(sizes) {
		for _, file := range bySize[size] {
			if len(sums) < maxCompared {
				sums = append(sums, file.Path)
			}
		}
	}
	if len(sums) < 4 {
		return says(i18n.DeskDuplicatesNone)
	}
	if !f.Know(sums) {
		return Outcome{}
	}
	groups, order := map[string][]string{}, []string{}
	for _, line := range machine.Lines(f.Output(sums).Stdout) {
		sum, file, ok := strings.Cut(line, "  ")
		if !ok || len(sum) != 64 {
			continue
		}
		if len(groups[sum]) == 0 {
			order = append(order, sum)
		}
		groups[sum] = append(groups[sum], file)
	}
	out := says(i18n.DeskDuplicates)
	for _, sum := range order {
		if len(groups[sum]) > 1 && len(out.Rows) < maxShown {
			out.Rows = append(out.Rows, strings.Join(groups[sum], " = "))
		}
	}
	if len(out.Rows) == 0 {
		return says(i18n.DeskDuplicatesNone)
	}
	return out
}

// trash shows what is in the trash, or empties it: gio(1).
func trash(w Wish, f *diagnose.Facts) Outcome {
	if !f.Know(machine.TrashProbe) {
		return Outcome{}
	}
	all := filesOf(f, machine.TrashProbe)
	if len(all) == 0 {
		return says(i18n.DeskTrashEmpty)
	}
	sorting.Stably(all, newestFirst)
	out := says(i18n.DeskTrashHas(len(all)))
	for _, file := range all[:min(len(all), maxShown)] {
		out.Rows = append(out.Rows, path.Base(file.Path))
	}
	if w.Act == "show" {
		return out
	}
	const empty = "find ~/.local/share/Trash/files -maxdepth 0 -empty"
	return out.and(i18n.DeskTrashLoses).with(diagnose.Run(i18n.DeskTrashDelete, "gio trash --empty", empty, "Trash/files", ""))
}

// pictureProbe lists the pictures of screens, which desktops name in the person's language.
func pictureProbe() machine.Probe {
	var names []string
	for _, lang := range []i18n.Lang{i18n.English, i18n.Korean, i18n.Chinese} {
		names = append(names, i18n.DeskShotName.In(lang))
	}
	return machine.Probe{
		"find", "~", "-xdev", "-maxdepth", "4", "-type", "f", "-not", "-path", "'*/.*'", "-regextype", "posix-extended",
		"-iregex", `.*/[^/]*(` + strings.Join(names, "|") + `)[^/]*\.(png|jpe?g|webp)`, "-printf", found,
	}
}

// screenshot takes a picture of the screen by the desktop's own program, or lists the pictures.
func screenshot(w Wish, f *diagnose.Facts) Outcome {
	if w.Act == "where" {
		if !f.Know(pictureProbe()) {
			return Outcome{}
		}
		all := filesOf(f, pictureProbe())
		if len(all) == 0 {
			return says(i18n.DeskShotNone)
		}
		sorting.Stably(all, newestFirst)
		out := says(i18n.DeskShotsAt(path.Dir(all[0].Path)))
		for _, file := range all[:min(len(all), 5)] {
			out.Rows = append(out.Rows, fileRow(file))
		}
		return out
	}
	if !f.Know(runsProbe, machine.UserDirsProbe, machine.StampProbe) {
		return Outcome{}
	}
	stamp := strings.TrimSpace(f.Stdout(machine.StampProbe))
	if stamp == "" || quote(stamp) != stamp {
		return says(i18n.DeskShotNone)
	}
	dir := machine.UserDir(f.Stdout(machine.UserDirsProbe), "PICTURES", "~/Pictures")
	exists := machine.FileProbe(quote(dir))
	if !f.Know(exists) {
		return Outcome{}
	}
	if f.Stdout(exists) == "" { // xdg-user-dirs did not run
		dir = "~"
	}
	file := quote(dir + "/screenshot-" + stamp + ".png")
	program, words := "grim", "grim "+file
	switch desktopOf(f) {
	case plasma:
		program, words = "spectacle", "spectacle -b -n -f -o "+file
	case gnome:
		program, words = "gnome-screenshot", "gnome-screenshot -f "+file
	case xfce:
		program, words = "xfce4-screenshooter", "xfce4-screenshooter -f -s "+file
	}
	has := machine.FileProbe("/usr/bin/" + program)
	if !f.Know(has) {
		return Outcome{}
	}
	if f.Stdout(has) == "" {
		return missing(program)
	}
	return Outcome{}.with(diagnose.Run(i18n.DeskShot, words, "ls "+file, "screenshot-", "rm "+file))
}

// printFile prints a file on the default printer: lp(1).
func printFile(w Wish, f *diagnose.Facts) Outcome {
	if !f.Know(machine.DefaultPrinterProbe) {
		return Outcome{}
	}
	if f.Output(machine.DefaultPrinterProbe).Missing != "" {
		return missing("lpstat")
	}
	_, printer, has := strings.Cut(strings.TrimSpace(f.Stdout(machine.DefaultPrinterProbe)), ": ")
	if !has {
		return says(i18n.DeskPrintNoPrinter)
	}
	return w.withFile(f, func(file string) Outcome {
		return Outcome{}.with(diagnose.Run(i18n.DeskPrint(path.Base(file), printer), join("lp", "--", file), "", "", ""))
	})
}

// clipboard copies a text. What is in it, which may be a password, is only shown at the terminal.
func clipboard(w Wish, f *diagnose.Facts) Outcome {
	wayland, x := machine.FileProbe("/usr/bin/wl-copy"), machine.FileProbe("/usr/bin/xclip")
	if !f.Know(machine.SessionTypeProbe, wayland, x) {
		return Outcome{}
	}
	isX := strings.TrimSpace(f.Stdout(machine.SessionTypeProbe)) == "x11"
	switch {
	case isX && f.Stdout(x) == "":
		return missing("xclip")
	case !isX && f.Stdout(wayland) == "":
		return missing("wl-copy")
	case w.Act == "show" && isX:
		return says(i18n.DeskClipboardShow("xclip -selection clipboard -o"))
	case w.Act == "show":
		return says(i18n.DeskClipboardShow("wl-paste"))
	case w.Object == "":
		return says(i18n.DeskClipboardWhat)
	case isX:
		return Outcome{}.with(detached(i18n.DeskClipboardCopy, join("sh", "-c", "printf %s "+quote(w.Object)+" | xclip -selection clipboard -loops 0 -quiet")))
	}
	return Outcome{}.with(detached(i18n.DeskClipboardCopy, join("wl-copy", "--foreground", "--", w.Object)))
}
