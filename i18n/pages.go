package i18n

// Term is a name and its meaning.
type Term struct {
	Name    string
	Meaning Text
}

// ExitCodes are the exit statuses of both programs; see docs/exit-codes.md.
var ExitCodes = []Term{
	{"0", ExitCodes0},
	{"1", ExitCodes1},
	{"2", ExitCodes2},
	{"3", ExitCodes3},
	{"4", ExitCodes4},
	{"5", ExitCodes5},
	{"6", ExitCodes6},
	{"7", ExitCodes7},
	{"8", ExitCodes8},
	{"9", ExitCodes9},
	{"10", ExitCodes10},
	{"124", ExitCodes124},
	{"130", ExitCodes130},
}

// ManVariables are the environment variables that both programs read.
var ManVariables = []Term{
	{"BLUNUX_AI_LANG", HelpBlunuxAiLang},
	{"LC_ALL, LC_MESSAGES, LANG", ManVariablesLcAllLcMessagesLang},
	{"BLUNUX_AI_HOME", HelpBlunuxAiHome},
	{"BLUNUX_AI_SOCK", HelpBlunuxAiSock},
	{"BLUNUX_AI_PROVIDER, BLUNUX_AI_MODEL", HelpBlunuxAiProviderBlunuxAiModel},
	{"BLUNUX_AI_AUTOMATIONS", HelpBlunuxAiAutomations},
	{"BLUNUX_AI_LOG", HelpBlunuxAiLog},
	{"NO_COLOR", ManVariablesNoColor},
	{"VISUAL, EDITOR", ManVariablesVisualEditor},
}

// ManPlaces are the files of both programs.
var ManPlaces = []Term{
	{"~/.config/blunux-ai/config.toml, config.d/*.toml", ManPlacesConfigBlunuxAiConfigTomlConfigDToml},
	{"~/.config/blunux-ai/automations.toml, automations.d/*.toml", ManPlacesConfigBlunuxAiAutomationsTomlAutomationsDToml},
	{"~/.config/blunux-ai/credentials/", ManPlacesConfigBlunuxAiCredentials},
	{"~/.config/blunux-ai/memory/", ManPlacesConfigBlunuxAiMemory},
	{"~/.config/blunux-ai/sessions/", ManPlacesConfigBlunuxAiSessions},
	{"~/.config/blunux-ai/logs/", ManPlacesConfigBlunuxAiLogs},
	{"$XDG_RUNTIME_DIR/blunux-ai.sock", ManPlacesXdgRuntimeDirBlunuxAiSock},
}

func aiItself() map[string]Page {
	return map[string]Page{
		"blunux-ai": {
			Short: HelpBlunuxAiShort,
			Long:  HelpBlunuxAiLong,
			Flags: map[string]Text{
				"blunux-config": HelpBlunuxAiFlagsBlunuxConfig,
			},
		},
	}
}

func aiDaemon() map[string]Page {
	return map[string]Page{
		"blunux-ai daemon": {
			Short:   HelpBlunuxAiDaemonShort,
			Long:    HelpBlunuxAiDaemonLong,
			Example: HelpBlunuxAiDaemonExample,
			Flags: map[string]Text{
				"provider":  HelpBlunuxAiDaemonFlagsProvider,
				"lang":      FlagLang,
				"idle-exit": HelpBlunuxAiDaemonFlagsIdleExit,
			},
		},
	}
}

func aiCheck() map[string]Page {
	return map[string]Page{
		"blunux-ai check": {
			Short:   HelpBlunuxAiCheckShort,
			Long:    HelpBlunuxAiCheckLong,
			Example: HelpBlunuxAiCheckExample,
			Flags: map[string]Text{
				"json":      FlagJsonThis,
				"jsonl":     HelpBlunuxAiCheckFlagsJsonl,
				"explain":   HelpBlunuxAiCheckFlagsExplain,
				"exit-code": HelpBlunuxAiCheckFlagsExitCode,
			},
		},
	}
}

func aiPaths() map[string]Page {
	return map[string]Page{
		"blunux-ai paths": {
			Short: HelpBlunuxAiPathsShort,
			Flags: map[string]Text{"json": FlagJsonThis},
		},
	}
}

func aiMcp() map[string]Page {
	return map[string]Page{
		"blunux-ai mcp": {
			Short:   HelpBlunuxAiMcpShort,
			Long:    HelpBlunuxAiMcpLong,
			Example: HelpBlunuxAiMcpExample,
			Flags: map[string]Text{
				"turn": HelpBlunuxAiMcpFlagsTurn,
			},
		},
	}
}

