package report

import "github.com/nidoit/blunux-ai/i18n"

// knownMessage is a message with a known meaning.
type knownMessage struct {
	signs   []string // lower case, any of them
	meaning i18n.Text
}

// knownMessages explain messages of logs and failed commands, most specific first.
var knownMessages = []knownMessage{
	{[]string{"no space left on device", "enospc"}, i18n.HelperMeaningDiskFull},
	{[]string{"out of memory", "oom-kill", "oom_reaper"}, i18n.HelperMeaningOutOfMemory},
	{[]string{"segfault", "core dumped", "dumped core"}, i18n.HelperMeaningSegfault},
	{[]string{"read-only file system"}, i18n.HelperMeaningReadOnly},
	{[]string{"i/o error", "ata bus error", "medium error", "unrecovered read error"}, i18n.HelperMeaningDiskError},
	{[]string{"address already in use", "bind() to"}, i18n.HelperMeaningPortInUse},
	{[]string{"direct firmware load", "failed to load firmware", "firmware file"}, i18n.HelperMeaningNoFirmware},
	{[]string{"connection refused"}, i18n.HelperMeaningRefused},
	{[]string{"name or service not known", "temporary failure in name resolution", "could not resolve host", "no address associated"}, i18n.HelperMeaningNoDns},
	{[]string{"network is unreachable", "no route to host"}, i18n.HelperMeaningNoRoute},
	{[]string{"permission denied", "access denied", "operation not permitted"}, i18n.HelperMeaningPermission},
	{[]string{"unable to lock database"}, i18n.HelperMeaningPacmanLock},
	{[]string{"invalid or corrupted package", "is marginal trust", "unknown trust", "pgp signature"}, i18n.HelperMeaningSignature},
	{[]string{"conflicting files", "exists in filesystem"}, i18n.HelperMeaningFileConflict},
	{[]string{"target not found", "could not find all required packages"}, i18n.HelperMeaningNoPackage},
	{[]string{"breaks dependency", "could not satisfy dependencies", "required by"}, i18n.HelperMeaningDependency},
	{[]string{"failed retrieving file", "cannot fetch updates", "failed to retrieve", "failed to synchronize"}, i18n.HelperMeaningMirror},
	{[]string{"a password is required", "a terminal is required", "interactive authentication required", "no new privileges", "you cannot perform this operation unless you are root", "not authorized", "no authentication agent found", "error creating textual authentication agent", "request dismissed"}, i18n.HelperMeaningNoRights},
	{[]string{"status=203/exec", "failed to execute"}, i18n.HelperMeaningNoExecutable},
	{[]string{"start request repeated too quickly"}, i18n.HelperMeaningStartLimit},
	{[]string{"dependency failed"}, i18n.HelperMeaningFailedDependency},
	{[]string{"failed to start daemon:"}, i18n.HelperMeaningDocker},
	{[]string{"failed with result", "failed to start ", "main process exited"}, i18n.HelperMeaningExitCode},
	{[]string{"authentication failure", "failed password", "invalid user"}, i18n.HelperMeaningFailedLogin},
	{[]string{"ctrl-event-disconnected", "deauthenticat", "disassociated", "link becomes not ready"}, i18n.HelperMeaningWifiDropped},
	{[]string{"throttl", "temperature above threshold", "critical temperature"}, i18n.HelperMeaningThrottled},
	{[]string{"gpu hang", "gpu reset", "ring gfx", "ring sdma", "xid"}, i18n.HelperMeaningGpuHang},
	{[]string{"acpi error", "acpi bios error", "acpi warning"}, i18n.HelperMeaningAcpi},
	{[]string{"hardware error", "mce:"}, i18n.HelperMeaningHardwareError},
	{[]string{"kernel panic", "not syncing"}, i18n.HelperMeaningKernelPanic},
	{[]string{"device descriptor read", "device not accepting address", "unable to enumerate usb"}, i18n.HelperMeaningUsb},
	{[]string{"no such file or directory"}, i18n.HelperMeaningNoFile},
	{[]string{"command not found"}, i18n.HelperMeaningNoCommand},
	{[]string{"timed out", "timeout"}, i18n.HelperMeaningTimeout},
	{[]string{"undefined reference", "cannot find -l"}, i18n.HelperMeaningNoLibrary},
	{[]string{"modulenotfounderror", "importerror", "no module named"}, i18n.HelperMeaningNoModule},
}

// meaningOf explains a failed command's output, "" if it is not known.
func (r *result) meaningOf(text string) string {
	low := toLowerLimited(text)
	for _, k := range knownMessages {
		if containsAny(low, k.signs...) {
			return r.say(k.meaning)
		}
	}
	return ""
}
