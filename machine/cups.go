package machine

import "strings"

// PrintingProbe lists the printers and their jobs.
var PrintingProbe = Probe{"lpstat", "-t"}

// PrintQueue is one printer of lpstat.
type PrintQueue struct {
	Name, Device, Reason string
	Disabled, Rejecting  bool
	Ready                bool // lpstat reports it as enabled
}

// Printing is the output of lpstat -t.
type Printing struct {
	Queues      []PrintQueue
	DefaultName string // the default printer
	Jobs        int
	None        bool // lpstat reports that there is no printer
}

// Queue returns the printer of that name, which is added if it is not there.
func (p *Printing) Queue(name string) *PrintQueue {
	for i := range p.Queues {
		if p.Queues[i].Name == name {
			return &p.Queues[i]
		}
	}
	p.Queues = append(p.Queues, PrintQueue{Name: name})
	return &p.Queues[len(p.Queues)-1]
}

// jobName matches a job of lpstat: the printer and a number.
var jobName = pattern(`^\S+-\d+$`)

// ParsePrinting parses lpstat -t (lpstat(1)). The reason of a paused printer is on the indented line below it.
func ParsePrinting(text []byte) (Printing, error) {
	var p Printing
	paused, known := "", false
	for _, line := range Lines(text) {
		f := strings.Fields(line)
		reasonOf := paused
		paused = ""
		switch {
		case strings.HasPrefix(line, "scheduler is"):
			known = true
		case strings.HasPrefix(line, "no system default"), strings.Contains(line, "No destinations added"):
			p.None, known = true, true
		case strings.HasPrefix(line, "system default destination: "):
			p.DefaultName = strings.TrimPrefix(line, "system default destination: ")
		case strings.HasPrefix(line, "device for ") && len(f) >= 4:
			p.Queue(strings.TrimSuffix(f[2], ":")).Device = f[3]
		case strings.HasPrefix(line, "printer ") && len(f) >= 3:
			q := p.Queue(f[1])
			if f[2] == "disabled" {
				q.Disabled, paused = true, f[1]
			}
			q.Ready = !q.Disabled && strings.Contains(line, "enabled")
		case len(f) > 2 && f[1] == "not" && f[2] == "accepting":
			p.Queue(f[0]).Rejecting = true
		case strings.HasPrefix(line, " ") && reasonOf != "":
			p.Queue(reasonOf).Reason = cutRunes(strings.TrimSpace(line), 100)
		case len(f) >= 4 && jobName().MatchString(f[0]) && !strings.HasPrefix(line, " ") && f[1] != "accepting":
			p.Jobs++
		}
	}
	return readable(p, known || len(p.Queues) > 0, "lpstat")
}