func aiMemory() map[string]Page {
	return map[string]Page{
		"blunux-ai memory": {
			Short:   HelpBlunuxAiMemoryShort,
			Long:    HelpBlunuxAiMemoryLong,
			Example: HelpBlunuxAiMemoryExample,
			Flags: map[string]Text{
				"lang": HelpBlunuxAiMemoryFlagsLang,
			},
		},
		"blunux-ai memory show":  {Short: CmdMemoryShow, Flags: map[string]Text{"json": FlagJsonThis}},
		"blunux-ai memory count": {Short: CmdMemoryCount, Flags: map[string]Text{"json": FlagJsonThis}},
		"blunux-ai memory search": {Short: CmdMemorySearch, Flags: map[string]Text{
			"json": FlagJsonThis, "limit": FlagLimit, "category": FlagCategories,
		}},
		"blunux-ai memory remember": {Short: CmdMemoryRemember, Flags: map[string]Text{
			"json": FlagJsonThis, "key": FlagNoteKey, "category": FlagNoteCategory,
		}},
		"blunux-ai memory forget":  {Short: CmdMemoryForget, Flags: map[string]Text{"json": FlagJsonThis}},
		"blunux-ai memory user":    {Short: HelpBlunuxAiMemoryUserShort, Flags: map[string]Text{"json": FlagJsonThis}},
		"blunux-ai memory refresh": {Short: CmdMemoryRefresh, Flags: map[string]Text{"json": FlagJsonThis}},
		"blunux-ai memory clear":   {Short: CmdMemoryClear, Flags: map[string]Text{"json": FlagJsonThis, "yes": FlagYes}},
		"blunux-ai memory edit":    {Short: HelpBlunuxAiMemoryEditShort},
		"blunux-ai memory export":  {Short: HelpBlunuxAiMemoryExportShort},
		"blunux-ai memory import":  {Short: HelpBlunuxAiMemoryImportShort, Flags: map[string]Text{"json": FlagJsonThis}},
	}
}

func aiSign() map[string]Page {
	return map[string]Page{
		"blunux-ai sign": {
			Short:   HelpBlunuxAiSignShort,
			Example: HelpBlunuxAiSignExample,
			Flags:   map[string]Text{"json": FlagJsonThis},
		},
		"blunux-ai withdraw": {Short: HelpBlunuxAiWithdrawShort, Flags: map[string]Text{"json": FlagJsonThis}},
	}
}

func aiSetup() map[string]Page {
	return map[string]Page{
		"blunux-ai setup": {
			Short:   HelpBlunuxAiSetupShort,
			Long:    HelpBlunuxAiSetupLong,
			Example: HelpBlunuxAiSetupExample,
			Flags: map[string]Text{
				"accessible":      HelpBlunuxAiSetupFlagsAccessible,
				"non-interactive": HelpBlunuxAiSetupFlagsNonInteractive,
				"provider":        HelpBlunuxAiSetupFlagsProvider,
				"model":           HelpBlunuxAiSetupFlagsModel,
				"base-url":        HelpBlunuxAiSetupFlagsBaseUrl,
				"key-file":        HelpBlunuxAiSetupFlagsKeyFile,
				"claude-mode":     HelpBlunuxAiSetupFlagsClaudeMode,
				"language":        HelpBlunuxAiSetupFlagsLanguage,
				"allow-whatsapp":  HelpBlunuxAiSetupFlagsAllowWhatsapp,
				"allow-telegram":  HelpBlunuxAiSetupFlagsAllowTelegram,
				"allow-discord":   HelpBlunuxAiSetupFlagsAllowDiscord,
				"automations":     HelpBlunuxAiSetupFlagsAutomations,
				"insecure-http":   HelpBlunuxAiSetupFlagsInsecureHttp,
				"no-verify":       HelpBlunuxAiSetupFlagsNoVerify,
				"json":            HelpBlunuxAiSetupFlagsJson,
			},
		},
	}
}

