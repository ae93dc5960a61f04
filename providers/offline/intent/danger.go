package intent

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// destructivePatterns matches commands that destroy data irrecoverably. The safety checker judges every command anyway.
// These patterns make the answer explain the refusal instead of proposing a command that will be blocked.
var destructivePatterns = patterns(
	`\brm\s+(?:-\S+\s+)*-\S*[rRfF]\S*\s+(?:--\S+\s+)*(?:--\s+)?["']?(?:/|~|\$HOME|\$\{?HOME|\*|\.\*|\.\.?(?:\s|/|$))`,
	`\brm\s+.*--no-preserve-root`,
	`\bdd\b.*\bof=["']?/dev/`,
	`\bmkfs(?:\.\w+)?\b|\bmkswap\s+/dev/|\bwipefs\b|\bblkdiscard\b|\bshred\b|\bsgdisk\b.*(?:-Z|--zap)|\bcryptsetup\s+(?:luksFormat|erase)|\bparted\b.*\bmklabel\b|\bhdparm\b.*--security-erase|\bnvme\s+format\b|\bbadblocks\s+.*-w`,
	`>\s*/dev/(?:sd|nvme|vd|hd|mmcblk|mapper)`,
	`\b(?:chmod|chown|chgrp)\s+(?:-\S+\s+)*-\S*R\S*\s+\S+\s+(?:/|~|\$HOME)(?:\s|$|\*)|\b(?:chmod|chown|chgrp)\s+(?:-R\s+)?\S+\s+(?:-R\s+)?/(?:\s|$)`,
	`\bchmod\s+(?:-\S+\s+)*0?000\s+/`,
	`:\s*\(\s*\)\s*\{`,
	`\bfind\s+.*\s-delete\b|\bfind\s+.*-exec\s+(?:sudo\s+)?(?:rm|shred)\b|\|\s*xargs\s+(?:-\S+\s+)*(?:sudo\s+)?rm\b`,
	`\b(?:curl|wget)\b.*\|\s*(?:sudo\s+)?(?:ba|z|da|fi)?sh\b`,
	`\bmv\s+.*\s/dev/null|\bmv\s+(?:/|~|\$HOME)\S*\s+/dev/null`,
	`\b(?:pacman|yay|paru)\s+-R\S*\s+(?:.*\s)?(?:\$\(|`+"`"+`|-\s*$|linux\b|glibc\b|systemd\b|base\b|pacman\b|bash\b|coreutils\b|filesystem\b)|\|\s*(?:sudo\s+)?(?:pacman|yay|paru)\s+-R`,
	`\btruncate\s+-s\s*0\s+/|\bkill\s+-9\s+-1\b|\bcrontab\s+-r\b|\buserdel\b|/etc/(?:passwd|shadow|sudoers)\b.*(?:>|rm )|>\s*/etc/(?:passwd|shadow|fstab|sudoers)`,
	`\bgit\s+clean\s+-\S*[xX]|\bdocker\s+system\s+prune\s+-\S*a|\bbtrfs\s+subvolume\s+delete|\blvremove\b|\bvgremove\b|\bzpool\s+destroy\b|\bzfs\s+destroy\b`,
)

// ownRemoval matches a removal of something below the home, which the checker asks about: it is the person's own.
var ownRemoval = pattern(`\brm(?:\s+-[rRfivd]+)*(?:\s+["']?(?:~|\$HOME|\$\{HOME\})/[^\s;&|<>*?\[{}$"'` + "`" + `]+(?:/\*)?["']?)+`)

// accountDirectory matches the directories below the home that the checker blocks: settings and keys.
var accountDirectory = pattern(`/\.(?:config|local|local/share|ssh|gnupg|pki|password-store)(?:/|/\*)?["']?(?:\s|$)`)

// destructiveWords are cheap to search for. If none occurs, no pattern matches.
var destructiveWords = []string{"rm ", "rm\t", "dd ", "mkfs", "mkswap", "wipefs", "blkdiscard", "shred", "sgdisk", "cryptsetup", "parted", "hdparm", "nvme", "badblocks", "/dev/", "chmod", "chown", "chgrp", "{", "-delete", "-exec", "xargs", "| ", "|sh", "|bash", "-R", "truncate", "kill", "crontab", "userdel", "/etc/", "git clean", "prune", "subvolume", "remove", "destroy"}

func isDestructive(text string) bool {
	if !containsAny(text, destructiveWords...) {
		return false
	}
	text = ownRemoval().ReplaceAllStringFunc(text, func(rm string) string {
		if strings.Contains(rm, "..") || accountDirectory().MatchString(rm) {
			return rm
		}
		return rm[:len("rm")] + " -rf" // without its operands; what follows can be another one
	})
	return slices.ContainsFunc(destructivePatterns(), func(re *regexp.Regexp) bool { return re.MatchString(text) })
}

