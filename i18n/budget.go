package i18n

// BudgetAmounts formats a limit and the amount used of it, in dollars or tokens.
func BudgetAmounts(lang Lang, limit, used float64, tokens bool) (most, spent string) {
	if tokens {
		return BudgetTokens.In(lang, Count(int64(limit))), Count(int64(used))
	}
	return Dollars(limit), Dollars(used)
}

// Budget formats today's budget. share is the used part of the limit, 1 for all of it.
func Budget(lang Lang, limit, used float64, tokens bool, share float64) string {
	most, spent := BudgetAmounts(lang, limit, used, tokens)
	return BudgetLine.In(lang, most, spent, int(share*100))
}
