package boot

import (
	"path"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

// checkModules checks that drivers which are built on their own exist for the installed kernels.
func (t *tree) checkModules(kernels []machine.Kernel) {
	t.checkDKMS(kernels)
	t.checkNvidia(kernels)
}

// checkDKMS checks that each module is built for each kernel: dkms(8) keeps them as MODULE/VERSION/RELEASE/ARCHITECTURE.
func (t *tree) checkDKMS(kernels []machine.Kernel) {
	const dir = "/var/lib/dkms"
	for _, module := range t.list(dir) {
		for _, version := range t.list(path.Join(dir, module)) {
			place := path.Join(dir, module, version)
			if !t.exists(path.Join(place, "source")) {
				continue // kernel-RELEASE-ARCHITECTURE is a link
			}
			for _, k := range kernels {
				if !t.exists(path.Join(place, k.Release)) {
					t.add(machine.BootRed, machine.ModuleUnbuilt, module+"/"+version, k.Release, "")
				}
			}
		}
	}
}

// nvidiaPackages are the packages with NVIDIA's module, and the kernel that each is for; "" means each with headers, by DKMS.
var nvidiaPackages = map[string]string{
	"nvidia": "linux", "nvidia-open": "linux", "nvidia-lts": "linux-lts", "nvidia-open-lts": "linux-lts",
	"nvidia-dkms": "", "nvidia-open-dkms": "",
}

// checkNvidia checks that NVIDIA's module exists for its kernel, in the version of its libraries.
func (t *tree) checkNvidia(kernels []machine.Kernel) {
	versions := map[string]string{}
	for _, entry := range t.list("/var/lib/pacman/local") {
		name, version := splitEntry(entry)
		if _, is := nvidiaPackages[name]; is || name == "nvidia-utils" {
			versions[name] = version
		}
	}
	utils := versions["nvidia-utils"]
	for name, flavor := range nvidiaPackages {
		version, installed := versions[name]
		if !installed {
			continue
		}
		if utils != "" && version != utils {
			t.add(machine.BootRed, machine.NvidiaOther, version, utils, "")
		}
		for _, k := range kernels {
			if k.Package == flavor && !t.hasModule(k.Release, "nvidia.ko") {
				t.add(machine.BootRed, machine.NvidiaMissing, k.Release, name, "")
			}
		}
	}
}

// splitEntry splits NAME-VERSION-RELEASE of pacman's database into the name and the version without its epoch's mark.
func splitEntry(entry string) (name, version string) {
	rest, _, _ := cutLast(entry)
	name, version, _ = cutLast(rest)
	return name, version
}

func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, '-')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// hasModule reports whether a module that is built on its own exists for a kernel, perhaps compressed.
func (t *tree) hasModule(release, name string) bool {
	for _, dir := range []string{"extramodules", "updates", "updates/dkms", "extra", "kernel/drivers/video"} {
		for _, file := range t.list(path.Join(modules, release, dir)) {
			if file == name || strings.HasPrefix(file, name+".") {
				return true
			}
		}
	}
	return false
}
