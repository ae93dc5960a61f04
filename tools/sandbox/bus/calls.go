package bus

import "strings"

// Call identifies the target of a method call.
type Call struct{ Destination, Interface, Member string }

// driver is the name of the bus itself.
const driver = "org.freedesktop.DBus"

// readingMembers lists the members that only read, by interface. A * at one end of a member matches anything. Members
// that are not listed are refused.
//
// Sources: org.freedesktop.systemd1(5) and its siblings, the NetworkManager D-Bus reference, UPower, UDisks, BlueZ and
// fwupd interface descriptions, MPRIS, the portal documentation, Fcitx 5's dbusmodule, firewalld's D-Bus interface.
var readingMembers = map[string]string{
	"org.freedesktop.DBus.Properties":     "Get GetAll",
	"org.freedesktop.DBus.Introspectable": "Introspect",
	"org.freedesktop.DBus.Peer":           "Ping GetMachineId",
	"org.freedesktop.DBus.ObjectManager":  "GetManagedObjects",

	"org.freedesktop.systemd1.Manager": "GetUnit GetUnitByPID GetUnitByPIDFD GetUnitByInvocationID GetUnitByControlGroup LoadUnit " +
		"ListUnits ListUnitsFiltered ListUnitsByPatterns ListUnitsByNames ListUnitFiles ListUnitFilesByPatterns GetUnitFileState " +
		"GetUnitFileLinks ListJobs GetJob GetJobAfter GetJobBefore GetDefaultTarget GetUnitProcesses GetDynamicUsers " +
		"LookupDynamicUserByName LookupDynamicUserByUID Subscribe Unsubscribe Dump DumpUnitsMatchingPatterns",
	"org.freedesktop.systemd1.Unit":    "GetProcesses",
	"org.freedesktop.systemd1.Service": "GetProcesses",
	"org.freedesktop.systemd1.Slice":   "GetProcesses",
	"org.freedesktop.systemd1.Scope":   "GetProcesses",
	"org.freedesktop.login1.Manager": "ListSessions ListSessionsEx ListUsers ListSeats ListInhibitors GetSession GetSessionByPID " +
		"GetUser GetUserByPID GetSeat CanPowerOff CanReboot CanHalt CanSuspend CanHibernate CanHybridSleep CanSuspendThenHibernate CanSleep",
	"org.freedesktop.machine1.Manager":  "ListMachines ListImages GetMachine GetImage GetMachineByPID GetMachineAddresses GetMachineOSRelease",
	"org.freedesktop.portable1.Manager": "ListImages GetImage GetImageState",
	"org.freedesktop.resolve1.Manager":  "ResolveHostname ResolveAddress ResolveRecord ResolveService GetLink",
	"org.freedesktop.network1.Manager":  "ListLinks GetLinkByName GetLinkByIndex Describe",
	"org.freedesktop.network1.Link":     "Describe",
	"org.freedesktop.hostname1":         "Describe",
	"org.freedesktop.timedate1":         "ListTimezones",
	"org.freedesktop.home1.Manager":     "ListHomes GetHomeByName GetHomeByUID",

	"org.freedesktop.NetworkManager":                     "GetDevices GetAllDevices GetDeviceByIpIface GetPermissions GetLogging CheckConnectivity",
	"org.freedesktop.NetworkManager.Settings":            "ListConnections GetConnectionByUuid",
	"org.freedesktop.NetworkManager.Settings.Connection": "GetSettings",
	"org.freedesktop.NetworkManager.Device":              "GetAppliedConnection",
	// RequestScan makes the radio refresh the list, which "wifi list" needs.
	"org.freedesktop.NetworkManager.Device.Wireless": "GetAccessPoints GetAllAccessPoints RequestScan",

	"org.freedesktop.UPower":              "EnumerateDevices EnumerateKbdBacklights GetDisplayDevice GetCriticalAction",
	"org.freedesktop.UPower.Device":       "GetHistory GetStatistics",
	"org.freedesktop.UPower.KbdBacklight": "GetBrightness GetMaxBrightness",
	"org.freedesktop.UDisks2.Manager":     "GetBlockDevices GetDrives ResolveDevice CanFormat CanResize CanCheck CanRepair",
	"org.freedesktop.fwupd": "GetDevices GetUpgrades GetHistory GetRemotes GetReleases GetDowngrades GetPlugins GetResults " +
		"GetApprovedFirmware GetBlockedFirmware GetHostSecurityAttrs GetHostSecurityEvents GetReportMetadata",
	"org.freedesktop.bolt1.Manager":     "ListDevices DeviceByUid ListDomains",
	"org.freedesktop.Accounts":          "ListCachedUsers FindUserById FindUserByName",
	"org.freedesktop.Notifications":     "GetCapabilities GetServerInformation",
	"org.freedesktop.ScreenSaver":       "GetActive GetActiveTime GetSessionIdleTime",
	"org.freedesktop.portal.Settings":   "Read ReadOne ReadAll",
	"org.freedesktop.ColorManager":      "GetDevices GetProfiles GetSensors",
	"com.redhat.tuned.control":          "active_profile profiles profiles2 is_running profile_info recommend_profile",
	"org.kde.kscreen.Backend":           "getConfig getEdid",
	"org.kde.KWin":                      "supportInformation activeOutputName",
	"org.opensuse.Snapper":              "ListConfigs GetConfig ListSnapshots GetSnapshot GetDefaultSnapshot GetActiveSnapshot GetUsedSpace GetFiles GetNumFiles",
	"net.connman.iwd.Station":           "GetOrderedNetworks GetHiddenAccessPoints",
	"org.freedesktop.Avahi.Server":      "Get* Is* Resolve* *BrowserNew *ResolverNew",
	"org.freedesktop.Avahi.Server2":     "Get* Is* *BrowserPrepare *ResolverPrepare",
	"org.gnome.Shell.Extensions":        "ListExtensions GetExtensionInfo GetExtensionErrors",
	"org.xfce.Xfconf":                   "GetProperty GetAllProperties ListChannels PropertyExists IsPropertyLocked",
	"org.gtk.vfs.MountTracker":          "ListMounts ListMounts2 ListMountableInfo LookupMount",
	"org.fcitx.Fcitx.Controller1":       "CurrentInputMethod CurrentInputMethodGroup AvailableInputMethods InputMethodGroups InputMethodGroupInfo FullInputMethodGroupInfo State CurrentUI AddonForIM GetConfig GetAddons GetAddonsV2 DebugInfo AvailableKeyboardLayouts",
	"org.fcitx.Fcitx.InputMethod1":      "Version",
	"org.fedoraproject.FirewallD1":      "get* query* list*",
	"org.fedoraproject.FirewallD1.zone": "get* query*",
}

