package ipc

// UsageSum is the usage of a number of requests to models.
type UsageSum struct {
	Requests int64 `json:"requests"`
	In       int64 `json:"in"` // tokens, including the cached ones
	Out      int64 `json:"out"`
	Cached   int64 `json:"cached"`
	// CostUSD is the cost of the requests with a known price, in US dollars. Unpriced counts the others. If it is
	// not 0, the cost is a lower bound.
	CostUSD  float64 `json:"cost_usd"`
	Unpriced int64   `json:"unpriced"`
}

// UsageRow is the sum of a day, a provider or another group. Name is "" if it is unknown, as for old
// conversations, which are not listed separately.
type UsageRow struct {
	Name string `json:"name"`
	UsageSum
}

// UsageReport is the result data of the query "usage".
type UsageReport struct {
	// Turns, In and Out count since the start of this daemon.
	Turns int `json:"turns"`
	In    int `json:"in"`
	Out   int `json:"out"`
	// Since is the first counted day, "" for all.
	Since  string     `json:"since"`
	By     string     `json:"by"`
	Rows   []UsageRow `json:"rows"`
	Total  UsageSum   `json:"total"`
	Today  UsageSum   `json:"today"`
	Budget *DayBudget `json:"budget,omitempty"`
}

// DayBudget is the state of a day's budget.
type DayBudget struct {
	Day string `json:"day"` // in the person's time zone
	// Limit is the setting of the limit that is nearest.
	Limit       string  `json:"limit"`
	CostUSD     float64 `json:"cost_usd"` // spent so far
	Tokens      int64   `json:"tokens"`
	DailyUSD    float64 `json:"daily_usd,omitempty"`
	DailyTokens int64   `json:"daily_tokens,omitempty"`
	// PerAutomationUSD is the limit of each automation.
	PerAutomationUSD float64 `json:"per_automation_usd,omitempty"`
	Share            float64 `json:"share"` // used share of the limit, 1 when reached
	Warn             bool    `json:"warn"`
	Reached          bool    `json:"reached"`
	WhenReached      string  `json:"when_reached"` // local or stop
	Renews           int     `json:"renews_s"`     // until the day ends
}

// Nearest returns the limit that is nearest and the used amount, in US dollars or, if tokens is true, in tokens.
func (b DayBudget) Nearest() (limit, used float64, tokens bool) {
	switch b.Limit {
	case "daily_tokens":
		return float64(b.DailyTokens), float64(b.Tokens), true
	case "per_automation_usd":
		return b.PerAutomationUSD, b.CostUSD, false
	}
	return b.DailyUSD, b.CostUSD, false
}

// ModelPrice is the price of a million tokens of a model, in US dollars.
type ModelPrice struct {
	Input  float64 `json:"input"`
	Cached float64 `json:"cached"`
	Output float64 `json:"output"`
	// Noted is the day of the vendor's price list. It is "" for configured prices and free models.
	Noted string `json:"noted,omitempty"`
	// Own reports that the price is from the person's configuration.
	Own bool `json:"own,omitempty"`
}

// ModelInfo is a model that can be chosen.
type ModelInfo struct {
	ID      string      `json:"id"`
	Context int         `json:"context,omitempty"` // tokens, 0 if unknown
	Price   *ModelPrice `json:"price,omitempty"`   // nil if unknown
	Images  bool        `json:"images,omitempty"`
	// Live reports that the provider's server lists it.
	Live bool `json:"live,omitempty"`
}

// The states of a provider's key.
const (
	KeyPresent  = "present"
	KeyMissing  = "missing"
	KeyOptional = "optional" // missing, but not required
	KeyNone     = "none"     // the provider uses no key
	KeyBad      = "bad"      // it exists but must not be used
)

// The reasons for the choice of a provider.
const (
	WhyConfigured  = "configured"  // set by the configuration or a flag
	WhyEnvironment = "environment" // set by LLM_PROVIDER
	WhyKey         = "key"         // the first provider with a key
	WhyLogin       = "login"       // the user is logged in to it
	WhyLocal       = "local"       // a server on this computer was found
	WhyNothing     = "nothing"     // no other provider was found
)

// ProviderModels is one provider in the result of the query "models".
type ProviderModels struct {
	Provider string   `json:"provider"`
	Label    string   `json:"label"`
	Default  string   `json:"default,omitempty"`
	Models   []string `json:"models"` // suggested ids, others work too
	// Known describes the same models, and those that its server lists.
	Known   []ModelInfo `json:"known"`
	BaseURL string      `json:"base_url,omitempty"`
	Key     string      `json:"key"`
	// KeyNames lists the environment variables for the key.
	KeyNames []string `json:"key_names,omitempty"`
	Free     bool     `json:"free,omitempty"` // all its requests are free
	Plan     bool     `json:"plan,omitempty"` // because they are part of a subscription
	// Answers is the current model, if it is one of this provider. Why is the reason for its choice.
	Answers string `json:"answers,omitempty"`
	Why     string `json:"why,omitempty"`
	// Problem is why its server could not be reached, or why it cannot answer.
	Problem string `json:"problem,omitempty"`
}
