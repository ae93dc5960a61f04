package report

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	bluezState     = unitStateStep(false, "bluetooth")
	adapter        = command(machine.BluetoothProbe.String())
	knownDevices   = command(machine.BluetoothDevicesProbe.String())
	linkedDevices  = command(machine.ConnectedDevicesProbe.String())
	bluezLog       = command("journalctl --no-pager -b -n 100 -u bluetooth")
	bluetoothAudio = "systemctl --user restart wireplumber pipewire pipewire-pulse"
)

// bluetooth checks the service, the radio, the adapter, then the devices. bluetoothctl hangs if the service
// does not run, so the adapter is queried only if it does.
func (q *inquiry) bluetooth() Reply {
	if q.output(bluezState, "") == nil {
		return q.toolReply(q.first)
	}
	f := q.firstBroken(q.bluezService, q.bluezRadio, q.bluezAdapter, q.bluezDevices)
	if f != nil && f.verdict == "" {
		return q.toolReply(q.first)
	}
	return f.reply()
}

func (q *inquiry) bluezService() *finding {
	state := unitStates(q.anyStdout(bluezState), "bluetooth")["bluetooth"]
	first := q.output(q.first, "")
	switch {
	case first != nil && strings.Contains(first.Stderr+first.Stdout, "could not be found"):
		return q.proposeInstall(q.found(i18n.HelperBluetoothBluezMissing), "bluez bluez-utils")
	case state == "":
		return &finding{}
	case state != "active" && state != "reloading":
		return q.found(i18n.HelperBluetoothBluezOff, q.say(i18n.HelperBluetoothBluezLine(state))).
			propose(intent.Call("manage_service", "action", "start", "name", "bluetooth"), q.say(i18n.HelperBluetoothAskStartBluez))
	}
	return nil
}

func (q *inquiry) bluezRadio() *finding {
	return q.radioOff("bluetooth", "rfkill unblock bluetooth", i18n.HelperRadioBluetoothHard, i18n.HelperRadioBluetoothSoft)
}

func (q *inquiry) bluezAdapter() *finding {
	if !q.collect(adapter, knownDevices, linkedDevices, bluezLog) {
		return nil
	}
	step := q.output(adapter, "")
	switch {
	case step == nil:
		return &finding{verdict: q.toolReply(q.first).Text, evidence: []string{q.resultOf(adapter).missing()}}
	case strings.Contains(step.Stdout+step.Stderr, "No default controller"):
		return q.found(i18n.HelperBluetoothNoAdapter, q.say(i18n.HelperBluetoothNoAdapterLine)).
			propose(intent.Call("read_logs", "since", "boot", "grep", "bluetooth"), q.say(i18n.HelperBluetoothAskBluezKernel))
	}
	switch powered := read(machine.ParseFields, step.Stdout)["Powered"]; powered {
	case "no":
		return q.found(i18n.HelperBluetoothAdapterOff, q.say(i18n.HelperBluetoothAdapterLine(q.say(i18n.HelperRadioIsNot)))).
			propose(command("bluetoothctl power on"), q.say(i18n.HelperBluetoothAskPowerOn))
	case "":
		return &finding{verdict: q.toolReply(q.first).Text, evidence: []string{q.say(i18n.HelperBluetoothAdapterUnseen)}}
	}
	return nil
}

func (q *inquiry) bluezDevices() *finding {
	known := read(machine.ParseBluetoothDevices, q.stdout(knownDevices))
	linked := read(machine.ParseBluetoothDevices, q.stdout(linkedDevices))
	name := func(d machine.BluetoothDevice) string { return d.Name }
	f := &finding{evidence: []string{q.say(i18n.HelperBluetoothAdapterLine(q.say(i18n.HelperRadioIs)))}}
	switch {
	case len(linked) > 0:
		f.verdict = q.say(i18n.HelperBluetoothBluezConnected(names(linked, 5, name)))
		f.note(q.say(i18n.HelperBluetoothKnownDevices(names(known, 5, name))))
	case !q.isDeviceList(knownDevices) || !q.isDeviceList(linkedDevices):
		f.verdict = q.say(i18n.HelperBluetoothGadgetsUnseen)
		return f
	case len(known) == 0:
		f.verdict, f.meaning = q.say(i18n.HelperBluetoothNoneKnown), q.say(i18n.HelperBluetoothPairFirst)
		return f
	default:
		f.verdict = q.say(i18n.HelperBluetoothNoneConnected)
		f.note(q.say(i18n.HelperBluetoothKnownDevices(names(known, 5, name))))
		connect := "bluetoothctl connect " + known[0].Address
		f.propose(command(connect), q.say(i18n.HelperBluetoothAskConnectDevice(known[0].Name, connect)))
	}
	q.bluezTrouble(f)
	return f
}

// isDeviceList reports whether a step printed a list of devices, possibly empty.
func (q *inquiry) isDeviceList(s intent.Step) bool {
	step := q.output(s, "")
	if step == nil || step.Exit != 0 || step.TimedOut {
		return false
	}
	return !slices.ContainsFunc(machine.Lines(step.Stdout), func(l string) bool { return !strings.Contains(l, "Device ") })
}

// bluezTrouble adds the worst line of the service's log and its meaning.
func (q *inquiry) bluezTrouble(f *finding) {
	for _, g := range groupLines(logLines(q.stdout(bluezLog)), 2) {
		if g.source != "bluetoothd" {
			continue
		}
		text := cutRunes(g.text, 120)
		if g.count > 1 {
			text = q.say(i18n.HelperBluetoothBluezLogTimes(text, g.count))
		}
		f.note(q.say(i18n.HelperBluetoothBluezLog(text)))
		switch low := strings.ToLower(g.text); {
		case strings.Contains(low, "protocol not available"):
			f.meaning = q.say(i18n.HelperBluetoothMeansAudio)
			f.propose(command(bluetoothAudio), q.say(i18n.HelperSoundAskRestartSound(bluetoothAudio)))
		case containsAny(low, "host is down", "page-timeout"):
			f.meaning = q.say(i18n.HelperBluetoothMeansAsleep)
		case containsAny(low, "authentication", "key missing", "permission denied"):
			f.meaning = q.say(i18n.HelperBluetoothMeansRepair)
		}
		return
	}
}
