package check

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/machine"
)

func backup(l *look) {
	within := cmp.Or(l.p.Within, l.row.within)
	for _, path := range l.p.Paths {
		l.backupAt(l.p.at(path), within)
	}
}

// backupAt checks that a file at or below a path was written within the period. It uses the time of the status
// change (find -newerct), because copies keep the modification time of the original.
func (l *look) backupAt(at string, within time.Duration) {
	key := "backup:" + at
	found, why := l.isWritten(at, within)
	f := Finding{Key: key, Severity: Warning, Args: Args{Name: display(at, 80)}}
	switch {
	case found:
		return
	case why == ReasonAbsent:
		f.Code = "backup_missing"
		l.find(f)
		return
	case why != "":
		l.unknown(key, why, at)
		return
	}
	// Find a lower bound for the age.
	f.Code, f.Args.For = "backup_stale", within
	for _, longer := range []time.Duration{7 * day, 30 * day, 365 * day} {
		if longer <= f.Args.For {
			continue
		}
		if found, why := l.isWritten(at, longer); found || why != "" {
			break
		}
		f.Args.For = longer
	}
	l.find(f)
}

// isWritten reports whether a file at or below a path is younger than within. The reason is not empty if part of it
// could not be read.
func (l *look) isWritten(at string, within time.Duration) (bool, Reason) {
	since := fmt.Sprintf("@%d", l.p.Now.Add(-within).Unix())
	out, why := l.try("find", "-H", at, "-xdev", "-type", "f", "-newerct", since, "-printf", "%C@\\n", "-quit")
	if why != "" {
		return false, why
	}
	switch times, err := machine.ParseFileTimes([]byte(out.Stdout)); {
	case len(times) > 0:
		return true, ""
	case err != nil:
		return false, ReasonUnreadable
	}
	if out.Exit != 0 || strings.TrimSpace(out.Stderr) != "" {
		why := out.failure()
		if why == ReasonAbsent && !out.says("‘"+at+"’: No such") && !out.says("'"+at+"': No such") {
			why = ReasonPartial // a file vanished meanwhile
		}
		return false, why
	}
	return false, ""
}

// maxCertificates bounds how many files a look reads.
const maxCertificates = 100

// certificates gets the end of each certificate from openssl and never reads a file itself, because the file
// could also contain the private key.
func certificates(l *look) {
	paths, usual := l.p.Paths, len(l.p.Paths) == 0
	if usual {
		paths = []string{"~/.config", "/etc/letsencrypt/live"}
	}
	read := 0
	for _, place := range paths {
		at := l.p.at(place)
		files, why := l.certificateFiles(at)
		switch {
		case why == ReasonAbsent && usual:
			continue
		case why != "":
			l.unknown("certificates:"+at, why, at)
		}
		for _, file := range files {
			if read++; read > maxCertificates {
				l.unknown("certificates", ReasonTruncated, at)
				return
			}
			if !l.certificate(file, usual) {
				return
			}
		}
	}
}

// certificateFiles finds files with names of certificates at a path, which can also be a single file.
func (l *look) certificateFiles(at string) ([]string, Reason) {
	out, why := l.try("find", "-H", at, "-xdev", "-maxdepth", "5", "(", "-type", "f", "-o", "-type", "l", ")",
		"(", "-name", "*.crt", "-o", "-name", "*.cer", "-o", "-name", "*.pem", "!", "-name", "*key*", ")", "-printf", "%p\\n")
	if why != "" {
		return nil, why
	}
	files := withoutChains(slices.DeleteFunc(splitNames(out), func(name string) bool {
		return !slices.Contains([]string{".crt", ".cer", ".pem"}, path.Ext(name))
	}))
	switch {
	case out.Exit != 0 && len(files) == 0:
		return nil, out.failure()
	case out.Exit != 0:
		return files, ReasonPartial
	case out.Truncated:
		return files, ReasonTruncated
	}
	return files, ""
}

// withoutChains removes the chains that certbot stores next to a cert.pem, which are renewed with it.
func withoutChains(files []string) []string {
	single := map[string]bool{}
	for _, file := range files {
		if path.Base(file) == "cert.pem" {
			single[path.Dir(file)] = true
		}
	}
	return slices.DeleteFunc(files, func(file string) bool {
		return single[path.Dir(file)] && (path.Base(file) == "fullchain.pem" || path.Base(file) == "chain.pem")
	})
}

// splitNames parses names, one a line. It drops a last line without a line end, which is incomplete, and names
// that cannot be used in a command.
func splitNames(out Output) []string {
	all := strings.Split(out.Stdout, "\n")
	var names []string
	for _, name := range all[:len(all)-1] {
		if strings.HasPrefix(name, "/") && isDisplayable(name) && len(name) < 4096 {
			names = append(names, name)
		}
	}
	return names
}

// certificate checks one file. It returns false if further files would fail in the same way.
func (l *look) certificate(file string, usual bool) bool {
	key := "certificates:" + file
	out, why := l.try("openssl", "x509", "-noout", "-enddate", "-in", file)
	switch why {
	case "":
	case ReasonMissing:
		l.unknown("certificates", why, "openssl")
		return false
	default:
		l.unknown(key, why, file)
		return true
	}
	end, err := machine.ParseCertificateEnd([]byte(out.Stdout))
	if out.Exit != 0 || err != nil {
		l.reportInvalid(key, file, out, usual)
		return true
	}
	l.reportEnd(key, file, end)
	return true
}

// reportInvalid reports a file in which openssl found no certificate. In the default directories such names are
// also used for other files, so it does not report them there.
func (l *look) reportInvalid(key, file string, out Output, usual bool) {
	why := outputProblem(out)
	switch {
	case why == ReasonFailed && usual:
		return
	case why == ReasonFailed:
		why = ReasonUnreadable
	}
	l.unknown(key, why, file)
}

func (l *look) reportEnd(key, file string, end time.Time) {
	within := cmp.Or(l.p.Within, l.row.within)
	left := end.Sub(l.p.Now)
	f := Finding{Key: key, Severity: Notice, Code: "certificate_soon", Args: Args{Name: display(file, 80), At: end.In(l.p.Zone), For: left}}
	if left < 3*day {
		f.Severity = Warning
	}
	switch {
	case left <= 0:
		f.Code = "certificate_expired"
		l.find(f)
	case left <= within:
		l.find(f)
	}
}
