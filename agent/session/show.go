package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// View is a page of a conversation.
type View struct {
	Info
	Page  int `json:"page"`
	Pages int `json:"pages"`
}

// Show calls visit with the entries of a page of a conversation in order. Page 1 is the latest. It reads the
// file from the beginning in bounded memory. It fails with [ErrUnknown] if there is none.
func (s *Store) Show(key string, page, limit int, visit func(Entry)) (View, error) {
	f, size, err := s.openReading(key)
	if err != nil {
		return View{}, err
	}
	defer f.Close()
	v := View{Page: max(page, 1)}
	n, total, err := 0, 0, error(nil)
	v.Health, err = walk(io.NewSectionReader(f, 0, size), func(e Entry) error {
		total++
		n += e.messageCount()
		if title := e.title(); title != "" {
			v.Title = title
		}
		return nil
	})
	if err != nil {
		return v, fmt.Errorf("cannot read the conversation: %w", err)
	}
	s.recordDamage(key, v.Damaged)
	fi, err := f.Stat()
	if err != nil {
		return v, fmt.Errorf("cannot read the conversation: %w", err)
	}
	v.Key, v.Modified, v.Bytes, v.Messages = key, fi.ModTime(), size, &n
	v.Pages = max((total+limit-1)/limit, 1)
	v.Page = min(v.Page, v.Pages)
	return v, visitRange(io.NewSectionReader(f, 0, size), total-v.Page*limit, total-(v.Page-1)*limit, visit)
}

// visitRange visits the entries from index first to index last-1.
func visitRange(r *io.SectionReader, first, last int, visit func(Entry)) error {
	i := 0
	_, err := walk(r, func(e Entry) error {
		if i >= last {
			return errEnough
		}
		if i >= first {
			if e.Content == "" && e.Message != nil {
				e.Content = contentOf(*e.Message) // written by an older version
			}
			visit(e)
		}
		i++
		return nil
	})
	if err != nil {
		return fmt.Errorf("cannot read the conversation: %w", err)
	}
	return nil
}

// Read returns at most n bytes of a conversation's file from an offset, and the file's size. It returns no
// bytes at the end. It fails with [ErrUnknown] if there is none.
func (s *Store) Read(key string, offset int64, n int) (data []byte, size int64, err error) {
	f, size, err := s.openReading(key)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	data = make([]byte, max(min(int64(n), size-offset), 0))
	if _, err := f.ReadAt(data, max(offset, 0)); err != nil && !errors.Is(err, io.EOF) {
		return nil, size, fmt.Errorf("cannot read the conversation: %w", err)
	}
	return data, size, nil
}

// Info describes a conversation after reading the whole file. It fails with [ErrUnknown] if there is none.
func (s *Store) Info(key string) (Info, error) {
	v, err := s.Show(key, 1, 1, func(Entry) {})
	return v.Info, err
}

// openFound opens a file found in the directory.
func (s *Store) openFound(at conversationFile) (*os.File, error) {
	return open(filepath.Join(s.dir, at.name), os.O_RDONLY)
}
