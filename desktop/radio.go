package desktop

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// wifiType is the type of wireless connections: nm-settings-nmcli(5).
const wifiType = "802-11-wireless"

// wifi operates NetworkManager. A password is typed at the terminal or in the desktop's own dialog, never in a conversation.
func wifi(w Wish, f *diagnose.Facts) Outcome {
	if !f.Know(machine.WifiRadioProbe, machine.ProfilesProbe) {
		return Outcome{}
	}
	if f.Output(machine.WifiRadioProbe).Missing != "" {
		return says(i18n.DeskWifiNoManager)
	}
	on, _ := machine.ParseEnabled([]byte(f.Stdout(machine.WifiRadioProbe)))
	saved, _ := machine.ParseProfiles([]byte(f.Stdout(machine.ProfilesProbe))) // without connections there are none
	saved = slices.DeleteFunc(saved, func(p machine.Profile) bool { return p.Type != wifiType })
	switch w.Act {
	case "on", "off":
		about := i18n.DeskWifiOff
		if w.Act == "on" {
			about = i18n.DeskWifiOn
		}
		return w.toggle(f, machine.WifiRadioProbe, "enabled", typed(about, "network", "wifi", "", w.Act))
	case "disconnect":
		return disconnectWifi(saved)
	case "forget":
		return forgetWifi(w.Object, saved)
	case "password":
		out := says(i18n.DeskWifiPassword("nmcli device wifi show-password"))
		if w.Object != "" {
			out = says(i18n.DeskWifiPassword(join("nmcli", "-s", "-g", "802-11-wireless-security.psk", "connection", "show", "id", w.Object)))
		}
		return out
	}
	if !on {
		return says(i18n.DeskWifiIsOff).with(typed(i18n.DeskWifiOn, "network", "wifi", "", "on"))
	}
	if !f.Know(machine.NetworksProbe) {
		return Outcome{}
	}
	near, _ := machine.ParseNetworks([]byte(f.Stdout(machine.NetworksProbe)))
	if w.Act == "connect" && w.Object != "" {
		return connectWifi(w.Object, saved, near)
	}
	out := says(i18n.DeskWifiNear)
	if len(near) == 0 {
		return says(i18n.DeskWifiNothingNear)
	}
	for _, n := range near {
		out.Rows = append(out.Rows, networkRow(n, saved))
	}
	out.Rows = out.Rows[:min(len(out.Rows), 15)]
	if w.Act == "connect" {
		return out.and(i18n.DeskWhich)
	}
	return out
}

func networkRow(n machine.Network, saved []machine.Profile) string {
	row := machine.CleanLine(n.Name) + " · " + strconv.Itoa(n.Signal) + "%"
	if n.Secured {
		row += " 🔒"
	}
	if n.InUse {
		row = "✓ " + row
	} else if profileNamed(saved, n.Name) != nil {
		row += " ★"
	}
	return row
}

func profileNamed(saved []machine.Profile, name string) *machine.Profile {
	if i := slices.IndexFunc(saved, func(p machine.Profile) bool { return strings.EqualFold(p.Name, name) }); i >= 0 {
		return &saved[i]
	}
	return nil
}

// meant returns the name among all that a person means: the name itself, or the only one that contains it. Case and blanks do not
// count. If there is none, it returns the name.
func meant(name string, all []string) string {
	if slices.ContainsFunc(all, func(n string) bool { return strings.EqualFold(n, name) }) {
		return name
	}
	plain := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), "")) }
	var fits []string
	for _, n := range all {
		if strings.Contains(plain(n), plain(name)) && !slices.Contains(fits, n) {
			fits = append(fits, n)
		}
	}
	if len(fits) == 1 {
		return fits[0]
	}
	return name
}

func disconnectWifi(saved []machine.Profile) Outcome {
	i := slices.IndexFunc(saved, func(p machine.Profile) bool { return p.Device != "" })
	if i < 0 {
		return says(i18n.DeskWifiNotConnected)
	}
	return says(i18n.DeskWifiConnected(saved[i].Name)).with(typed(i18n.DeskWifiDisconnect(saved[i].Name), "network", "profile", saved[i].Name, "down"))
}

