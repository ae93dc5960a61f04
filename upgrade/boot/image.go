package boot

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"

	"github.com/nidoit/blunux-ai/machine"
)

// contents is what an image has: the kernel releases that it has modules of.
type contents struct{ releases map[string]bool }

// errFormat reports a compression that is not known here.
var errFormat = errors.New("unknown compression")

// readImage reads an image to its end: archives in cpio's format "newc", one after the other, the last one usually
// compressed (Linux, Documentation/driver-api/early-userspace/buffer-format.rst). The error is [errCut] if it is
// incomplete or damaged, and [errFormat] if its compression is not known.
func readImage(ctx context.Context, r io.Reader) (contents, error) {
	c := contents{map[string]bool{}}
	in := bufio.NewReaderSize(&untilDone{ctx, r}, 1<<16)
	for n := 0; ; n++ {
		if err := skipZeros(in); errors.Is(err, io.EOF) {
			if n == 0 {
				return c, errCut
			}
			return c, ctx.Err()
		}
		head, err := in.Peek(6)
		if err != nil {
			return c, errCut
		}
		if !isArchive(head) {
			return c, c.readPacked(ctx, in, head)
		}
		if err := c.readArchive(in); err != nil {
			return c, errors.Join(ctx.Err(), err)
		}
	}
}

// untilDone is a reader that ends with its context.
type untilDone struct {
	ctx context.Context
	io.Reader
}

func (u *untilDone) Read(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.Reader.Read(b)
}

func isArchive(head []byte) bool {
	return bytes.Equal(head, []byte("070701")) || bytes.Equal(head, []byte("070702"))
}

// readPacked reads a compressed archive to its end.
func (c contents) readPacked(ctx context.Context, in io.Reader, head []byte) error {
	plain, end, err := decompress(in, head)
	if err != nil {
		return err
	}
	defer end()
	const most = 4 << 30 // bytes; whole images have some hundred MiB
	out := bufio.NewReaderSize(io.LimitReader(plain, most), 1<<16)
	for {
		if err := skipZeros(out); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return errors.Join(ctx.Err(), errCut)
		}
		if err := c.readArchive(out); err != nil {
			return errors.Join(ctx.Err(), err)
		}
	}
}

// decompress returns the content of a compressed stream, by its first bytes: Linux, lib/decompress.c.
func decompress(in io.Reader, head []byte) (plain io.Reader, end func(), err error) {
	none := func() {}
	switch {
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
		if err != nil {
			return nil, nil, errCut
		}
		return d, d.Close, nil
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		plain, err = gzip.NewReader(in)
	case bytes.HasPrefix(head, []byte("\xfd7zXZ")):
		plain, err = xz.NewReader(in)
	case bytes.HasPrefix(head, []byte("BZh")):
		plain = bzip2.NewReader(in)
	case bytes.HasPrefix(head, []byte{0x02, 0x21, 0x4c, 0x18}), bytes.HasPrefix(head, []byte{0x04, 0x22, 0x4d, 0x18}):
		plain = lz4.NewReader(in)
	default:
		return nil, nil, errFormat
	}
	if err != nil {
		return nil, nil, errCut
	}
	return plain, none, nil
}

// skipZeros skips the padding between archives. It returns [io.EOF] at the end.
func skipZeros(in *bufio.Reader) error {
	for {
		b, err := in.ReadByte()
		if err != nil {
			return err
		}
		if b != 0 {
			return in.UnreadByte()
		}
	}
}

// readArchive reads one archive to its trailer: cpio(5), "New ASCII Format".
func (c contents) readArchive(in *bufio.Reader) error {
	const trailer, limit = "TRAILER!!!", 4096
	head := make([]byte, 110)
	for {
		if _, err := io.ReadFull(in, head); err != nil || !isArchive(head[:6]) {
			return errCut
		}
		size, bad := strconv.ParseUint(string(head[54:62]), 16, 32)
		length, worse := strconv.ParseUint(string(head[94:102]), 16, 32)
		if bad != nil || worse != nil || length == 0 || length > limit {
			return errCut
		}
		name := make([]byte, padded(110+length)-110)
		if _, err := io.ReadFull(in, name); err != nil {
			return errCut
		}
		file := string(name[:length-1])
		if _, err := io.CopyN(io.Discard, in, int64(padded(size))); err != nil {
			return errCut
		}
		if file == trailer {
			return nil
		}
		c.note(file)
	}
}

