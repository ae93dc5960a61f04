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
	{"BLUNUX_AI_LANG", ManVariablesBlunuxAiLang},
	{"LC_ALL, LC_MESSAGES, LANG", ManVariablesLcAllLcMessagesLang},
	{"BLUNUX_AI_HOME", ManVariablesBlunuxAiHome},
	{"BLUNUX_AI_SOCK", ManVariablesBlunuxAiSock},
	{"BLUNUX_AI_PROVIDER, BLUNUX_AI_MODEL", ManVariablesBlunuxAiProviderBlunuxAiModel},
	{"BLUNUX_AI_AUTOMATIONS", ManVariablesBlunuxAiAutomations},
	{"BLUNUX_AI_LOG", ManVariablesBlunuxAiLog},
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
