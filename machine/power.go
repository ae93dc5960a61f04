package machine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

var (
	// UPowerProbe shows the batteries.
	UPowerProbe = Probe{"upower", "-d"}
	// SuppliesProbe shows the power supplies of the kernel.
	SuppliesProbe = Probe{"cat", "/sys/class/power_supply/*/uevent"}
)

// Battery is one of the machine's own batteries.
type Battery struct {
	Name, State        string // state as upower writes it
	Percent            float64
	Shown              string  // the percentage as printed
	Health             float64 // percent of the design capacity, 0 if unknown
	Left, UntilFull    string
	Rate, Cycles       string
	Warning            string
	Plugged, Unplugged bool // a charger is connected, or is not; both false if unknown
	Measured           bool
}

// setChargers records whether a charger is connected, or known not to be.
func setChargers(all []Battery, plugged, unplugged bool) {
	for i := range all {
		all[i].Plugged, all[i].Unplugged = plugged, unplugged && !plugged
	}
}

// upowerDevices splits the output of upower -d (upower(1)) into the devices' paths and fields.
func upowerDevices(text []byte) (paths []string, fields []map[string]string) {
	var block []string
	flush := func() {
		if len(paths) > len(fields) {
			info, _ := ParseFields([]byte(strings.Join(block, "\n"))) // empty without fields
			fields = append(fields, info)
		}
		block = nil
	}
	for _, line := range Lines(text) {
		switch path, isDevice := strings.CutPrefix(line, "Device:"); {
		case isDevice:
			flush()
			paths = append(paths, strings.TrimSpace(path))
		case !strings.HasPrefix(line, " "):
			flush()
		default:
			block = append(block, line)
		}
	}
	flush()
	return paths, fields
}

// ParseUPower parses upower -d (upower(1)) and returns the machine's own batteries. It skips those of mice and
// headsets, and the display device, which repeats the others.
func ParseUPower(text []byte) ([]Battery, error) {
	paths, fields := upowerDevices(text)
	var out []Battery
	var online []string
	for i, info := range fields {
		switch {
		case strings.Contains(paths[i], "line_power"):
			online = append(online, info["online"])
		case strings.Contains(paths[i], "/battery_") && info["power supply"] != "no" && info["percentage"] != "":
			out = append(out, upowerBattery(info))
		}
	}
	setChargers(out, slices.Contains(online, "yes"), slices.Contains(online, "no"))
	return readable(out, len(out) > 0 || strings.Contains(string(text), "Daemon:"), "upower")
}

func upowerBattery(info map[string]string) Battery {
	b := Battery{
		Name: info["native-path"], State: info["state"], Left: info["time to empty"], UntilFull: info["time to full"],
		Rate: info["energy-rate"], Cycles: info["charge-cycles"], Warning: info["warning-level"],
	}
	pct, _, _ := strings.Cut(info["percentage"], " ") // "57% (should be ignored)"
	b.Shown = pct
	b.Percent, b.Measured = ParseNumber(strings.TrimSuffix(pct, "%"))
	b.Health = parsePercent(strings.TrimSuffix(info["capacity"], "%"))
	if b.Health == 0 {
		b.Health = quotient(info["energy-full"], info["energy-full-design"])
	}
	return b
}

// parsePercent parses a percentage between 1 and 150. It returns 0 for anything else.
func parsePercent(s string) float64 {
	if n, ok := ParseNumber(s); ok && n >= 1 && n <= 150 {
		return n
	}
	return 0
}

// quotient returns the quotient of two amounts with units, in percent.
func quotient(part, whole string) float64 {
	p, _, _ := strings.Cut(part, " ")
	w, _, _ := strings.Cut(whole, " ")
	n, ok := ParseNumber(p)
	d, okWhole := ParseNumber(w)
	if !ok || !okWhole || d <= 0 {
		return 0
	}
	return parsePercent(fmt.Sprint(n / d * 100))
}

// Supply is a power supply of the kernel. Fields are "" if it does not report them.
type Supply struct {
	Name, Type, Scope, Status, Present, Online, Capacity, Cycles string
	Health                                                       float64 // percent of the design capacity, 0 if unknown
}

// ParseSupplies parses one or several uevent files of /sys/class/power_supply (Linux,
// Documentation/ABI/testing/sysfs-class-power): lines POWER_SUPPLY_NAME=value.
func ParseSupplies(text []byte) ([]Supply, error) {
	var out []Supply
	info := map[string]string{}
	flush := func() {
		if info["TYPE"] != "" {
			out = append(out, Supply{
				Name: info["NAME"], Type: info["TYPE"], Scope: info["SCOPE"], Status: info["STATUS"], Present: info["PRESENT"],
				Online: info["ONLINE"], Capacity: info["CAPACITY"], Cycles: info["CYCLE_COUNT"], Health: supplyHealth(info),
			})
		}
		clear(info)
	}
	for _, line := range Lines(text) {
		key, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "POWER_SUPPLY_"), "=")
		if ok && info[key] != "" {
			flush() // the next file
		}
		if ok {
			info[key] = value
		}
	}
	flush()
	return rows(out, text, "/sys/class/power_supply")
}

// supplyHealth returns the capacity in percent of the design, from µWh or µAh.
func supplyHealth(info map[string]string) float64 {
	for _, kind := range []string{"ENERGY", "CHARGE"} {
		full, design := info[kind+"_FULL"], info[kind+"_FULL_DESIGN"]
		n, _ := strconv.ParseFloat(full, 64)
		if d, _ := strconv.ParseFloat(design, 64); isNumber(full) && isNumber(design) && n > 0 && d > 0 {
			if h := 100 * n / d; h < 200 {
				return h
			}
			return 0
		}
	}
	return 0
}

// IsBattery reports whether the supply is a battery of the machine, not of a mouse or headset.
func (s Supply) IsBattery() bool { return s.Type == "Battery" && s.Scope != "Device" }

// Batteries returns the machine's own batteries.
func Batteries(all []Supply) []Battery {
	var out []Battery
	var online []string
	for _, s := range all {
		switch {
		case s.Type == "Mains" || s.Type == "USB":
			online = append(online, s.Online)
		case s.IsBattery() && s.Capacity != "":
			out = append(out, s.battery())
		}
	}
	setChargers(out, slices.Contains(online, "1"), slices.Contains(online, "0"))
	return out
}

func (s Supply) battery() Battery {
	b := Battery{Name: s.Name, Shown: s.Capacity + "%", Cycles: s.Cycles, State: strings.ToLower(s.Status)}
	b.Percent, b.Measured = ParseNumber(s.Capacity)
	if s.Health >= 1 && s.Health <= 150 {
		b.Health = s.Health
	}
	if b.State == "full" {
		b.State = "fully-charged"
	}
	if b.Cycles == "0" {
		b.Cycles = "" // most firmware does not count cycles
	}
	return b
}