// danger returns why a request must be refused: "command", "secret", "files", "disk", "packages", "services" or
// "system"; "" if it need not be.
func (r *Reading) danger() string {
	if isDestructive(r.u.raw) {
		return "command"
	}
	if r.asksForKey() {
		return "secret"
	}
	for _, a := range r.acts {
		if a.form != formDo && !r.isMeans(a) {
			continue
		}
		if code := r.dangerOf(a); code != "" {
			return code
		}
	}
	if strings.Contains(r.u.raw, "/dev/") && r.has["@do"] && r.hasAny("@wipe", "@remove") {
		return "disk"
	}
	return ""
}

// isMeans reports whether the verb is the means of an order: "free some space by deleting my pictures".
func (r *Reading) isMeans(a act) bool {
	w := r.u.wordAt[a.start]
	return a.form == formMay && w > 0 && foldWord(r.u.words[w-1].text) == "by" && !r.u.question && !r.has["howto"]
}

func (r *Reading) dangerOf(a act) string {
	named := len(r.objectNames(a)) > 0
	switch a.verb {
	case "wipe":
		return r.dangerOfWiping(named)
	case "remove":
		return r.dangerOfRemoving(a, named)
	case "stop", "disable":
		if r.has["all"] && r.hasAny("service", "process") && !named {
			return "services"
		}
	}
	return ""
}

func (r *Reading) dangerOfWiping(named bool) string {
	switch {
	case r.hasAny("disk", "usb", "hwdisk", "boot"):
		return "disk"
	case r.hasAny("home", "file", "@path", "cache"):
		return "files"
	case r.hasAny("sysfiles", "whole", "all", "hardware", "it") && !named:
		return "system"
	case r.coverage() == 1 && r.onlyMeans("filler", "look", "greeting", "thanks", "help"):
		return "disk" // only the verb: assume a disk
	}
	return ""
}

var keyRequest = sync.OnceValue(func() *regexp.Regexp {
	key := `(?:private(?:\s+\w+)?\s+keys?|secret\s+(?:ssh|gpg|pgp)?\s*keys?|개인\s*키|비밀\s*키|비공개\s*키|프라이빗\s*키|私钥|私鑰|密钥文件|\bid_(?:rsa|ed25519|ecdsa)\b)`
	show := `(?:\bshow|\bprint|\bdisplay|\bread|\bcat\b|\bgive\b|\bwhat(?:'s| is)\b|\bcopy|\boutput|\bsee\b|보여|출력|읽어|알려|내용|복사|뭐야|显示|查看|看看|读|打印|给我)`
	return regexp.MustCompile(`(?is)^(?:.*` + show + `.*` + key + `|.*` + key + `.*` + show + `)`)
})

// asksForKey reports whether the request is to show a private key. Public keys with similar file names, and
// files of which only the permissions or the location are mentioned, do not count.
func (r *Reading) asksForKey() bool {
	low := strings.ToLower(r.u.raw)
	return containsAny(low, "key", "키", "钥", "鑰", "id_rsa", "id_ed", "id_ec") && !containsAny(low, ".pub", "permission", "error", "too open", "권한", "오류", "에러", "어디", "where", "what is a ", "difference", "how do", "how to", "how can") && keyRequest().MatchString(low)
}

func (r *Reading) dangerOfRemoving(a act, named bool) string {
	switch {
	case r.has["orphan"] && !named:
		return ""
	case r.has["sysfiles"], r.has["kernel"] && !named:
		return "system"
	case r.hasAny("home", "file", "@path", "cache", "log") && !r.namesPackage(named):
		return "files"
	case named:
		for _, n := range r.objectNames(a) {
			if wordsOf("essential-packages")[n.Package] {
				return "system"
			}
		}
		return ""
	case r.hasAny("disk", "usb"):
		return "disk"
	case r.has["all"] && r.hasAny("package", "app"):
		return "packages"
	case r.hasAny("all", "whole"):
		return "files"
	}
	return r.dangerOfWords(a)
}

// namesPackage reports whether a removal is of a program regardless of other words: "delete the firefox package
// and its files".
func (r *Reading) namesPackage(named bool) bool {
	return named && (r.hasAny("package", "app") || !r.hasAny("file", "@path", "cache", "home", "log"))
}

// dangerOfWords finds essential packages that are not listed as names, and file names.
func (r *Reading) dangerOfWords(a act) string {
	for _, w := range r.objectWords(a) {
		if wordsOf("essential-packages")[w.text] {
			return "system"
		}
		if looksLikeFile(w.text) {
			return "files"
		}
	}
	return ""
}

func looksLikeFile(s string) bool {
	i := strings.LastIndexByte(s, '.')
	return i > 0 && wordsOf("file-suffixes")[s[i+1:]] || strings.HasPrefix(s, "*.") || strings.ContainsAny(s, "/*")
}

func (r *Reading) hasAny(ids ...string) bool {
	return slices.ContainsFunc(ids, func(id string) bool { return r.has[id] })
}
