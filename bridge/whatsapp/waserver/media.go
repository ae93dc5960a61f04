package waserver

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"go.mau.fi/whatsmeow"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/util/cbcutil"
	"google.golang.org/protobuf/proto"

	"github.com/nidoit/blunux-ai/test/channeltest"
)

// mediaHosts returns the hosts of files.
func mediaHosts() []waBinary.Node {
	return []waBinary.Node{{
		Tag:     "media_conn",
		Attrs:   waBinary.Attrs{"auth": "a", "ttl": 3600, "auth_ttl": 3600, "max_buckets": 1},
		Content: []waBinary.Node{{Tag: "host", Attrs: waBinary.Attrs{"hostname": "mmg.whatsapp.net"}}},
	}}
}

// serveMedia stores and serves encrypted files.
func (s *Server) serveMedia(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		s.takeMedia(w, r)
		return
	}
	s.mu.Lock()
	data, ok := s.media[r.URL.Path]
	length, lies := s.wrongLengths[r.URL.Path]
	s.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	if lies {
		w.Header().Set("Content-Length", strconv.FormatInt(length, 10))
	}
	_, _ = w.Write(data)
}

func (s *Server) takeMedia(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		return
	}
	path := "/v/" + r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	s.mu.Lock()
	s.media[path] = data
	s.mu.Unlock()
	_ = json.NewEncoder(w).Encode(map[string]string{"url": "https://mmg.whatsapp.net" + path, "direct_path": path + "?x=1"})
}

// mediaKeys are the keys that encrypt and sign a file.
type mediaKeys struct{ iv, cipher, mac []byte }

func keysOf(key []byte, kind whatsmeow.MediaType) (mediaKeys, error) {
	out, err := hkdf.Key(sha256.New, key, nil, string(kind), 112)
	if err != nil {
		return mediaKeys{}, err
	}
	return mediaKeys{iv: out[:16], cipher: out[16:48], mac: out[48:80]}, nil
}

func (k mediaKeys) sum(sealed []byte) []byte {
	h := hmac.New(sha256.New, k.mac)
	h.Write(k.iv)
	h.Write(sealed)
	return h.Sum(nil)[:10]
}

// fetch returns the content of a document that the bridge sent.
func (s *Server) fetch(d *waE2E.DocumentMessage) ([]byte, error) {
	path, _, _ := strings.Cut(d.GetDirectPath(), "?")
	sealed := s.media[path]
	k, err := keysOf(d.GetMediaKey(), whatsmeow.MediaDocument)
	if err != nil || len(sealed) < 10 {
		return nil, errors.New("file not found")
	}
	body, mac := sealed[:len(sealed)-10], sealed[len(sealed)-10:]
	if !hmac.Equal(k.sum(body), mac) {
		return nil, errors.New("wrong signature")
	}
	plain, err := cbcutil.Decrypt(k.cipher, k.iv, bytes.Clone(body))
	sum := sha256.Sum256(plain)
	if err == nil && (!bytes.Equal(sum[:], d.GetFileSHA256()) || d.GetFileLength() != uint64(len(plain))) {
		err = errors.New("wrong content hash")
	}
	return plain, err
}

// attach stores a file and returns the message that refers to it.
func (s *Server) attach(caption string, f *channeltest.PersonFile) *waE2E.Message {
	kind := whatsmeow.MediaDocument
	image := strings.HasPrefix(f.Type, "image/") && f.Type != "image/webp"
	if image {
		kind = whatsmeow.MediaImage
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	k, err := keysOf(key, kind)
	if err != nil {
		panic(err)
	}
	sealed, err := cbcutil.Encrypt(k.cipher, k.iv, bytes.Clone(f.Data))
	if err != nil {
		panic(err)
	}
	sealed = append(sealed, k.sum(sealed)...)
	plainSum, sealedSum := sha256.Sum256(f.Data), sha256.Sum256(sealed)
	length := uint64(len(f.Data))
	if f.Claims != 0 {
		length = uint64(f.Claims)
	}
	s.mu.Lock()
	path := "/v/sent-" + strconv.Itoa(len(s.media))
	s.media[path] = sealed
	s.mu.Unlock()
	path += "?x=1"
	switch {
	case image:
		return &waE2E.Message{ImageMessage: &waE2E.ImageMessage{
			Caption: &caption, Mimetype: &f.Type, DirectPath: &path, MediaKey: key, FileSHA256: plainSum[:], FileEncSHA256: sealedSum[:], FileLength: &length,
		}}
	case strings.HasPrefix(f.Type, "audio/"):
		return &waE2E.Message{AudioMessage: &waE2E.AudioMessage{Mimetype: &f.Type, DirectPath: &path, MediaKey: key, FileLength: &length, PTT: proto.Bool(true)}}
	case f.Type == "image/webp":
		return &waE2E.Message{StickerMessage: &waE2E.StickerMessage{Mimetype: &f.Type, DirectPath: &path, MediaKey: key, FileLength: &length}}
	}
	return &waE2E.Message{DocumentMessage: &waE2E.DocumentMessage{
		Caption: &caption, FileName: &f.Name, Mimetype: &f.Type, DirectPath: &path, MediaKey: key, FileSHA256: plainSum[:], FileEncSHA256: sealedSum[:], FileLength: &length,
	}}
}
