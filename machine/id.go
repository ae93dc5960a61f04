package machine

import "strconv"

// IDProbe shows the user and the groups.
var IDProbe = Probe{"id"}

// Identity is the output of id.
type Identity struct {
	UID    int
	User   string
	Groups []string // the names of all groups
}

var (
	idUser  = pattern(`^uid=(\d+)\(([^)]+)\)`)
	idGroup = pattern(`[=,]\d+\(([^)]+)\)`)
)

// ParseID parses id(1): "uid=1000(blu) gid=1000(blu) groups=1000(blu),998(wheel)".
func ParseID(text []byte) (Identity, error) {
	m := idUser().FindSubmatchIndex(text)
	if m == nil {
		return Identity{}, &UnreadableError{Source: "id"}
	}
	uid, err := strconv.Atoi(string(text[m[2]:m[3]]))
	id := Identity{UID: uid, User: string(text[m[4]:m[5]])}
	for _, g := range idGroup().FindAllSubmatch(text[m[1]:], -1) {
		id.Groups = append(id.Groups, string(g[1]))
	}
	return readable(id, err == nil, "id")
}
