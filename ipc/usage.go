package ipc

// UsageSum is what a number of requests to models took.
type UsageSum struct {
	Requests int64 `json:"requests"`
	In       int64 `json:"in"` // tokens, the cached ones among them
	Out      int64 `json:"out"`
	Cached   int64 `json:"cached"`
	// CostUSD is what those requests cost whose price is known, in US dollars;
	// Unpriced counts the others, so that with any the cost is at least that.
	CostUSD  float64 `json:"cost_usd"`
	Unpriced int64   `json:"unpriced"`
}

// UsageRow is the sum of a day, a provider or what else was asked for. Name is
// "" where that is not known: conversations of long ago are not told apart.
type UsageRow struct {
	Name string `json:"name"`
	UsageSum
}

// UsageReport is the data of the result of the query "usage".
type UsageReport struct {
	// Turns, In and Out are of this daemon, since it started.
	Turns int `json:"turns"`
	In    int `json:"in"`
	Out   int `json:"out"`
	// Since is the first day that is counted; "" for all.
	Since  string     `json:"since"`
	By     string     `json:"by"`
	Rows   []UsageRow `json:"rows"`
	Total  UsageSum   `json:"total"`
	Today  UsageSum   `json:"today"`
	Budget *DayBudget `json:"budget,omitempty"`
}

// DayBudget is how the budget of a day stands.
type DayBudget struct {
	Day string `json:"day"` // the person's local one
	// Limit is the configuration's name of the limit that is nearest.
	Limit       string  `json:"limit"`
	CostUSD     float64 `json:"cost_usd"` // spent of it
	Tokens      int64   `json:"tokens"`
	DailyUSD    float64 `json:"daily_usd,omitempty"`
	DailyTokens int64   `json:"daily_tokens,omitempty"`
	// PerAutomationUSD is for each automation.
	PerAutomationUSD float64 `json:"per_automation_usd,omitempty"`
	Share            float64 `json:"share"` // of the limit, 1 when it is reached
	Warn             bool    `json:"warn"`
	Reached          bool    `json:"reached"`
	WhenReached      string  `json:"when_reached"` // local or stop
	Renews           int     `json:"renews_s"`     // until the day ends
}

// Nearest returns the limit that is nearest and what is used of it, in US dollars
// or, where tokens is true, in tokens.
func (b DayBudget) Nearest() (limit, used float64, tokens bool) {
	switch b.Limit {
	case "daily_tokens":
		return float64(b.DailyTokens), float64(b.Tokens), true
	case "per_automation_usd":
		return b.PerAutomationUSD, b.CostUSD, false
	}
	return b.DailyUSD, b.CostUSD, false
}

// ModelPrice is what a million tokens of a model cost, in US dollars.
type ModelPrice struct {
	Input  float64 `json:"input"`
	Cached float64 `json:"cached"`
	Output float64 `json:"output"`
	// Noted is the day the vendor's page said so; "" for one of the person's
	// configuration, or of what costs nothing.
	Noted string `json:"noted,omitempty"`
	// Own reports that the person's configuration says so.
	Own bool `json:"own,omitempty"`
}

// ModelInfo is a model that can be chosen.
type ModelInfo struct {
	ID      string      `json:"id"`
	Context int         `json:"context,omitempty"` // tokens; 0 where it is not known
	Price   *ModelPrice `json:"price,omitempty"`   // nil where it is not known
	Images  bool        `json:"images,omitempty"`
	// Live reports that the provider's server names it.
	Live bool `json:"live,omitempty"`
}

// The states of a provider's key.
const (
	KeyPresent  = "present"
	KeyMissing  = "missing"
	KeyOptional = "optional" // there is none, and it does without
	KeyNone     = "none"     // it takes none
	KeyBad      = "bad"      // there is one that must not be used
)

// Why a provider answers.
const (
	WhyConfigured  = "configured"  // the configuration or a flag says so
	WhyEnvironment = "environment" // LLM_PROVIDER says so
	WhyKey         = "key"         // its key is the first that was found
	WhyLogin       = "login"       // somebody is logged in to it
	WhyLocal       = "local"       // a server on this computer was found
	WhyNothing     = "nothing"     // nothing else was found
)

// ProviderModels is one provider in the result of the query "models".
type ProviderModels struct {
	Provider string   `json:"provider"`
	Label    string   `json:"label"`
	Default  string   `json:"default,omitempty"`
	Models   []string `json:"models"` // ids worth offering; any other works too
	// Known is the same with what is known of each, and what its server names.
	Known   []ModelInfo `json:"known"`
	BaseURL string      `json:"base_url,omitempty"`
	Key     string      `json:"key"`
	// KeyNames are the variables a key is looked for in.
	KeyNames []string `json:"key_names,omitempty"`
	Free     bool     `json:"free,omitempty"` // no request to it costs anything
	Plan     bool     `json:"plan,omitempty"` // because a plan or subscription pays
	// Answers is the model that answers now, where it is one of this provider;
	// Why is for what reason.
	Answers string `json:"answers,omitempty"`
	Why     string `json:"why,omitempty"`
	// Problem is why its server could not be asked, or why it cannot answer.
	Problem string `json:"problem,omitempty"`
}
