package e2e

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// newReader returns a machine with a model that opens addresses, and the address of a server that the settings let it
// reach.
func newReader(t *testing.T, handle http.HandlerFunc) (d *machine, address string) {
	t.Helper()
	address, stop, err := serve(handle)
	require.NoError(t, err)
	t.Cleanup(stop)
	d = newMachine(t, webPlot)
	d.write("config.toml", strings.ReplaceAll(webConfig, "HOME", d.home)+fmt.Sprintf("lan_hosts = [%q]\n", strings.TrimPrefix(address, "http://")))
	return d, address
}

// TestPagesOfEachEncodingReachTheAnswer: with the name of the encoding, without it, and with a wrong one.
func TestPagesOfEachEncodingReachTheAnswer(t *testing.T) {
	t.Parallel()
	texts := map[string]struct {
		enc  encoding.Encoding
		text string
	}{
		"euc-kr":    {korean.EUCKR, "아치 리눅스를 설치하는 방법을 설명합니다. 시스템을 갱신하려면 다음 명령을 실행하세요."},
		"gb18030":   {simplifiedchinese.GB18030, "本页介绍如何安装系统。请先更新软件包数据库，然后运行下面的命令。如果出现错误，请查看日志。"},
		"shift_jis": {japanese.ShiftJIS, "このページではシステムのインストール方法を説明します。次のコマンドを実行してください。"},
	}
	d, address := newReader(t, func(w http.ResponseWriter, r *http.Request) {
		page, says, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		w.Header().Set("Content-Type", "text/html")
		if says != "" {
			w.Header().Set("Content-Type", "text/html; charset="+says)
		}
		data, err := texts[page].enc.NewEncoder().String("<title>" + texts[page].text + "</title><p>" + texts[page].text)
		if err == nil {
			_, _ = w.Write([]byte(data))
		}
	})
	for name, v := range texts {
		for _, says := range []string{name, "", "utf-8", "iso-8859-1"} {
			out := d.read(address + "/" + name + "/" + says)
			require.Contains(t, out, "encoding: "+name+"\ntitle: "+v.text+"\n\n"+v.text+"\n", "as %q", says)
		}
	}
}

// helperOf returns the process of a daemon's program that makes web requests, or 0.
func helperOf(daemon int) int {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is valid
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(line), "blunux-ai-extra\x00web\x00") {
			continue
		}
		status, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "status")) // "" if it ended
		if strings.Contains(string(status), fmt.Sprintf("\nPPid:\t%d\n", daemon)) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			return pid
		}
	}
	return 0
}

// TestAKillDuringADownloadLeavesNothing: neither of the program that writes the file, nor of the daemon. No file is
// overwritten.
func TestAKillDuringADownloadLeavesNothing(t *testing.T) {
	t.Parallel()
	half := make(chan struct{})
	d, address := newReader(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("first half ", 1<<16))
		if r.URL.Path == "/half" {
			_ = http.NewResponseController(w).Flush()
			half <- struct{}{}
			<-r.Context().Done()
		}
	})
	downloads := filepath.Join(d.home, "Downloads")
	require.NoError(t, os.Mkdir(downloads, 0o755))
	require.NoError(t, os.WriteFile(downloads+"/file", []byte("mine"), 0o600))
	names := func() (all []string) {
		entries, err := os.ReadDir(downloads)
		require.NoError(t, err)
		for _, e := range entries {
			all = append(all, e.Name())
		}
		return all
	}
	daemon := d.start()
	interrupted := func(kill func(helper int) error) string {
		killed := make(chan error, 1)
		go func() {
			<-half
			helper := helperOf(daemon)
			err := errors.New("no program makes the request")
			if helper != 0 {
				err = kill(helper)
				awaitGone(helper)
			}
			killed <- err
		}()
		out := d.run([]string{"y"}, "ask", "get "+address+"/half")
		require.NoError(t, <-killed)
		return out
	}
	require.NotContains(t, interrupted(func(helper int) error { return syscall.Kill(helper, syscall.SIGKILL) }), "sha256")
	require.Equal(t, []string{"file"}, names())
	require.Contains(t, d.run([]string{"y"}, "ask", "get "+address+"/whole"), "saved: "+downloads+"/file-1")
	interrupted(func(int) error { return syscall.Kill(daemon, syscall.SIGKILL) })
	require.Equal(t, []string{"file", "file-1"}, names())
	text, err := os.ReadFile(downloads + "/file")
	require.NoError(t, err)
	require.Equal(t, "mine", string(text))
}
