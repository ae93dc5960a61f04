package proxy_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools/web/guard"
	"github.com/nidoit/blunux-ai/tools/web/proxy"
)

// serve serves a proxy that reaches only the permitted addresses, and returns its address.
func serve(t *testing.T, permitted ...string) (*proxy.Proxy, string) {
	t.Helper()
	p := proxy.New(func(ctx context.Context, network, address string) (net.Conn, error) {
		near := false
		for _, a := range permitted {
			near = near || a == address
		}
		return guard.Guard{Own: net.InterfaceAddrs}.Dial(ctx, network, address, near, nil)
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() { p.Serve(l); close(done) }()
	t.Cleanup(func() { l.Close(); <-done })
	return p, l.Addr().String()
}

func through(address string) *http.Client {
	return &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: address}), DisableKeepAlives: true,
	}}
}

func TestRequestsAndTunnelsReachOnlyWhatTheGuardPermits(t *testing.T) {
	var asked []string
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, fmt.Sprint(r.Method, " ", r.Host, r.URL.Path, " ", string(body), " ", r.Header.Get("X-Forwarded-For"), r.Header.Get("Via")))
		io.WriteString(w, "answer")
	})
	plain, secure, inner := httptest.NewServer(handler), httptest.NewTLSServer(handler), httptest.NewServer(handler)
	defer plain.Close()
	defer secure.Close()
	defer inner.Close()
	p, address := serve(t, plain.Listener.Addr().String(), secure.Listener.Addr().String())

	res, err := through(address).Post(plain.URL+"/p", "text/plain", strings.NewReader("body"))
	require.NoError(t, err)
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, "answer", string(text))
	require.Equal(t, []string{"POST " + plain.Listener.Addr().String() + "/p body "}, asked, "as it was sent, and nothing about who asks")

	client := through(address)
	client.Transport.(*http.Transport).TLSClientConfig = secure.Client().Transport.(*http.Transport).TLSClientConfig
	res, err = client.Get(secure.URL + "/s")
	require.NoError(t, err)
	text, err = io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, "answer", string(text))

	asked = nil
	_, err = through(address).Get(inner.URL)
	require.Error(t, err)
	_, err = through(address).Get("https://" + inner.Listener.Addr().String())
	require.ErrorContains(t, err, "Forbidden")
	require.Empty(t, asked)
	require.ErrorIs(t, p.Failure("127.0.0.1"), guard.ErrForbidden)
	_, err = through(address).Get("http://" + address + "/")
	require.Error(t, err, "itself")
	require.NoError(t, p.Failure("other.example"))
}

// TestATunnelEndsWithEitherSide, and a request that is none for a proxy is refused.
func TestATunnelEndsWithEitherSide(t *testing.T) {
	far, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer far.Close()
	_, address := serve(t, far.Addr().String())
	connect := func() (near, other net.Conn, r *bufio.Reader) {
		near, err := net.DialTimeout("tcp", address, time.Minute)
		require.NoError(t, err)
		fmt.Fprintf(near, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\nearly", far.Addr(), far.Addr())
		other, err = far.Accept()
		require.NoError(t, err)
		r = bufio.NewReader(near)
		res, err := http.ReadResponse(r, &http.Request{Method: http.MethodConnect})
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, res.StatusCode)
		early := make([]byte, 5)
		_, err = io.ReadFull(other, early)
		require.NoError(t, err)
		require.Equal(t, "early", string(early), "what follows the request at once")
		return near, other, r
	}
	near, other, _ := connect()
	near.Close()
	_, err = other.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	other.Close()
	near, other, r := connect()
	other.Close()
	_, err = r.ReadByte()
	require.True(t, errors.Is(err, io.EOF), "%v", err)
	near.Close()

	for _, request := range []string{"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET https://x.example/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET ftp://x.example/ HTTP/1.1\r\nHost: x\r\n\r\n"} {
		near, err := net.DialTimeout("tcp", address, time.Minute)
		require.NoError(t, err)
		io.WriteString(near, request)
		res, err := http.ReadResponse(bufio.NewReader(near), nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusBadRequest, res.StatusCode)
		near.Close()
	}
}
