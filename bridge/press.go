package bridge

import (
	"encoding/base64"
	"encoding/hex"
	"strings"

	"github.com/nidoit/blunux-ai/ipc"
)

const digestHead = "sha256:"

// EncodePress encodes a button's action, code and full digest in at most most bytes. ok is false if they do not fit or
// are invalid. Then the person must answer with a message.
func EncodePress(b Button, most int) (data string, ok bool) {
	if b.Action == ipc.ActionUndo && b.Digest == "" && isWord(b.Code) {
		data = b.Action + "|" + b.Code
		return data, len(data) <= most
	}
	sum, err := hex.DecodeString(strings.TrimPrefix(b.Digest, digestHead))
	if err != nil || len(sum) != 32 || !strings.HasPrefix(b.Digest, digestHead) || !isWord(b.Action) || !isWord(b.Code) {
		return "", false
	}
	data = b.Action + "|" + b.Code + "|" + base64.RawURLEncoding.EncodeToString(sum)
	return data, len(data) <= most
}

// DecodePress decodes a button's data, which the client may have forged.
func DecodePress(data string, most int) (*Press, bool) {
	parts := strings.Split(data, "|")
	if len(data) <= most && len(parts) == 2 && parts[0] == ipc.ActionUndo && isWord(parts[1]) {
		return &Press{Action: parts[0], Code: parts[1]}, true
	}
	if len(data) > most || len(parts) != 3 || !isWord(parts[0]) || !isWord(parts[1]) {
		return nil, false
	}
	sum, err := base64.RawURLEncoding.Strict().DecodeString(parts[2])
	if err != nil || len(sum) != 32 {
		return nil, false
	}
	return &Press{Action: parts[0], Code: parts[1], Digest: digestHead + hex.EncodeToString(sum)}, true
}

// isWord reports whether s is a valid action or code.
func isWord(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) < 0
}
