package machine

// packages maps programs to their Arch packages (pacman -F).
var packages = map[string]string{
	"arch-audit": "arch-audit", "bash": "bash", "cat": "coreutils", "checkupdates": "pacman-contrib",
	"df": "coreutils", "dkms": "dkms", "du": "coreutils", "find": "findutils", "findmnt": "util-linux",
	"free": "procps-ng", "getent": "glibc", "grep": "grep", "head": "coreutils", "ip": "iproute2",
	"journalctl": "systemd", "ls": "coreutils", "lsblk": "util-linux", "lscpu": "util-linux", "lspci": "pciutils",
	"lsusb": "usbutils", "nmcli": "networkmanager", "openssl": "openssl", "paccache": "pacman-contrib",
	"pacman": "pacman", "pgrep": "procps-ng", "ping": "iputils", "ps": "procps-ng", "sensors": "lm_sensors",
	"smartctl": "smartmontools", "sort": "coreutils", "ss": "iproute2", "sudo": "sudo", "systemctl": "systemd",
	"systemd-analyze": "systemd", "tail": "coreutils", "uname": "coreutils", "upower": "upower",
	"uptime": "procps-ng", "yay": "yay (AUR)",
}

// PackageOf returns the Arch package of a program, or "" if it is not in the table. It never guesses a package's
// name.
func PackageOf(program string) string { return packages[program] }
