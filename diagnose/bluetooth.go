package diagnose

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Bluetooth is the question why Bluetooth or a device does not work. The object is the name or the address of a device.
func Bluetooth() Topic {
	return Topic{
		ID: "bluetooth", Object: ADevice, About: i18n.DiagnoseAboutBluetooth, sound: bluetoothWell,
		causes: []cause{
			{"not-installed", bluetoothAbsent},
			{"radio-switch", bluetoothSwitch},
			{"radio-off", bluetoothBlocked},
			{"service-masked", masked(machine.BluetoothUnitProbe, false, bluetoothUnit)},
			{"modules-gone", when((*Facts).hasNoAdapter, lostModules)},
			{"driver-blocked", when((*Facts).hasNoAdapter, blocked(noAdapters, "btusb", "bluetooth", "btintel", "hci_uart"))},
			{"firmware-missing", bluetoothFirmware},
			{"no-adapter", when((*Facts).hasNoAdapter, bluetoothNoAdapter)},
			{"service-off", bluetoothOff},
			{"powered-off", bluetoothPower},
			{"plugin-missing", bluetoothPlugin},
			{"no-sound-server", bluetoothSound},
			{"device-blocked", deviceBlocked},
			{"not-paired", notPaired},
			{"not-trusted", notTrusted},
			{"not-connected", notConnected},
			{"headset-profile", headsetProfile},
			{"none-paired", nonePaired},
			{"none-connected", noneConnected},
		},
	}
}

const bluetoothUnit = "bluetooth.service"

func (f *Facts) bluetoothUnit() unitStates { return f.units(machine.BluetoothUnitProbe) }

func bluetoothAbsent(f *Facts) *Finding {
	u := f.bluetoothUnit()
	if u[bluetoothUnit]["LoadState"] != "not-found" {
		return nil
	}
	return proved(i18n.BluetoothAbsent, seeLine(machine.BluetoothUnitProbe, "LoadState=not-found")).
		offer(i18n.BluetoothAbsentGoal,
			install(i18n.BluetoothAbsentGoal, "bluez bluez-utils"),
			control(i18n.UnitEnable(bluetoothUnit), "enable", bluetoothUnit, false),
			control(i18n.DesktopStart(bluetoothUnit), "start", bluetoothUnit, false))
}

func bluetoothSwitch(f *Facts) *Finding {
	r, ok := f.blockedRadio("bluetooth")
	if !ok || !r.Hard {
		return nil
	}
	return proved(i18n.BluetoothSwitch(r.ID), seeLine(machine.RadiosProbe, r.ID+" hard:1")).advise(i18n.NetSwitchAdvice)
}

func bluetoothBlocked(f *Facts) *Finding {
	r, ok := f.blockedRadio("bluetooth")
	if !ok || r.Hard {
		return nil
	}
	return proved(i18n.BluetoothBlocked(r.ID), seeLine(machine.RadiosProbe, r.ID+" soft:1")).offer(i18n.BluetoothOnGoal,
		run(i18n.BluetoothOnGoal, "sudo -n rfkill unblock bluetooth", "cat /sys/class/rfkill/"+r.ID+"/soft", "0",
			"sudo -n rfkill block bluetooth"))
}

var noAdapters = see(machine.BluetoothAdaptersProbe, i18n.DesktopNone)

// hasNoAdapter reports whether the kernel has no Bluetooth adapter: ls(1) prints nothing, or that there is no such
// directory.
func (f *Facts) hasNoAdapter() bool {
	out, known := f.output(machine.BluetoothAdaptersProbe)
	return known && strings.TrimSpace(out.Stdout) == "" && (out.Exit == 0 || strings.Contains(out.Stderr, "No such file"))
}

func bluetoothFirmware(f *Facts) *Finding {
	look, line := f.firmwareLine("bluetooth", "btusb", "ibt-", "rtl_bt", "hci0")
	if line == "" {
		return nil
	}
	return proved(i18n.BluetoothFirmware, seeLine(look, line)).
		offer(i18n.DesktopFirmwareGoal, install(i18n.DesktopFirmwareGoal, "linux-firmware"))
}

func bluetoothNoAdapter(*Facts) *Finding {
	return proved(i18n.BluetoothNone, noAdapters).advise(i18n.BluetoothNoneAdvice)
}

func bluetoothOff(f *Facts) *Finding {
	u := f.bluetoothUnit()
	if !u.isIdle(bluetoothUnit) || f.hasNoAdapter() {
		return nil
	}
	return proved(i18n.DesktopStopped(bluetoothUnit), u.see(machine.BluetoothUnitProbe, bluetoothUnit)).
		offer(i18n.DesktopStart(bluetoothUnit), u.start(bluetoothUnit, false)...)
}

