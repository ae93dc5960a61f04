package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/test/browsertest"
)

// openPage opens the page of a desk in a browser, with a link that the command printed.
func (d *gatewayDesk) openPage() *browsertest.Tab {
	d.t.Helper()
	link := d.aictl("--lang", "en", "page", "--print")
	require.Regexp(d.t, `^http://`+d.address+`/page#[0-9a-f]{64}$`, link)
	tab := browsertest.New(d.t, "en")
	tab.Open(link)
	tab.Await(`document.getElementById("state").dataset.state === "connected"`)
	return tab
}

// say writes a message on the page, with the keyboard.
func say(tab *browsertest.Tab, text string) {
	tab.Run(chromedp.Focus("#message"), chromedp.SendKeys("#message", text))
	tab.Run(chromedp.Click("#send"))
}

const someQuestion = `document.querySelector("article") !== null && performance.now() - [...questions.values()][0].shownAt > guardTime`

func TestAPersonUsesTheDaemonOnThePage(t *testing.T) {
	t.Parallel()
	d := newGatewayDesk(t)
	d.token("first", "read") // without the service manager, a gateway starts only if somebody could connect
	d.startGateway()
	tab := d.openPage()

	file := filepath.Join(d.home, "made.txt")
	say(tab, "write "+file)
	tab.Await(someQuestion)
	require.Contains(t, browsertest.Evaluate[string](tab, `document.querySelector("article .literal").textContent`), file)
	require.NoFileExists(t, file)
	tab.Run(chromedp.Focus("article button.main"), chromedp.KeyEvent(kb.Enter))
	tab.Await(`document.querySelector('#log li[data-state="answered"]') !== null`)
	require.FileExists(t, file)

	// The change is listed, on the page and by the command, and taken back with its own question.
	tab.Await(`document.querySelector("#changes button") !== null`)
	change := browsertest.Evaluate[string](tab, `document.querySelector("#changes button").dataset.change`)
	var listed []struct{ ID, Channel string }
	require.NoError(t, json.Unmarshal([]byte(d.aictl("changes", "--json")), &listed))
	require.Equal(t, change, listed[0].ID)
	require.Equal(t, "gateway", listed[0].Channel)
	tab.Run(chromedp.Click("#changes button"))
	tab.Await(someQuestion)
	require.FileExists(t, file)
	tab.Run(chromedp.Click("article button.main"))
	tab.Await(`document.querySelectorAll('#log li[data-state="answered"]').length === 2`)
	require.NoFileExists(t, file)
	tab.Await(`document.querySelector("#changes button") === null && document.querySelectorAll("#changes li").length === 2`)

	// The daemon measured today, and says so.
	tab.Await(`document.querySelectorAll("#health figure").length >= 4`)
	require.Contains(t, browsertest.Evaluate[string](tab, `document.getElementById("health").innerText`), "in use now")
	require.FileExists(t, filepath.Join(d.home, ".config/blunux-ai/figures.jsonl"))

	// The session is listed and revoked like a token.
	names := d.aictl("gateway", "token", "list")
	require.Contains(t, names, "page-")
	name, _, _ := strings.Cut(names[strings.Index(names, "page-"):], " ")
	d.aictl("gateway", "token", "remove", name)
	tab.Await(`!document.getElementById("closed").hidden`)
	require.Contains(t, browsertest.Evaluate[string](tab, `document.getElementById("closed").innerText`), "blunux-aictl page")
}

func TestAPageWhoseGatewayIsKilledSaysWhatBecameOfItsQuestion(t *testing.T) {
	t.Parallel()
	d := newGatewayDesk(t)
	d.token("first", "read")
	d.startGateway()
	tab := d.openPage()
	file := filepath.Join(d.home, "made")
	say(tab, "run touch "+file)
	tab.Await(someQuestion)
	code := browsertest.Evaluate[string](tab, `document.querySelector("article").dataset.id`)
	d.killGateway()
	tab.Await(`document.getElementById("state").dataset.state === "lost" && document.querySelector("article button.main").disabled`)
	d.startGateway()
	tab.Await(`document.getElementById("state").dataset.state === "connected"`)
	tab.Await(`document.querySelector("article") === null && document.getElementById("log").textContent.includes("` + code + ` ended while the connection was lost")`)
	tab.Await(`document.querySelector('#log li[data-state="answered"]') !== null`) // its message is answered after all
	_, err := os.Stat(file)
	require.ErrorIs(t, err, os.ErrNotExist, "a question that nobody answered is a no")
	say(tab, "hello")
	tab.Await(`document.getElementById("log").textContent.includes("heard: hello")`)
}

func TestTheBrowsersArgumentsDoNotHaveTheLinksCode(t *testing.T) {
	t.Parallel()
	d := newGatewayDesk(t)
	d.token("first", "read")
	d.startGateway()
	bin := t.TempDir()
	given := filepath.Join(bin, "given")
	require.NoError(t, os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\necho \"$@\" >"+given+"\nstat -c %a \"$1\" >>"+given+"\n"), 0o755))
	cmd := exec.Command(filepath.Join(binaries, "blunux-aictl"), "page")
	cmd.Env = append(slices.Clone(d.env), "DISPLAY=:9", "PATH="+bin+":"+os.Getenv("PATH"))
	printed, err := cmd.Output()
	require.NoError(t, err)
	_, code, _ := strings.Cut(strings.TrimSpace(string(printed)), "#")
	require.Len(t, code, 64)
	text, err := os.ReadFile(given)
	require.NoError(t, err)
	file, mode, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	require.NotContains(t, file, code)
	require.Equal(t, "600", mode)
	tab := browsertest.New(t, "en")
	tab.Open("file://" + file)
	tab.Await(`document.getElementById("state").dataset.state === "connected"`)
	require.NoFileExists(t, file)
}
