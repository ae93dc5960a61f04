package e2e

import (
	"fmt"
	"net/http"
	"strings"
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