func forgetWifi(name string, saved []machine.Profile) Outcome {
	p := profileNamed(saved, name)
	if p == nil {
		out := says(i18n.DeskWifiNotSaved(name))
		for _, s := range saved {
			out.Rows = append(out.Rows, s.Name)
		}
		return out
	}
	gone := "! " + join("nmcli", "-g", "connection.id", "connection", "show", "id", p.Name)
	return says(i18n.DeskWifiForgetLoses).with(diagnose.Run(i18n.DeskWifiForget(p.Name), join("nmcli", "connection", "delete", "id", p.Name), gone, "", ""))
}

func connectWifi(name string, saved []machine.Profile, near []machine.Network) Outcome {
	var names []string
	for _, p := range saved {
		names = append(names, p.Name)
	}
	for _, n := range near {
		names = append(names, n.Name)
	}
	name = meant(name, names)
	if p := profileNamed(saved, name); p != nil {
		if p.Device != "" {
			return says(i18n.DeskWifiConnected(p.Name)).and(i18n.DeskAlready)
		}
		return Outcome{}.with(typed(i18n.DeskWifiConnect(p.Name), "network", "profile", p.Name, "up"))
	}
	i := slices.IndexFunc(near, func(n machine.Network) bool { return strings.EqualFold(n.Name, name) })
	if i < 0 {
		out := says(i18n.DeskWifiNotNear(name))
		for _, n := range near[:min(len(near), 15)] {
			out.Rows = append(out.Rows, networkRow(n, saved))
		}
		return out
	}
	name = near[i].Name
	if near[i].Secured {
		return says(i18n.DeskWifiNeedsPassword(name, join("nmcli", "--ask", "device", "wifi", "connect", name)))
	}
	connect := join("nmcli", "device", "wifi", "connect", name)
	return says(i18n.DeskWifiOpen(name)).with(diagnose.Run(i18n.DeskWifiConnect(name), connect, machine.ActiveProfilesProbe.String(), name+":", join("nmcli", "connection", "down", "id", name)))
}

// bluetooth operates BlueZ.
func bluetooth(w Wish, f *diagnose.Facts) Outcome {
	if !f.Know(machine.BluetoothProbe, machine.BluetoothDevicesProbe, machine.ConnectedDevicesProbe) {
		return Outcome{}
	}
	if f.Output(machine.BluetoothProbe).Missing != "" {
		return missing("bluetoothctl")
	}
	fields, _ := machine.ParseFields([]byte(f.Stdout(machine.BluetoothProbe)))
	power := fields["Powered"]
	if power == "" {
		return says(i18n.DeskBluetoothNone)
	}
	all, _ := machine.ParseBluetoothDevices([]byte(f.Stdout(machine.BluetoothDevicesProbe)))
	connected, _ := machine.ParseBluetoothDevices([]byte(f.Stdout(machine.ConnectedDevicesProbe)))
	turn := func(about i18n.Text, value string) diagnose.Step {
		return diagnose.Step{Step: typed(about, "bluetooth", "bluetooth", "", value).Step, About: about}
	}
	switch {
	case w.Act == "on" && power == "yes":
		return says(i18n.DeskIsOn).and(i18n.DeskAlready)
	case w.Act == "on":
		return says(i18n.DeskIsOff).with(turn(i18n.DeskBluetoothOn, "on"))
	case w.Act == "off" && power != "yes":
		return says(i18n.DeskIsOff).and(i18n.DeskAlready)
	case w.Act == "off":
		return says(i18n.DeskIsOn).with(turn(i18n.DeskBluetoothOff, "off"))
	case power != "yes":
		return says(i18n.DeskBluetoothIsOff).with(turn(i18n.DeskBluetoothOn, "on"))
	}
	out := says(i18n.DeskBluetoothDevices)
	if len(all) == 0 {
		out = says(i18n.DeskBluetoothNoDevices)
	}
	for _, d := range all {
		row := machine.CleanLine(d.Name)
		if slices.Contains(connected, d) {
			row = "✓ " + row
		}
		out.Rows = append(out.Rows, row)
	}
	if w.Act == "list" {
		return out
	}
	fits := filter(all, func(d machine.BluetoothDevice) bool { return matches(d.Name, deviceWords(w.Object)...) })
	if w.Object == "" {
		fits = all
		if w.Act == "disconnect" {
			fits = connected
		}
	}
	scan := diagnose.Run(i18n.DeskBluetoothScan, "bluetoothctl --timeout 20 scan on", "", "", "")
	switch {
	case len(fits) == 0 && w.Act == "disconnect":
		return out
	case len(fits) == 0:
		return out.and(i18n.DeskBluetoothNotFound).with(scan)
	case w.Act == "pair" && w.Object == "":
		return out.and(i18n.DeskBluetoothNotFound).with(scan)
	case len(fits) > 1:
		return out.and(i18n.DeskWhich)
	}
	return w.device(fits[0], slices.Contains(connected, fits[0]))
}

