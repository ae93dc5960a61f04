package offline

import (
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// Section is a topic that the helper understands, with example requests.
type Section struct {
	Title    i18n.Text
	Examples []i18n.Text
}

// Guide returns the topics that the helper understands, for display. A test verifies that every example is
// understood in every language.
func Guide() []Section { return guide }

var guide = []Section{
	{i18n.HelperGuideDisksAndFiles, []i18n.Text{
		i18n.HelperGuideIsMyDiskFull, i18n.HelperGuideWhatTakesUpAll, i18n.HelperGuideIsMySsdHealthy,
	}},
	{i18n.HelperGuideSlownessMemoryPrograms, []i18n.Text{
		i18n.HelperGuideWhyIsMyComputer, i18n.HelperGuideWhichProgramsUseThe, i18n.HelperGuideIsFirefoxStillRunning,
		i18n.HelperGuideWhyDoesBootingTake,
	}},
	{i18n.HelperGuideInternetAndWiFi, []i18n.Text{
		i18n.HelperGuideMyInternetIsNot, i18n.HelperGuideTheWifiKeepsDropping, i18n.HelperGuideWhatsMyIpAddress,
		i18n.HelperGuideWhichPortsAreOpen,
	}},
	{i18n.HelperGuideSoundBluetoothPrinterInput, []i18n.Text{
		i18n.HelperGuideThereIsNoSound, i18n.HelperGuideBluetoothDoesNotWork, i18n.HelperGuideThePrinterDoesNot,
		i18n.HelperGuideICannotTypeKorean, i18n.HelperGuideHowMuchBatteryIs, i18n.HelperGuideHowHotIsMy,
	}},
	{i18n.HelperGuideServicesAndLogs, []i18n.Text{
		i18n.HelperGuideAnyFailedServices, i18n.HelperGuideWhyDidDockerCrash, i18n.HelperGuideShowMeTheErrors,
	}},
	{i18n.HelperGuidePackagesAndSystem, []i18n.Text{
		i18n.HelperGuideAreThereAnyUpdates, i18n.HelperGuideIsVlcInstalled, i18n.HelperGuideSearchForAScreen,
		i18n.HelperGuideShowMeTheSpecs, i18n.HelperGuideWhichTimeZoneAm,
	}},
	{i18n.HelperGuideTheDesktop, []i18n.Text{
		i18n.HelperGuideVolumeUp, i18n.HelperGuideSetTheBrightnessTo, i18n.HelperGuideOpenFirefox,
		i18n.HelperGuideWhatIsMyHostname, i18n.HelperGuideShowMeEtcHosts,
	}},
	{i18n.HelperGuideNotes, []i18n.Text{
		i18n.HelperGuideRememberThatMyNas, i18n.HelperGuideWhatDidITell, i18n.HelperGuideForgetMyNas,
	}},
	{i18n.HelperGuideChangesTheCommandIs, []i18n.Text{
		i18n.HelperGuideInstallVlc, i18n.HelperGuideRestartBluetooth, i18n.HelperGuideMakeSshdStartAt,
		i18n.HelperGuideUpdateEverything, i18n.HelperGuideRunGitCSrc, i18n.HelperGuideWhatDidYouDo,
	}},
}

// Followups returns replies whose meaning depends on the conversation.
func Followups() []i18n.Text { return followups }

var followups = []i18n.Text{
	i18n.HelperGuideFollowupsWhy, i18n.HelperGuideFollowupsRestartIt, i18n.HelperGuideFollowupsAndMemory,
	i18n.HelperGuideFollowupsShowMore, i18n.HelperGuideFollowupsYesDoIt,
}

// Examples returns example requests in a language, shown for a greeting or an empty question. The default is English.
func Examples(lang i18n.Lang) []string {
	var out []string
	for _, s := range guide {
		out = append(out, s.Examples[0].In(lang))
	}
	return out
}

// exampleRequests maps each read-only step to a request that leads to it.
var exampleRequests = map[string]i18n.Text{
	"check_disk":      i18n.HelperGuideExampleCheckDisk,
	"find_large":      i18n.HelperGuideExampleFindLarge,
	"check_memory":    i18n.HelperGuideExampleCheckMemory,
	"check_processes": i18n.HelperGuideExampleCheckProcesses,
	"read_logs":       i18n.HelperGuideExampleReadLogs,
	"list_packages":   i18n.HelperGuideExampleListPackages,
	"search_packages": i18n.HelperGuideExampleSearchPackages,
	"package_info":    i18n.HelperGuideExamplePackageInfo,
	"check_updates":   i18n.HelperGuideExampleCheckUpdates,
	"check_service":   i18n.HelperGuideExampleCheckService,
	"system_info":     i18n.HelperGuideExampleSystemInfo,
	"check_boot":      i18n.HelperGuideExampleCheckBoot,
	"recent_changes":  i18n.HelperGuideExampleRecentChanges,

	"check_network wifi":         i18n.HelperGuideExampleCheckNetworkWifi,
	"check_network connectivity": i18n.HelperGuideExampleCheckNetworkConnectivity,
	"check_network ip":           i18n.HelperGuideExampleCheckNetworkIp,
	"check_network ports":        i18n.HelperGuideExampleCheckNetworkPorts,

	"check_hardware":             i18n.HelperGuideExampleCheckHardware,
	"check_hardware battery":     i18n.HelperGuideExampleCheckHardwareBattery,
	"check_hardware temperature": i18n.HelperGuideExampleCheckHardwareTemperature,
	"check_hardware gpu":         i18n.HelperGuideExampleCheckHardwareGpu,
	"check_hardware usb":         i18n.HelperGuideExampleCheckHardwareUsb,
	"check_hardware disk":        i18n.HelperGuideExampleCheckHardwareDisk,
	"check_hardware cpu":         i18n.HelperGuideExampleCheckHardwareCpu,
}

// namedRequests maps a read-only step on something named to a request that leads to it, by tool and input.
var namedRequests = []struct {
	tool, input string
	request     func(name string) i18n.Text
}{
	{"package_info", "name", i18n.HelperGuideExamplePackageNamed},
	{"check_service", "name", i18n.HelperGuideExampleServiceNamed},
	{"check_processes", "name", i18n.HelperGuideExampleProcessNamed},
	{"read_logs", "unit", i18n.HelperGuideExampleLogNamed},
	{"search_packages", "query", i18n.HelperGuideExampleSearchFor},
}

// exampleOf returns a request that leads to step s, "" if none is known.
func exampleOf(s intent.Step, lang i18n.Lang) string {
	for _, n := range namedRequests {
		if name, _ := s.Input[n.input].(string); n.tool == s.Tool && name != "" {
			return n.request(name).In(lang)
		}
	}
	scope, _ := s.Input["scope"].(string)
	for _, key := range []string{s.Tool + " " + scope, s.Tool} {
		if text, ok := exampleRequests[key]; ok {
			return text.In(lang)
		}
	}
	return ""
}