func aiConfig() map[string]Page {
	return map[string]Page{
		"blunux-ai config": {
			Short:   HelpBlunuxAiConfigShort,
			Long:    HelpBlunuxAiConfigLong,
			Example: HelpBlunuxAiConfigExample,
		},
		"blunux-ai config check": {
			Short: HelpBlunuxAiConfigCheckShort,
			Long:  HelpBlunuxAiConfigCheckLong,
			Flags: map[string]Text{
				"verbose": HelpBlunuxAiConfigCheckFlagsVerbose,
				"json":    FlagJsonThis,
			},
		},
		"blunux-ai config path": {Short: HelpBlunuxAiConfigPathShort, Flags: map[string]Text{"json": FlagJsonThis}},
		"blunux-ai config show": {
			Short:   HelpBlunuxAiConfigShowShort,
			Long:    HelpBlunuxAiConfigShowLong,
			Example: HelpBlunuxAiConfigShowExample,
			Flags:   map[string]Text{"json": FlagJsonThis},
		},
	}
}

func aiConfigCarry() map[string]Page {
	return map[string]Page{
		"blunux-ai config export": {
			Short:   HelpBlunuxAiConfigExportShort,
			Long:    HelpBlunuxAiConfigExportLong,
			Example: HelpBlunuxAiConfigExportExample,
		},
		"blunux-ai config import": {
			Short:   HelpBlunuxAiConfigImportShort,
			Long:    HelpBlunuxAiConfigImportLong,
			Example: HelpBlunuxAiConfigImportExample,
			Flags: map[string]Text{
				"dry-run": HelpBlunuxAiConfigImportFlagsDryRun,
				"keys":    HelpBlunuxAiConfigImportFlagsKeys,
				"yes":     HelpBlunuxAiConfigImportFlagsYes,
				"json":    FlagJsonThis,
			},
		},
	}
}

func aiDoctor() map[string]Page {
	return map[string]Page{
		"blunux-ai doctor": {
			Short:   HelpBlunuxAiDoctorShort,
			Long:    HelpBlunuxAiDoctorLong,
			Example: HelpBlunuxAiDoctorExample,
			Flags: map[string]Text{
				"offline": HelpBlunuxAiDoctorFlagsOffline,
				"fix":     HelpBlunuxAiDoctorFlagsFix,
				"report":  HelpBlunuxAiDoctorFlagsReport,
				"json":    FlagJsonThis,
			},
		},
	}
}

func aiStatus() map[string]Page {
	return map[string]Page{
		"blunux-ai status": {
			Short: HelpBlunuxAiStatusShort,
			Long:  HelpBlunuxAiStatusLong,
			Flags: map[string]Text{"json": FlagJsonThis},
		},
	}
}

func aiLogs() map[string]Page {
	return map[string]Page{
		"blunux-ai logs": {
			Short:   HelpBlunuxAiLogsShort,
			Long:    HelpBlunuxAiLogsLong,
			Example: HelpBlunuxAiLogsExample,
			Flags: map[string]Text{
				"follow": HelpBlunuxAiLogsFlagsFollow,
				"lines":  HelpBlunuxAiLogsFlagsLines,
				"json":   HelpBlunuxAiLogsFlagsJson,
			},
		},
	}
}

func aiChat() map[string]Page {
	return map[string]Page{
		"blunux-ai chat": {
			Short:   HelpBlunuxAiChatShort,
			Long:    HelpBlunuxAiChatLong,
			Example: HelpBlunuxAiChatExample,
			Flags: map[string]Text{
				"continue": FlagContinue,
				"session":  HelpBlunuxAiChatFlagsSession,
				"resume":   HelpBlunuxAiChatFlagsResume,
				"plain":    HelpBlunuxAiChatFlagsPlain,
				"no-color": HelpBlunuxAiChatFlagsNoColor,
				"lang":     FlagLang,
			},
		},
	}
}

func aictlItself() map[string]Page {
	return map[string]Page{
		"blunux-aictl": {
			Long:    HelpBlunuxAictlLong,
			Example: HelpBlunuxAictlExample,
		},
	}
}

func aictlAsk() map[string]Page {
	return map[string]Page{
		"blunux-aictl ask": {
			Long:    HelpBlunuxAictlAskLong,
			Example: HelpBlunuxAictlAskExample,
		},
	}
}

func aictlApprove() map[string]Page {
	return map[string]Page{
		"blunux-aictl approve": {
			Long:    HelpBlunuxAictlApproveLong,
			Example: HelpBlunuxAictlApproveExample,
		},
	}
}

func aictlAutomations() map[string]Page {
	return map[string]Page{
		"blunux-aictl automations": {
			Long: HelpBlunuxAictlAutomationsLong,
		},
		"blunux-aictl automations add": {
			Long:    HelpBlunuxAictlAutomationsAddLong,
			Example: HelpBlunuxAictlAutomationsAddExample,
		},
		"blunux-aictl automations edit": {
			Example: HelpBlunuxAictlAutomationsEditExample,
		},
		"blunux-aictl automations snooze": {
			Example: HelpBlunuxAictlAutomationsSnoozeExample,
		},
	}
}

