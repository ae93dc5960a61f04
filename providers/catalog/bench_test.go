package catalog_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/test/providertest"
)

// recorder is a transport that records the last request's body and address.
type recorder struct {
	url  string
	body []byte
	head http.Header
}

func (t *recorder) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	t.url, t.body, t.head = r.URL.String(), body, r.Header.Clone()
	r.Body = io.NopCloser(bytes.NewReader(body))
	return http.DefaultTransport.RoundTrip(r)
}

// BenchmarkRound measures the overhead of a dialect over a bare client that sends the same bytes and reads the
// same answer, and how much later its first text arrives.
func BenchmarkRound(b *testing.B) {
	script := func(int, providertest.Request) providertest.Reply {
		return providertest.Reply{Text: strings.SplitAfter(strings.Repeat("The disk is almost full, and the largest files are in the cache. ", 8), " ")}
	}
	for _, d := range []struct {
		provider string
		serve    func(testing.TB, providertest.Script) *providertest.Server
	}{
		{"claude", providertest.Anthropic}, {"openai", providertest.ChatCompletions}, {"gemini", providertest.Gemini},
	} {
		b.Run(d.provider, func(b *testing.B) {
			server := d.serve(b, script)
			tape := &recorder{}
			m, err := catalog.Build(catalog.Spec{
				Provider: d.provider, BaseURL: server.URL, HTTPClient: &http.Client{Transport: tape},
				Key: func(catalog.KeyNames) (string, error) { return providertest.Key, nil },
			})
			if err != nil {
				b.Fatal(err)
			}
			var ours, bare, first, bareFirst time.Duration
			for b.Loop() {
				took, until := timeModel(b, m)
				ours, first = ours+took, first+until
				took, until = timeBare(b, tape)
				bare, bareFirst = bare+took, bareFirst+until
			}
			b.ReportMetric(float64(ours.Microseconds())/float64(b.N), "us/round")
			b.ReportMetric(float64(bare.Microseconds())/float64(b.N), "us/bare-round")
			b.ReportMetric(ours.Seconds()/bare.Seconds(), "x-bare")
			b.ReportMetric(first.Seconds()/bareFirst.Seconds(), "x-bare-first-words")
		})
	}
}

func timeModel(b *testing.B, m catalog.Model) (took, first time.Duration) {
	req := providers.Request{System: "You run this computer.", Messages: []providers.Message{providers.UserText("disk full?")}}
	began := time.Now()
	_, err := m.Complete(context.Background(), req, func(string) {
		if first == 0 {
			first = time.Since(began)
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	return time.Since(began), first
}

// timeBare sends the same request with a client that does not parse the answer.
func timeBare(b *testing.B, tape *recorder) (took, first time.Duration) {
	began := time.Now()
	req, err := http.NewRequest(http.MethodPost, tape.url, bytes.NewReader(tape.body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header = tape.head
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	buf := make([]byte, 4<<10)
	for {
		n, err := resp.Body.Read(buf)
		if n > 0 && first == 0 {
			first = time.Since(began)
		}
		if err != nil {
			return time.Since(began), first
		}
	}
}
