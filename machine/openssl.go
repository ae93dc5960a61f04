package machine

import (
	"strings"
	"time"
)

// certificateEnd is notAfter= and the time in the format of ASN1_TIME_print(3).
const certificateEnd = "notAfter=Jan _2 15:04:05 2006 GMT"

// ParseCertificateEnd parses openssl x509 -noout -enddate (openssl-x509(1)), which must consist of that line only.
func ParseCertificateEnd(text []byte) (time.Time, error) {
	line := strings.TrimSuffix(string(text), "\n")
	end, err := time.Parse(certificateEnd, line)
	return readable(end, err == nil && end.Format(certificateEnd) == line, "openssl")
}
