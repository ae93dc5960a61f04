package machine

import "encoding/json"

// NextStartProbe reads whether the machine will start again. [ParseNextStart] reads it.
var NextStartProbe = Probe{"blunux-ai", "boot", "--json"}

// BootWeight says what a finding means for the next start.
type BootWeight string

// The weights, gravest first.
const (
	BootRed     BootWeight = "red"     // the next start would fail, or lack a driver
	BootUnknown BootWeight = "unknown" // it could not be looked at, so nobody knows
	BootNote    BootWeight = "note"    // worth knowing; the next start does not depend on it
)

// BootCode names what was found about the next start.
type BootCode string

// The findings. Their comments say what Subject and Detail are.
const (
	NoKernel       BootCode = "no-kernel"       // no kernel is installed
	NoEntry        BootCode = "no-entry"        // no boot loader has an entry for a kernel
	NotMounted     BootCode = "not-mounted"     // Subject: the mount point of fstab that should have the boot files
	FileMissing    BootCode = "file-missing"    // Subject: the file that an entry names
	KernelMissing  BootCode = "kernel-missing"  // Subject: the package whose kernel is not in the boot files
	KernelCut      BootCode = "kernel-cut"      // Subject: a kernel that ends too early
	KernelOther    BootCode = "kernel-other"    // Subject: a kernel; Detail: its release, and that of the installed package
	ModulesMissing BootCode = "modules-missing" // Subject: a kernel; Detail: its release, which has no modules
	ImageMissing   BootCode = "image-missing"   // Subject: a kernel whose entry names no image
	ImageCut       BootCode = "image-cut"       // Subject: an image that does not decompress to its end
	ImageOther     BootCode = "image-other"     // Subject: an image; Detail: the release that it lacks the modules of
	ImageOld       BootCode = "image-old"       // Subject: an image that is older than its kernel and could not be read
	ImageSmall     BootCode = "image-small"     // Subject: an image; Detail: its bytes, and those of a larger one of its kind
	RootMissing    BootCode = "root-missing"    // Subject: the root file system that an entry names; no disk has it
	MountMissing   BootCode = "mount-missing"   // Subject: the mount point; Detail: the device of fstab that no disk has
	ModuleUnbuilt  BootCode = "module-unbuilt"  // Subject: a DKMS module; Detail: the release that it is not built for
	NvidiaMissing  BootCode = "nvidia-missing"  // Subject: the release without NVIDIA's module
	NvidiaOther    BootCode = "nvidia-other"    // Subject: the module's version; Detail: that of nvidia-utils
	BootNoRoom     BootCode = "no-room"         // Subject: the directory; Detail: free bytes and needed ones
	OneKernel      BootCode = "one-kernel"      // Subject: the only package with a kernel
	BootUnreadable BootCode = "unreadable"      // Subject: the file or directory; Detail: why
)

// BootFinding is one fact about the next start.
type BootFinding struct {
	Code    BootCode   `json:"code"`
	Weight  BootWeight `json:"weight"`
	Subject string     `json:"subject,omitempty"`
	Detail  string     `json:"detail,omitempty"`
	// Entry is the file of the boot entry, "" if it concerns none.
	Entry string `json:"entry,omitempty"`
}

// NextStart is what is known about the next start of the machine.
type NextStart struct {
	Kernels  []Kernel      `json:"kernels"`
	Entries  []BootEntry   `json:"entries"`
	Findings []BootFinding `json:"findings"` // gravest first
}

// Worst returns the gravest weight of the findings, [BootNote] if there are none.
func (r NextStart) Worst() BootWeight {
	if len(r.Findings) == 0 {
		return BootNote
	}
	return r.Findings[0].Weight
}

// BootEntry is an entry of a boot loader that starts a kernel. Its files are absolute paths.
type BootEntry struct {
	Loader string   `json:"loader"` // systemd-boot, grub, limine or uki
	File   string   `json:"file"`   // where it stands
	Title  string   `json:"title,omitempty"`
	Kernel string   `json:"kernel"`
	Images []string `json:"images,omitempty"`
	// Options is the kernel's command line.
	Options string `json:"options,omitempty"`
	// Spare reports that it is not what the loader starts by itself.
	Spare bool `json:"spare,omitempty"`
	// Release is that of the kernel, "" if it is not known.
	Release string `json:"release,omitempty"`
	// Program reports that it starts a program of EFI, as another system's loader.
	Program bool `json:"program,omitempty"`
}

// ParseNextStart parses [NextStartProbe].
func ParseNextStart(text []byte) (NextStart, error) {
	var n NextStart
	err := json.Unmarshal(text, &n)
	return readable(n, err == nil && len(n.Kernels)+len(n.Entries)+len(n.Findings) > 0, "blunux-ai boot")
}