func bluetoothPower(f *Facts) *Finding {
	show, err := parse(f, machine.BluetoothProbe, machine.ParseFields)
	if err != nil || show["Powered"] != "no" {
		return nil
	}
	found := proved(i18n.BluetoothPower, seeLine(machine.BluetoothProbe, "Powered: no")).
		offer(i18n.BluetoothOnGoal, run(i18n.BluetoothOnGoal, "bluetoothctl power on", "bluetoothctl show", "Powered: yes",
			"bluetoothctl power off"))
	lines, _ := f.shown(machine.AutoEnableProbe)
	if line := lineWith(lines, "false"); line != "" {
		_, number, _ := numbered(line)
		found.showing(machine.AutoEnableProbe, line).Advice = i18n.BluetoothAutoAdvice(number)
	}
	return found
}

// bluetoothPlugin finds a PipeWire without its Bluetooth part.
func bluetoothPlugin(f *Facts) *Finding {
	names := strings.Fields(f.stdout(machine.SoundPluginsProbe))
	if _, info := f.device(); info["Icon"] != "" && !strings.HasPrefix(info["Icon"], "audio") {
		return nil
	}
	if len(names) == 0 || slices.Contains(names, "bluez5") {
		return nil
	}
	return proved(i18n.BluetoothPlugin, seeLine(machine.SoundPluginsProbe, strings.Join(names, " "))).
		offer(i18n.BluetoothPluginGoal, install(i18n.BluetoothPluginGoal, "pipewire-audio"),
			control(i18n.DesktopStart("wireplumber"), "restart", "wireplumber.service", true))
}

// bluetoothSound finds that no sound server took the device: BlueZ, src/service.c.
func bluetoothSound(f *Facts) *Finding {
	line := lineWith(f.lines(machine.BluetoothLogProbe), "protocol not available")
	look := machine.SoundUnitsProbe
	u := f.units(look)
	if line == "" || u == nil || u.isActive("pulseaudio.service") {
		return nil
	}
	if u.isActive("wireplumber.service") {
		if _, linked, known := f.bluetoothDevices(); !known || len(linked) > 0 {
			return nil
		}
		goal := i18n.SoundRestartGoal
		return likely(i18n.BluetoothSoundLost, seeLine(machine.BluetoothLogProbe, line)).
			offer(goal, control(goal, "restart", "wireplumber.service", true))
	}
	return proved(i18n.BluetoothSound, seeLine(machine.BluetoothLogProbe, line), u.see(look, "wireplumber.service")).
		offer(i18n.DesktopStart("wireplumber.service"), control(i18n.DesktopStart("wireplumber.service"), "start",
			"wireplumber.service", true))
}

// device returns what BlueZ knows about the device in question: the named one, or the only one.
func (f *Facts) device() (d machine.BluetoothDevice, info map[string]string) {
	all, _ := parse(f, machine.BluetoothDevicesProbe, machine.ParseBluetoothDevices)
	if f.Object != "" {
		all = slices.DeleteFunc(all, func(d machine.BluetoothDevice) bool {
			return !strings.Contains(strings.ToLower(d.Name), strings.ToLower(f.Object)) &&
				!strings.EqualFold(d.Address, f.Object)
		})
	}
	if len(all) != 1 {
		return d, nil
	}
	info, _ = parse(f, machine.BluetoothDeviceProbe(all[0].Address), machine.ParseFields)
	return all[0], info
}

// seeDevice shows a property of a device.
func seeDevice(d machine.BluetoothDevice, text string) Evidence {
	return seeLine(machine.BluetoothDeviceProbe(d.Address), d.Name+" "+text)
}

// deviceStep returns a step that changes a property of a device.
func deviceStep(about i18n.Text, d machine.BluetoothDevice, verb, expect, undo string) Step {
	return run(about, "bluetoothctl "+verb+" "+d.Address, machine.BluetoothDeviceProbe(d.Address).
		String(), expect, "bluetoothctl "+undo+" "+d.Address)
}

func deviceBlocked(f *Facts) *Finding {
	d, info := f.device()
	if info["Blocked"] != "yes" {
		return nil
	}
	goal := i18n.BluetoothUnblockGoal(d.Name)
	return proved(i18n.BluetoothDeviceBlocked(d.Name), seeDevice(d, "Blocked: yes")).
		offer(goal, deviceStep(goal, d, "unblock", "Blocked: no", "block"))
}

func notPaired(f *Facts) *Finding {
	d, info := f.device()
	if info["Paired"] != "no" || info["Blocked"] == "yes" {
		return nil
	}
	return proved(i18n.BluetoothPair(d.Name), seeDevice(d, "Paired: no")).advise(i18n.BluetoothPairAdvice(d.Address))
}

