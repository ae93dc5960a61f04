# Run as root after the boot: BlueZ and UPower on the system bus, by python-dbusmock's templates. Its devices keep the
# state that Connect and Disconnect signal.
set -eu
echo 'tester ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/tester
chmod 440 /etc/sudoers.d/tester
/usr/bin/python3 -c 'import dbusmock' 2>/dev/null && command -v bluetoothctl upower >/dev/null || exit 0
cat >/etc/dbus-1/system.d/mock.conf <<'XML'
<busconfig><policy user="root"><allow send_destination="org.freedesktop.UPower"/></policy></busconfig>
XML
busctl call org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus ReloadConfig
templates=$(/usr/bin/python3 -c 'import dbusmock, os; print(os.path.dirname(dbusmock.__file__))')/templates
sed -E "s/^( +)device\.connected = (True|False)$/&\n\1device.props[DEVICE_IFACE]['Connected'] = dbus.Boolean(\2, variant_level=1)/" "$templates/bluez5.py" >/run/bluez.py
systemd-run --quiet --unit=mock-bluez /usr/bin/python3 -m dbusmock --system --template /run/bluez.py
systemd-run --quiet --unit=mock-upower /usr/bin/python3 -m dbusmock --system --template upower
until busctl status org.bluez >/dev/null 2>&1 && busctl status org.freedesktop.UPower >/dev/null 2>&1; do sleep 0.1; done
bluez() { busctl call org.bluez /org/bluez org.bluez.Mock "$@" >/dev/null; }
bluez AddAdapter ss hci0 computer
bluez AddDevice sss hci0 AA:BB:CC:00:11:22 'WH-1000XM5'
bluez AddDevice sss hci0 AA:BB:CC:00:11:33 'MX Master 3'
busctl call org.freedesktop.UPower /org/freedesktop/UPower org.freedesktop.DBus.Mock AddDischargingBattery ssdx battery_BAT0 Battery 63 5400 >/dev/null
