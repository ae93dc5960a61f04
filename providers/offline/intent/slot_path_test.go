package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAFolderIsSearchedByTheNameItHas in any script.
func TestAFolderIsSearchedByTheNameItHas(t *testing.T) {
	for request, path := range map[string]string{
		"~/없는폴더에서 제일 큰 파일": "~/없는폴더", "~/문서/2024년에서 제일 큰 파일 뭐야": "~/문서/2024년", "/srv/자료/2024에서 큰 파일": "/srv/자료/2024", "~/사진안에서 제일 큰 파일": "~/사진", "~/문서의 큰 파일": "~/문서", "~/ 에서 제일 큰 파일": "~", "~/Downloads/에서 큰 파일": "~/Downloads",
		"~/Downloads에서 제일 큰 파일": "~/Downloads", "~/下载里最大的文件是什么": "~/下载", "biggest file in ~/nofolder": "~/nofolder", "biggest file in Downloads": "~/Downloads", "biggest folder in Documents": "~/Documents",
	} {
		p := BuiltIn().Understand(request, Context{})
		require.Equal(t, []Step{Call("find_large", "path", path)}, p.Steps, "%s: %s", request, p.Why())
		require.Equal(t, []string{"folder"}, p.Diagnoses, request)
	}
}