// device plans for a device whose address is known.
func (w Wish) device(d machine.BluetoothDevice, isConnected bool) Outcome {
	name, info := machine.CleanLine(d.Name), machine.BluetoothDeviceProbe(d.Address).String()
	connect := diagnose.Run(i18n.DeskBluetoothConnect(name), "bluetoothctl connect "+d.Address, info, "Connected: yes", "bluetoothctl disconnect "+d.Address)
	switch {
	case w.Act == "disconnect" && !isConnected, w.Act != "disconnect" && isConnected:
		return says(i18n.DeskAlready)
	case w.Act == "disconnect":
		return Outcome{}.with(diagnose.Run(i18n.DeskBluetoothDisconnect(name), "bluetoothctl disconnect "+d.Address, info, "Connected: no", "bluetoothctl connect "+d.Address))
	case w.Act == "pair":
		return says(i18n.DeskBluetoothPairing).with(
			diagnose.Run(i18n.DeskBluetoothPair(name), "bluetoothctl pair "+d.Address, info, "Paired: yes", "bluetoothctl remove "+d.Address),
			diagnose.Run(i18n.DeskBluetoothTrust(name), "bluetoothctl trust "+d.Address, info, "Trusted: yes", "bluetoothctl untrust "+d.Address), connect)
	}
	return Outcome{}.with(connect)
}

// deviceWords returns the words of names of Bluetooth devices that a kind of device means.
func deviceWords(object string) []string {
	names := map[string][]string{
		"headphones": {"headphone", "headset", "buds", "airpods", "wh-", "wf-", "earphone"},
		"mouse":      {"mouse", "mx master", "mx anywhere", "logi"}, "keyboard": {"keyboard", "keychron", "k380"},
		"speaker": {"speaker", "jbl", "soundlink", "boom"}, "controller": {"controller", "gamepad", "dualsense"},
	}[strings.ToLower(object)]
	return append([]string{object}, names...)
}

func filter[T any](all []T, keep func(T) bool) (kept []T) {
	for _, v := range all {
		if keep(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// airplane switches the radios off or on: Wi-Fi, and Bluetooth where there is an adapter.
func airplane(w Wish, f *diagnose.Facts) Outcome {
	if !f.Know(machine.WifiRadioProbe, machine.BluetoothProbe) {
		return Outcome{}
	}
	to, wifiAbout, btAbout := "on", i18n.DeskWifiOn, i18n.DeskBluetoothOn
	if w.Act == "on" {
		to, wifiAbout, btAbout = "off", i18n.DeskWifiOff, i18n.DeskBluetoothOff
	}
	var steps []diagnose.Step
	if on, err := machine.ParseEnabled([]byte(f.Stdout(machine.WifiRadioProbe))); err == nil && on == (to == "off") {
		steps = append(steps, typed(wifiAbout, "network", "wifi", "", to))
	}
	fields, _ := machine.ParseFields([]byte(f.Stdout(machine.BluetoothProbe)))
	if power := fields["Powered"]; power != "" && (power == "yes") == (to == "off") {
		steps = append(steps, typed(btAbout, "bluetooth", "bluetooth", "", to))
	}
	if len(steps) == 0 {
		return says(i18n.DeskAlready)
	}
	return Outcome{}.with(steps...)
}
