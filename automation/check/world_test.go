package check_test

import "testing"

// laptop is a healthy machine except for the recorded outputs.
func laptop(t testing.TB) machine {
	t.Helper()
	return machine{
		"df": recorded(t, "df.txt"),
		"df -B1 --output=source,fstype,size,used,avail,target --": ok("Filesystem Type 1B-blocks Used Avail Mounted on\n/dev/sda1 ext4 1000 100 900 /\n"),
		"cat /proc/meminfo":                recorded(t, "meminfo.txt"),
		"cat /proc/pressure/memory":        recorded(t, "pressure.txt"),
		"systemctl":                        ok("[]\n"),
		"journalctl --no-pager -n 0":       ok("-- No entries --\n"),
		"journalctl":                       ok(""),
		"checkupdates":                     recorded(t, "updates-pending.txt"),
		"pacman -Qu":                       recorded(t, "updates-ignored.txt"),
		"pacman -Qdtq":                     ok("blunux-orphan\n"),
		"find /var/lib/pacman/sync":        ok("1772900000.1234567890\n1772800000.0000000000\n"),
		"arch-audit":                       ok(""),
		"uname":                            ok("6.17.7-arch1-1\n"),
		"find /usr/lib/modules":            recorded(t, "modules.txt"),
		"grep -s -H . /usr/lib/modules":    ok("/usr/lib/modules/6.12.58-1-lts/pkgbase:linux-lts\n/usr/lib/modules/6.17.7-arch1-1/pkgbase:linux\n"),
		"lsblk":                            recorded(t, "lsblk-desktop.json"),
		"smartctl":                         recorded(t, "smart-nvme.json"),
		"sensors":                          recorded(t, "sensors.json"),
		"find /sys/class/thermal":          ok("thermal_zone0\nthermal_zone1\n"),
		"grep -s -H . /sys/class/thermal":  recorded(t, "zones.txt"),
		"find /sys/class/power_supply":     ok("BAT0\nAC\nhidpp_battery_0\n"),
		"cat /sys/class/power_supply/BAT0": recorded(t, "uevent-battery.txt"),
		"cat /sys/class/power_supply/AC":   ok("POWER_SUPPLY_NAME=AC\nPOWER_SUPPLY_TYPE=Mains\nPOWER_SUPPLY_ONLINE=1\n"),
		"cat /sys/class/power_supply/hidpp_battery_0": recorded(t, "uevent-mouse.txt"),
		"find /etc": ok(""),
		"find -H":   ok(""),
		"openssl":   recorded(t, "certificate.txt"),
		"ip":        recorded(t, "route.json"),
		"ping":      ok("1 received"),
	}
}
