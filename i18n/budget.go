package i18n

// BudgetAmounts write a limit and what is used of it: dollars, or tokens.
func BudgetAmounts(lang Lang, limit, used float64, tokens bool) (most, spent string) {
	if tokens {
		return BudgetTokens.In(lang, Count(int64(limit))), Count(int64(used))
	}
	return Dollars(limit), Dollars(used)
}

// Budget tells how a day's budget stands; share is what is used of the limit, 1 for
// all of it.
func Budget(lang Lang, limit, used float64, tokens bool, share float64) string {
	most, spent := BudgetAmounts(lang, limit, used, tokens)
	return BudgetLine.In(lang, most, spent, int(share*100))
}