// driverMembers are the allowed calls to the bus itself. They do not include owning a name, starting a service and
// monitoring all messages.
const driverMembers = "Hello AddMatch RemoveMatch GetNameOwner NameHasOwner ListNames ListActivatableNames ListQueuedOwners GetId " +
	"GetConnectionUnixUser GetConnectionUnixProcessID GetConnectionCredentials"

// onDemand are system services that only run while a client uses them: starting one changes nothing, and
// without it there is no answer.
var onDemand = nameSet("org.freedesktop.hostname1 org.freedesktop.timedate1 org.freedesktop.locale1 org.freedesktop.login1 " +
	"org.freedesktop.machine1 org.freedesktop.portable1 org.freedesktop.UPower org.freedesktop.UDisks2 org.freedesktop.fwupd " +
	"org.freedesktop.bolt org.freedesktop.ColorManager org.freedesktop.UPower.PowerProfiles net.hadess.PowerProfiles org.opensuse.Snapper")

func nameSet(list string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		set[name] = true
	}
	return set
}

// IsReading reports whether a call is known to only read. A call without an interface is not, because the service
// would choose one.
func IsReading(c Call) bool {
	if c.Destination == driver && c.Interface == driver {
		return matches(driverMembers, c.Member)
	}
	return matches(readingMembers[c.Interface], c.Member)
}

func matches(members, member string) bool {
	for one := range strings.FieldsSeq(members) {
		prefix, begins := strings.CutSuffix(one, "*")
		suffix, ends := strings.CutPrefix(one, "*")
		if one == member || begins && strings.HasPrefix(member, prefix) || ends && strings.HasSuffix(member, suffix) {
			return true
		}
	}
	return false
}
