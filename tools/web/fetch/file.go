package fetch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/tools/web"
)

// maxTaken is how many numbers are tried behind a name that is taken.
const maxTaken = 100

// save writes an answer to a new file of the request's directory. It replaces no file, follows no link out of the
// directory, and the file is not executable. What failed halfway, or was killed, leaves nothing ([draft]).
func save(body io.Reader, q web.Request, a *web.Answer) error {
	if err := os.MkdirAll(q.Dir, 0o755); err != nil {
		return fileError(err)
	}
	root, err := os.OpenRoot(q.Dir)
	if err != nil {
		return fileError(err)
	}
	defer root.Close()
	f, err := newDraft(root)
	if err != nil {
		return fileError(err)
	}
	defer f.Close()
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(f, sum), io.LimitReader(body, web.MaxDownload+1))
	if err == nil && size > web.MaxDownload {
		err = web.Fail(web.CodeTooLarge, fmt.Sprintf("the file is larger than %d GiB", web.MaxDownload>>30))
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		if errors.As(err, new(*fs.PathError)) {
			return fileError(err)
		}
		return err
	}
	name, err := publish(f, q.Name)
	if err != nil {
		return fileError(err)
	}
	a.Path, a.Size, a.SHA256 = filepath.Join(q.Dir, name), size, hex.EncodeToString(sum.Sum(nil))
	return nil
}

// publish gives a file its name, or that name with a number if it is taken.
func publish(f *draft, name string) (string, error) {
	ext := filepath.Ext(name)
	base := strings.TrimSuffix(name, ext)
	for n := range maxTaken {
		if n > 0 {
			name = base + "-" + strconv.Itoa(n) + ext
		}
		if err := f.publish(name); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
	return "", fs.ErrExist
}

func fileError(err error) error {
	return web.Fail(web.CodeFile, "the file cannot be written: "+err.Error())
}