func aictlSessions() map[string]Page {
	return map[string]Page{
		"blunux-aictl sessions": {
			Long:    HelpBlunuxAictlSessionsLong,
			Example: HelpBlunuxAictlSessionsExample,
		},
	}
}

func aictlLog() map[string]Page {
	return map[string]Page{
		"blunux-aictl log": {
			Long:    HelpBlunuxAictlLogLong,
			Example: HelpBlunuxAictlLogExample,
		},
	}
}

func aictlStatus() map[string]Page {
	return map[string]Page{
		"blunux-aictl status": {
			Long: HelpBlunuxAictlStatusLong,
		},
	}
}

func aictlModels() map[string]Page {
	return map[string]Page{
		"blunux-aictl models": {
			Long:    HelpBlunuxAictlModelsLong,
			Example: HelpBlunuxAictlModelsExample,
		},
	}
}

func aictlUsage() map[string]Page {
	return map[string]Page{
		"blunux-aictl usage": {
			Long:    HelpBlunuxAictlUsageLong,
			Example: HelpBlunuxAictlUsageExample,
		},
	}
}

func aictlPairing() map[string]Page {
	return map[string]Page{
		"blunux-aictl pairing": {
			Long:    HelpBlunuxAictlPairingLong,
			Example: HelpBlunuxAictlPairingExample,
		},
		"blunux-aictl pairing remove": {
			Long: HelpBlunuxAictlPairingRemoveLong,
		},
	}
}

func aictlCall() map[string]Page {
	return map[string]Page{
		"blunux-aictl call": {
			Long:    HelpBlunuxAictlCallLong,
			Example: HelpBlunuxAictlCallExample,
		},
	}
}

func telegramItself() map[string]Page {
	return map[string]Page{
		"blunux-telegram-bridge": {
			Long:    HelpBlunuxTelegramBridgeLong,
			Example: HelpBlunuxTelegramBridgeExample,
		},
	}
}

func telegramLogin() map[string]Page {
	return map[string]Page{
		"blunux-telegram-bridge login": {
			Long:    HelpBlunuxTelegramBridgeLoginLong,
			Example: HelpBlunuxTelegramBridgeLoginExample,
		},
	}
}

func telegramLogout() map[string]Page {
	return map[string]Page{
		"blunux-telegram-bridge logout": {
			Long:    HelpBlunuxTelegramBridgeLogoutLong,
			Example: HelpBlunuxTelegramBridgeLogoutExample,
		},
	}
}

func telegramStatus() map[string]Page {
	return map[string]Page{
		"blunux-telegram-bridge status": {
			Long: HelpBlunuxTelegramBridgeStatusLong,
		},
	}
}

func whatsAppItself() map[string]Page {
	return map[string]Page{
		"blunux-wa-bridge": {
			Short:   CmdWhatsApp,
			Long:    HelpBlunuxWaBridgeLong,
			Example: HelpBlunuxWaBridgeExample,
			Flags:   map[string]Text{"lang": FlagLang},
		},
	}
}

func whatsAppLogin() map[string]Page {
	return map[string]Page{
		"blunux-wa-bridge login": {
			Short:   CmdWhatsAppLogin,
			Long:    HelpBlunuxWaBridgeLoginLong,
			Example: HelpBlunuxWaBridgeLoginExample,
			Flags:   map[string]Text{"code": FlagWhatsAppCode, "png": FlagWhatsAppPng, "again": FlagWhatsAppAgain, "yes": FlagYes, "lang": FlagLang},
		},
	}
}

func whatsAppLogout() map[string]Page {
	return map[string]Page{
		"blunux-wa-bridge logout": {
			Short:   CmdWhatsAppLogout,
			Long:    HelpBlunuxWaBridgeLogoutLong,
			Example: HelpBlunuxWaBridgeLogoutExample,
			Flags:   map[string]Text{"yes": FlagYes, "lang": FlagLang},
		},
	}
}

func whatsAppStatus() map[string]Page {
	return map[string]Page{
		"blunux-wa-bridge status": {
			Short:   CmdWhatsAppStatus,
			Long:    HelpBlunuxWaBridgeStatusLong,
			Example: HelpBlunuxWaBridgeStatusExample,
			Flags:   map[string]Text{"json": FlagJsonThis, "lang": FlagLang},
		},
	}
}
