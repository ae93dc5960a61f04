package charset_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/internal/charset"
)

var korean = []string{
	"안녕하세요", "# 설정 파일\n포트=8080\n", "한글 문서입니다. 이 파일은 오래된 인코딩으로 저장되어 있습니다.", "김밥", "회의록", "똠방각하 펲시콜라", "매출 현황표 (단위: 천원)",
	"이름,나이,주소\n홍길동,31,서울시 강남구\n", "大韓民國 헌법 제1조", "오류: 디스크 공간이 부족합니다",
}

var chinese = []string{
	"你好", "# 配置文件\n端口=8080\n", "这是一个旧编码的文本文件。", "会议记录", "姓名,年龄,地址\n王小明,31,北京市海淀区\n", "错误：磁盘空间不足", "饺子", "繁體字也可以",
	"设置完成后请重新启动计算机", "销售情况表（单位：千元）",
}

func TestKoreanAndChineseFilesAreToldApart(t *testing.T) {
	for in, texts := range map[charset.Encoding][]string{charset.EUCKR: korean, charset.GB18030: chinese} {
		for _, text := range texts {
			data, err := charset.Encode(text, in)
			require.NoError(t, err, text)
			got, found, err := charset.Decode(data)
			require.NoError(t, err, text)
			require.Equal(t, in, found, text)
			require.Equal(t, text, got)
		}
	}
}

// TestTheEncodingsAreThoseOfIconv compares with the C library's converter.
func TestTheEncodingsAreThoseOfIconv(t *testing.T) {
	iconv, err := exec.LookPath("iconv")
	require.NoError(t, err)
	for name, texts := range map[string][]string{"CP949": korean, "GB18030": chinese} {
		for _, text := range texts {
			cmd := exec.Command(iconv, "-f", "UTF-8", "-t", name)
			cmd.Stdin = strings.NewReader(text)
			data, err := cmd.Output()
			require.NoError(t, err, text)
			got, _, err := charset.Decode(data)
			require.NoError(t, err, text)
			require.Equal(t, text, got)
		}
	}
}

func TestBinaryFilesAreNoText(t *testing.T) {
	for _, data := range []string{"\x7fELF\x02\x01\x01\x00", "\xff\xd8\xff\xe0\x01\x02JFIF", "\x89PNG\r\n\x1a\n\xff\xff", "caf\xe9\n", "\xb0\xa1\x80"} {
		_, _, err := charset.Decode([]byte(data))
		require.ErrorIs(t, err, charset.ErrNoText, "%q", data)
	}
	text, in, err := charset.Decode([]byte("plain 한글 中文\n"))
	require.NoError(t, err)
	require.Equal(t, charset.UTF8, in)
	require.Equal(t, "plain 한글 中文\n", text)
	_, err = charset.Encode("😀", charset.EUCKR)
	require.ErrorContains(t, err, "cannot write the text in EUC-KR")
}

// TestWhatIsReadCanBeWrittenBack: an edit of another line must not change a byte of the rest.
func TestWhatIsReadCanBeWrittenBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "data")
		text, in, err := charset.Decode(data)
		if err != nil {
			return
		}
		back, err := charset.Encode(text, in)
		require.NoError(t, err)
		require.Equal(t, string(data), string(back))
	})
}
