package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"
)

// certificateFile has the certificate and its key, in PEM. Machines pin the certificate when they are paired, so it
// names no host and does not expire while they live: 30 years.
const certificateFile = "server.pem"

func openCertificate(dir string) (*tls.Config, [32]byte, error) {
	path := filepath.Join(dir, certificateFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if data, err = makeCertificate(); err == nil {
			err = renameio.WriteFile(path, data, 0o600)
		}
	}
	var pair tls.Certificate
	if err == nil {
		pair, err = tls.X509KeyPair(data, data)
	}
	if err != nil {
		return nil, [32]byte{}, fmt.Errorf("cannot use the server's certificate %s: %w", path, err)
	}
	settings := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13}
	return settings, sha256.Sum256(pair.Certificate[0]), nil
}

func makeCertificate() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	form := &x509.Certificate{
		SerialNumber: big.NewInt(
			now.UnixNano(),
		), Subject: pkix.Name{CommonName: "blunux-fleet"}, NotBefore: now.AddDate(-1, 0, 0),
		NotAfter: now.AddDate(
			30,
			0,
			0,
		), KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, form, form, key.Public(), key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...), nil
}
