package discordapi

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
)

// maxRequest is the maximum size of a request.
const maxRequest = 64 << 20

// body is a request's body.
type body struct {
	Content    *string          `json:"content"`
	Components *[]row           `json:"components"`
	Mentions   *allowedMentions `json:"allowed_mentions"`
	Flags      int              `json:"flags"`
	Nonce      string           `json:"nonce"`
	Enforce    bool             `json:"enforce_nonce"`
	Recipient  string           `json:"recipient_id"`
	Reference  *reference       `json:"message_reference"`
	Type       int              `json:"type"` // of a response to an interaction
	Data       *body            `json:"data"`
	files      []*file
}

// allowedMentions says whom a message notifies (section "Allowed Mentions Object").
type allowedMentions struct {
	Parse   *[]string `json:"parse"`
	Users   []string  `json:"users"`
	Replied bool      `json:"replied_user"`
}

type reference struct {
	Type    int    `json:"type"`
	Message string `json:"message_id"`
	Channel string `json:"channel_id,omitempty"`
	Fail    *bool  `json:"fail_if_not_exists,omitempty"`
}

// row is an action row (section "Component Reference").
type row struct {
	Type       int      `json:"type"`
	Components []button `json:"components"`
}

type button struct {
	Type  int    `json:"type"`
	Style int    `json:"style"`
	Label string `json:"label"`
	ID    string `json:"custom_id"`
}

// parse reads a body that is JSON, or a form with files (section "Uploading Files").
func (b *body) parse(r *http.Request) error {
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	from := http.MaxBytesReader(nil, r.Body, maxRequest)
	if kind != "multipart/form-data" {
		err := json.NewDecoder(from).Decode(b)
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
	parts := multipart.NewReader(from, params["boundary"])
	for {
		p, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		data, err := io.ReadAll(p)
		if err != nil {
			return err
		}
		if p.FormName() == "payload_json" {
			if err := json.Unmarshal(data, b); err != nil {
				return err
			}
			continue
		}
		b.files = append(b.files, &file{name: p.FileName(), kind: p.Header.Get("Content-Type"), data: data})
	}
}
