package i18n

// Effect says what a program does, by a code and what it does it to. An unknown code is returned unchanged.
func Effect(code, what string, lang Lang) string {
	if _, ok := EffectsOf()[code]; ok && what != "" {
		return EffectsOf.fill(lang, code, what)
	}
	return Effects.In(code, lang)
}
