// Package configtest makes files that configurations of tests name.
package configtest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Files writes the files that the configurations of tests name into a new directory.
func Files(t testing.TB) (dir string) {
	t.Helper()
	dir = t.TempDir()
	Certificate(t, dir, 1, time.Time{}, time.Now().Add(time.Hour))
	Write(t, filepath.Join(dir, "pagemcp.keys"), Key(1)+"\n", 0o440)
	Write(t, filepath.Join(dir, "node.creds"), "credentials of the node\n", 0o400)
	Write(t, filepath.Join(dir, "keys.json"), `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`, 0o444)
	return dir
}

// Certificate writes tls.crt and tls.key: a certificate for 127.0.0.1 with a serial number, and
// its key.
func Certificate(t testing.TB, dir string, serial int64, from, until time.Time) (cert, key string) {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotBefore: from, NotAfter: until, IPAddresses: []net.IP{{127, 0, 0, 1}}}
	return sign(t, dir, "tls", template)
}

func sign(t testing.TB, dir, name string, template *x509.Certificate) (cert, key string) {
	t.Helper()
	pair, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &pair.PublicKey, pair)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(pair)
	if err != nil {
		t.Fatal(err)
	}
	return Write(t, filepath.Join(dir, name+".crt"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})), 0o444),
		Write(t, filepath.Join(dir, name+".key"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})), 0o400)
}

// Peer writes peer.crt and peer.key: a certificate between nodes, which is its own authority.
func Peer(t testing.TB, dir string) (cert, key string) {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"pagemcpd"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	return sign(t, dir, "peer", template)
}

// Key returns a line of a file of keys.
func Key(b byte) string {
	return base64.RawURLEncoding.EncodeToString(bytes.Repeat([]byte{b}, 32))
}

// Write writes a file with these permissions, whatever the umask is.
func Write(t testing.TB, name, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
	return name
}
