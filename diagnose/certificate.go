package diagnose

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Certificate is the question why encrypted connections fail everywhere. The object is the file of a certificate.
func Certificate() Topic {
	return Topic{ID: "certificate", Object: APath, About: i18n.DiagnoseAboutCertificate, causes: []cause{
		{"clock", wrongClock},
		{"bundle-missing", bundleMissing},
		{"bundle-empty", bundleEmpty},
		{"bundle-closed", bundleClosed},
		{"expired", certificateExpired},
	}}
}

// The times at which packages and their lists changed last: the clock cannot be before them.
var (
	nowProbe     = machine.Probe{"date", "-u", "+%s"}
	changedProbe = machine.Probe{"stat", "-c", "%Y", "--", "/var/lib/pacman/local"}
)

// wrongClock finds a clock that is behind the last installation of a package.
func wrongClock(f *Facts) *Finding {
	now, err := strconv.ParseInt(strings.TrimSpace(f.stdout(nowProbe)), 10, 64)
	changed, changedErr := strconv.ParseInt(strings.TrimSpace(f.stdout(changedProbe)), 10, 64)
	if err != nil || changedErr != nil || now > changed-86400 {
		return nil
	}
	day := func(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.DateOnly) }
	return proved(i18n.CertificateClock(day(now), day(changed)), seeLine(nowProbe, day(now)),
		see(changedProbe, i18n.CertificateChanged(day(changed)))).
		offer(i18n.CertificateClockGoal, run(i18n.CertificateClockStep, "sudo -n timedatectl set-ntp true",
			machine.NTPProbe.String(), "yes", "sudo -n timedatectl set-ntp false"))
}

// bundles are where programs look for the certificates that they trust: OpenSSL, and programs of other distributions.
var bundles = []string{"/etc/ssl/cert.pem", "/etc/ssl/certs/ca-certificates.crt"}

const extracted = "/etc/ca-certificates/extracted/tls-ca-bundle.pem"

// renew makes the certificates again from those of the packages.
func renew(found *Finding) *Finding {
	return found.offer(i18n.CertificateGoal, run(i18n.CertificateRenew, "sudo -n update-ca-trust",
		"grep -m 1 BEGIN -- "+bundles[1], "BEGIN CERTIFICATE", ""))
}

// bundleMissing finds a link to nothing, or no file at all.
func bundleMissing(f *Facts) *Finding {
	for _, file := range bundles {
		if f.absent(file) {
			if slices.ContainsFunc(bundles, func(other string) bool { _, _, there := f.owner(other); return there }) {
				continue // most programs look there
			}
			found := proved(i18n.CertificateMissing(file), absentSeen(file))
			found.Repair = f.reinstall("ca-certificates-utils")
			return found
		}
		if _, kind, ok := f.owner(file); !ok || !strings.Contains(kind, "symbolic link") {
			continue
		}
		if out, known := f.output(machine.FileProbe(file)); !known || out.Exit == 0 || !f.absent(extracted) {
			continue
		}
		return renew(proved(i18n.CertificateLink(file, extracted), absentSeen(extracted),
			see(machine.FileProbe(file), i18n.UnitNoFile(file))))
	}
	return nil
}

// bundleEmpty finds a file without a certificate.
func bundleEmpty(f *Facts) *Finding {
	for _, file := range bundles {
		target := f.target(file)
		if target == "" {
			continue
		}
		if _, kind, ok := f.owner(target); ok && strings.Contains(kind, "empty") {
			return renew(proved(i18n.CertificateEmpty(target), see(machine.OwnersProbe(target), i18n.StartEmptySeen)))
		}
	}
	return nil
}

// bundleClosed finds a file that only root may read.
func bundleClosed(f *Facts) *Finding {
	target := f.target(bundles[1])
	if target == "" {
		return nil
	}
	o, _, ok := f.owner(target)
	if !ok || o.Directory || strings.ContainsAny(o.Mode[max(0, len(o.Mode)-1):], "4567") {
		return nil
	}
	return proved(i18n.CertificateClosed(target, o.Mode),
		see(machine.OwnersProbe(target), i18n.RightsSeen(target, o.User, o.Group, o.Mode))).offer(i18n.CertificateGoal,
		run(i18n.CertificateOpen(target), "sudo -n chmod a+r -- "+target, "stat -c %A -- "+target, "r--r--r--",
			"sudo -n chmod "+o.Mode+" -- "+target))
}

// certificateExpired finds that a certificate of this computer is too old.
func certificateExpired(f *Facts) *Finding {
	file := plain(f.Object)
	if !strings.HasPrefix(file, "/") {
		return nil
	}
	look := machine.CertificateEndProbe(file)
	end, err := parse(f, look, machine.ParseCertificateEnd)
	now, nowErr := strconv.ParseInt(strings.TrimSpace(f.stdout(nowProbe)), 10, 64)
	if err != nil || nowErr != nil || end.Unix() > now {
		return nil
	}
	found := proved(i18n.CertificateExpired(file, end.Format(time.DateOnly)),
		see(look, i18n.CertificateEnd(end.Format(time.DateOnly))), seeLine(nowProbe, strconv.FormatInt(now, 10)))
	if strings.HasPrefix(file, "/etc/letsencrypt/") {
		return found.advise(i18n.CertificateRenewAdvice)
	}
	return found.advise(i18n.CertificateExpiredAdvice(file))
}
