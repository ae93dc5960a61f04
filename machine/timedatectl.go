package machine

import "time"

// ClockProbe shows the clocks and their synchronization.
var ClockProbe = Probe{"timedatectl", "status"}

// Clock is the output of timedatectl status.
type Clock struct {
	Local, Zone     string
	Synced, NTP     string
	RTC, RTCLocal   string
	Universal       time.Time
	RTCTime         time.Time
	UniversalParsed bool
}

// ParseClock parses timedatectl status (timedatectl(1)): "Key: value" lines.
func ParseClock(text []byte) (Clock, error) {
	info, _ := ParseFields(text) // empty without fields
	c := Clock{
		Local: info["Local time"], Zone: info["Time zone"], Synced: info["System clock synchronized"],
		NTP: info["NTP service"], RTC: info["RTC time"], RTCLocal: info["RTC in local TZ"],
	}
	var errU, errR error
	c.Universal, errU = time.Parse("Mon 2006-01-02 15:04:05 MST", info["Universal time"])
	c.RTCTime, errR = time.Parse("Mon 2006-01-02 15:04:05", c.RTC)
	c.UniversalParsed = errU == nil && errR == nil
	return readable(c, c.Local != "" && c.Zone != "", "timedatectl")
}

// Drift returns the error of the hardware clock. It returns 0 if that clock keeps local time.
func (c Clock) Drift() time.Duration {
	if !c.UniversalParsed || c.RTCLocal != "no" {
		return 0
	}
	return c.RTCTime.Sub(c.Universal).Abs().Round(time.Minute)
}