// notTrusted finds a paired device that may not connect by itself.
func notTrusted(f *Facts) *Finding {
	d, info := f.device()
	if info["Paired"] != "yes" || info["Trusted"] != "no" || info["Connected"] != "no" || info["Blocked"] == "yes" {
		return nil
	}
	goal := i18n.BluetoothTrustGoal(d.Name)
	return proved(i18n.BluetoothTrust(d.Name), seeDevice(d, "Trusted: no, Connected: no")).offer(goal,
		deviceStep(goal, d, "trust", "Trusted: yes", "untrust"),
		deviceStep(i18n.BluetoothConnectGoal(d.Name), d, "connect", "Connected: yes", "disconnect"))
}

func notConnected(f *Facts) *Finding {
	d, info := f.device()
	if info["Paired"] != "yes" || info["Trusted"] != "yes" || info["Connected"] != "no" || info["Blocked"] == "yes" {
		return nil
	}
	goal := i18n.BluetoothConnectGoal(d.Name)
	return proved(i18n.BluetoothConnect(d.Name), seeDevice(d, "Connected: no")).
		offer(goal, deviceStep(goal, d, "connect", "Connected: yes", "disconnect")).
		advise(i18n.BluetoothConnectAdvice)
}

// bluetoothDevices returns the devices that BlueZ knows, and those that are connected.
func (f *Facts) bluetoothDevices() (all, linked []machine.BluetoothDevice, known bool) {
	list, ok := f.output(machine.BluetoothDevicesProbe)
	now, okNow := f.output(machine.ConnectedDevicesProbe)
	all, err := machine.ParseBluetoothDevices([]byte(list.Stdout))
	linked, errNow := machine.ParseBluetoothDevices([]byte(now.Stdout))
	return all, linked, ok && okNow && list.Exit == 0 && now.Exit == 0 && !list.Cut && !now.Cut && err == nil &&
		errNow == nil
}

func deviceNames(all []machine.BluetoothDevice) string {
	names := []string{}
	for _, d := range all[:min(5, len(all))] {
		names = append(names, d.Name)
	}
	return strings.Join(names, ", ")
}

// isPowered reports whether an adapter is there and switched on.
func (f *Facts) isPowered() bool {
	show, err := parse(f, machine.BluetoothProbe, machine.ParseFields)
	return err == nil && show["Powered"] == "yes"
}

func nonePaired(f *Facts) *Finding {
	all, _, known := f.bluetoothDevices()
	if !known || !f.isPowered() || len(all) > 0 {
		return nil
	}
	return proved(i18n.BluetoothNonePaired, see(machine.BluetoothDevicesProbe, i18n.DesktopNone),
		seeLine(machine.BluetoothProbe, "Powered: yes")).advise(i18n.BluetoothNonePairedAdvice)
}

// noneConnected finds that none of several devices is connected. The log may say why: BlueZ, src/profile.c.
func noneConnected(f *Facts) *Finding {
	all, linked, known := f.bluetoothDevices()
	if !known || !f.isPowered() || len(all) < 2 || len(linked) > 0 || f.Object != "" {
		return nil
	}
	goal := i18n.BluetoothConnectGoal(all[0].Name)
	found := likely(i18n.BluetoothNoneConnected, see(machine.BluetoothDevicesProbe,
		i18n.BluetoothKnown(deviceNames(all)))).
		offer(goal, deviceStep(goal, all[0], "connect", "Connected: yes", "disconnect")).advise(i18n.BluetoothConnectAdvice)
	line := lineWith(f.lines(machine.BluetoothLogProbe), "host is down", "page-timeout", "authentication", "key missing",
		"permission denied")
	if line == "" {
		return found
	}
	found.showing(machine.BluetoothLogProbe, line).Advice = i18n.BluetoothAsleep
	if lineWith([]string{line}, "authentication", "key missing", "permission denied") != "" {
		found.Advice = i18n.BluetoothPairAgain
	}
	return found
}

// bluetoothWell says what is connected.
func bluetoothWell(f *Facts) *Finding {
	all, linked, known := f.bluetoothDevices()
	if !known || !f.isPowered() || len(linked) == 0 {
		return nil
	}
	return likely(i18n.BluetoothConnected(deviceNames(linked)),
		see(machine.BluetoothDevicesProbe, i18n.BluetoothKnown(deviceNames(all))))
}

// headsetProfile finds headphones in the mode for calls, which sounds like a telephone.
func headsetProfile(f *Facts) *Finding {
	cards, _ := parse(f, machine.CardProfilesProbe, machine.ParseCardProfiles)
	for _, c := range cards {
		if !strings.HasPrefix(c.Name, "bluez_card") || !strings.HasPrefix(c.Active, "headset") ||
			!strings.HasPrefix(c.Best, "a2dp") || plain(c.Best) != c.Best {
			continue
		}
		set, goal := "pactl set-card-profile "+c.Name+" ", i18n.SoundProfileGoal(c.Best)
		return proved(i18n.BluetoothHeadset(c.Active), seeLine(machine.CardProfilesProbe, c.Name+" "+c.Active)).
			offer(goal, run(goal, set+c.Best, "pactl list cards", "Active Profile: "+c.Best, set+c.Active))
	}
	return nil
}
