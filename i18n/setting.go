package i18n

// SettingTypes are the names of TOML's types.
var SettingTypes = map[string]Text{
	"integer":         SettingTypesInteger,
	"float":           SettingTypesFloat,
	"boolean":         SettingTypesBoolean,
	"string":          SettingTypesString,
	"array":           SettingTypesArray,
	"table":           SettingTypesTable,
	"list of strings": SettingTypesListOfStrings,
	"list of tables":  SettingTypesListOfTables,
}