func padded(n uint64) uint64 { return (n + 3) &^ 3 }

// note keeps the release of a file of modules.
func (c contents) note(file string) {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(strings.TrimPrefix(file, "./"), "usr/"), "lib/modules/")
	if release, inner, _ := strings.Cut(rest, "/"); ok && inner != "" {
		c.releases[release] = true
	}
}

// checkImages checks the images of an entry, of which one must have the modules of its kernel.
func (t *tree) checkImages(ctx context.Context, e machine.BootEntry) error {
	if len(e.Images) == 0 {
		t.add(weight(e), machine.ImageMissing, e.Kernel, "", e.File)
		return nil
	}
	found, all := contents{map[string]bool{}}, true
	main := ""
	for _, name := range e.Images {
		if !isMicrocode(name) {
			main = name
		}
		some, known, err := t.checkImage(ctx, e, name)
		if err != nil {
			return err
		}
		all = all && known
		for release := range some.releases {
			found.releases[release] = true
		}
	}
	if all && main != "" && e.Release != "" && !found.releases[e.Release] && t.exists(path.Join(modules, e.Release)) {
		t.add(weight(e), machine.ImageOther, main, e.Release, e.File)
	}
	return nil
}

func isMicrocode(name string) bool { return strings.HasSuffix(path.Base(name), "-ucode.img") }

// checkImage reads an image. known reports that its contents are known.
func (t *tree) checkImage(ctx context.Context, e machine.BootEntry, name string) (c contents, known bool, err error) {
	file, err := os.Open(t.at(name))
	if err != nil {
		t.missing(name, err, e)
		return c, false, nil
	}
	defer file.Close()
	c, err = readImage(ctx, file)
	switch {
	case ctx.Err() != nil:
		return c, false, ctx.Err()
	case errors.Is(err, errCut):
		t.add(weight(e), machine.ImageCut, name, "", e.File)
	case errors.Is(err, errFormat) && t.isOlder(name, e.Kernel):
		t.add(weight(e), machine.ImageOld, name, "", e.File)
	case err != nil:
		t.add(machine.BootNote, machine.BootUnreadable, name, err.Error(), e.File)
	default:
		return c, true, nil
	}
	return c, false, nil
}

// smallShare is the part of the size of another image of its kind below which an image looks as if it lacks something: what
// differs between kernels with the same hooks is the size of their modules.
const smallShare = 4

// checkSizes compares the images of all kernels, those for a start with all drivers among themselves. An image that is whole
// can still lack a hook, which shows in its size only.
func (t *tree) checkSizes(entries []machine.BootEntry) {
	sizeOf, largest := map[string]int64{}, map[string]int64{}
	for _, e := range entries {
		for _, image := range imagesOf(e) {
			if info, err := os.Stat(t.at(image)); err == nil {
				sizeOf[image] = info.Size()
				largest[imageKind(image)] = max(largest[imageKind(image)], info.Size())
			}
		}
	}
	for _, e := range entries {
		weight := machine.BootUnknown
		if e.Spare {
			weight = machine.BootNote
		}
		for _, image := range imagesOf(e) {
			if size, other := sizeOf[image], largest[imageKind(image)]; size > 0 && size*smallShare < other {
				t.add(weight, machine.ImageSmall, image, sizes(size, other), e.File)
			}
		}
	}
}

// imagesOf returns the images of an entry without microcode: of a unified image itself.
func imagesOf(e machine.BootEntry) []string {
	if isUnified(e) {
		return []string{e.Kernel}
	}
	return slices.DeleteFunc(slices.Clone(e.Images), isMicrocode)
}

// imageKind returns what decides the size of an image: whether it has all drivers, mkinitcpio(8), -S, and a kernel.
func imageKind(image string) string {
	kind := path.Ext(image)
	if strings.Contains(path.Base(image), "fallback") {
		kind += " fallback"
	}
	return kind
}

// isOlder reports whether a file is older than another one. File systems of partitions for booting count in steps of 2 s.
func (t *tree) isOlder(name, than string) bool {
	a, errA := os.Stat(t.at(name))
	b, errB := os.Stat(t.at(than))
	return errA == nil && errB == nil && a.ModTime().Before(b.ModTime().Add(-2*time.Second))
}

func sizes(a, b int64) string { return fmt.Sprint(a, " ", b) }
