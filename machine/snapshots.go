package machine

import "strings"

var (
	// SnapperConfigsProbe lists the configurations of snapper with their subvolumes, which every user may see: snapper(8).
	SnapperConfigsProbe = Probe{"snapper", "--machine-readable", "csv", "list-configs"}
	// SnapshotHooksProbe lists the hooks of pacman that take snapshots, such as those of snap-pac: alpm-hooks(5).
	SnapshotHooksProbe = Probe{"grep", "-rl", "-e", "snap-pac", "-e", "snapper", "--", "/usr/share/libalpm/hooks", "/etc/pacman.d/hooks"}
)

// ParseSnapperRoot returns the configuration of the root file system from [SnapperConfigsProbe], "" if there is none.
func ParseSnapperRoot(text []byte) (name string, err error) {
	lines := Lines(text)
	for _, line := range lines {
		if config, of, ok := strings.Cut(line, ","); ok && of == "/" && config != "" && strings.Trim(config, configLetters) == "" {
			name = config
		}
	}
	return readable(name, len(lines) > 0 && lines[0] == "config,subvolume", "snapper list-configs")
}

// configLetters are those of a configuration's name that can be a word of a command.
const configLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."

// SnapshotChange is a file that differs between two snapshots: Sign is '+' for a new one, '-' for one that is gone.
type SnapshotChange struct {
	Sign byte
	Path string
}

// ParseSnapshotChanges parses what snapper status prints, "+..... /etc/x" (snapper(8)). It skips names with control characters.
func ParseSnapshotChanges(text []byte) (all []SnapshotChange, err error) {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		flags, path, ok := strings.Cut(line, " ")
		if ok && flags != "" && strings.HasPrefix(path, "/") && CleanLine(path) == path {
			all = append(all, SnapshotChange{flags[0], path})
		}
	}
	return rows(all, text, "snapper status")
}
