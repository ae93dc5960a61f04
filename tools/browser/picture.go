package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// maxPictures bounds the pictures of pages that are kept.
const maxPictures = 50

// Save stores a picture of a page for the person and returns its path. It removes the oldest ones.
func (b *Browser) Save(picture []byte, at time.Time) (string, error) {
	ending := ".png"
	if len(picture) > 0 && picture[0] == 0xff { // JPEG
		ending = ".jpg"
	}
	if err := os.MkdirAll(b.Pictures, 0o700); err != nil {
		return "", fmt.Errorf("cannot store the picture: %w", err)
	}
	old, err := filepath.Glob(filepath.Join(b.Pictures, "page-*"))
	if err != nil {
		return "", err
	}
	slices.Sort(old)
	for len(old) >= maxPictures {
		_ = os.Remove(old[0]) // one more than that is no harm
		old = old[1:]
	}
	path := filepath.Join(b.Pictures, "page-"+at.Format("20060102-150405.000")+ending)
	if err := os.WriteFile(path, picture, 0o600); err != nil {
		return "", fmt.Errorf("cannot store the picture: %w", err)
	}
	return path, nil
}
