package safety

import (
	"strings"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// inspected are the fields of containers, images and volumes that a template can print: states, addresses, paths and
// sizes. Fields with text that a person typed are left out: environments, labels, command lines and driver options.
var inspected = words(`
	.Id .ID .Name .Created .CreatedAt .CreatedSince .Image .ImageName .Driver .Platform .Architecture .Os .Size .SizeRw .SizeRootFs .VirtualSize .RestartCount
	.RepoTags .RepoDigests .Parent .RootFS .RootFS.Layers .RootFS.Type .LogPath .Mountpoint .Scope .Mounts .Tag
	.State .State.Status .State.Running .State.Paused .State.Restarting .State.OOMKilled .State.Dead .State.Pid .State.ExitCode .State.Error
	.State.StartedAt .State.FinishedAt .State.Health.Status .State.Health.FailingStreak
	.NetworkSettings.IPAddress .NetworkSettings.Gateway .NetworkSettings.MacAddress .NetworkSettings.Ports .NetworkSettings.Networks .NetworkSettings.IPPrefixLen
	.NetworkSettings.GlobalIPv6Address .HostConfig.RestartPolicy .HostConfig.RestartPolicy.Name .HostConfig.PortBindings .HostConfig.NetworkMode .HostConfig.Memory
	.HostConfig.NanoCpus .HostConfig.CpuShares .HostConfig.Privileged .HostConfig.Binds .HostConfig.AutoRemove
	.Config.Image .Config.Hostname .Config.User .Config.WorkingDir .Config.ExposedPorts .Config.StopSignal .Config.Tty`)

// templateAction matches one action of a Go template: a chain of fields, optionally as JSON.
var templateAction = lazyregexp.New(`^(-\s)?\s*(json\s+)?(\.[A-Za-z0-9]+(\.[A-Za-z0-9]+)*)\s*(\s-)?$`)

// listedTemplate reports whether a template only prints literal text and listed fields. Other constructs of the
// language (range, with, functions, variables, the whole object) are refused.
func listedTemplate(template string) bool {
	found := false
	for {
		text, rest, more := strings.Cut(template, "{{")
		if strings.Contains(text, "}}") {
			return false
		}
		if !more {
			return found
		}
		action, after, closed := strings.Cut(rest, "}}")
		m := templateAction.FindStringSubmatch(action)
		if !closed || m == nil || !inspected.has(m[3]) {
			return false
		}
		found, template = true, after
	}
}

// deepest is the depth of a refusal that takes precedence over those of other forms.
const deepest = 1 << 10

// listedFields requires a template of listed fields. Without one, the environment is printed too.
func listedFields(_ *invocation, p *parsed) *refusal {
	templates := p.values("format", "f")
	for _, f := range templates {
		if template, known := f.val.lit(); !known || !listedTemplate(template) {
			return deny("environment", f.val.String(), deepest)
		}
	}
	if len(templates) == 0 {
		return deny("environment", p.operands[0].val.String(), deepest)
	}
	return nil
}

// plainResources are the kinds of cluster resources without environments and data.
var plainResources = words(`svc service services node nodes no ns namespace namespaces pv pvc persistentvolume persistentvolumes persistentvolumeclaim
	persistentvolumeclaims ing ingress ingresses ep endpoints ev event events sc storageclass storageclasses quota resourcequota resourcequotas limitrange limitranges`)

// noClusterEnvironment refuses arguments that print the environment of pods or the data of a cluster: descriptions and
// whole objects of kinds other than plainResources, secrets in any form, and templates in files.
func noClusterEnvironment(in *invocation, p *parsed) *refusal {
	if r := noSecretResource(in, p); r != nil {
		return r
	}
	verb, _ := p.operands[0].val.lit()
	whole := verb == "describe"
	for _, f := range p.values("o", "output") {
		word, _ := f.val.lit()
		whole = whole || word != "wide" && word != "name"
	}
	if !whole || verb != "get" && verb != "describe" {
		return nil
	}
	if len(p.operands) < 2 {
		return deny("environment", verb, 1)
	}
	kinds, _ := p.operands[1].val.lit()
	kinds, _, _ = strings.Cut(kinds, "/")
	for kind := range strings.SplitSeq(kinds, ",") {
		if !plainResources.has(strings.ToLower(kind)) {
			return deny("environment", p.operands[1].val.String(), 1)
		}
	}
	for _, f := range p.operands[2:] {
		if word, known := f.val.lit(); !known || strings.Contains(word, "/") { // KIND/NAME of another kind
			return deny("environment", f.val.String(), 1)
		}
	}
	return nil
}
