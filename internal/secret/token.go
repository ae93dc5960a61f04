package secret

import (
	"encoding/base64"
	"slices"
	"strings"
	"sync"
)

// shape is a rule with its anchors: every match contains one of these four-byte sequences, ignoring case.
type shape struct {
	anchors []string
	rule
}

// shapes returns the rules that need no known value. They are built once.
var shapes = sync.OnceValue(func() []shape {
	all := []shape{telegramShape(), jwtShape(), blockShape(), puttyShape(), bearerShape(), headerShape(), addressShape(), authShape()}
	for _, t := range tokens() {
		all = append(all, t.shape())
	}
	for _, p := range patterns() {
		all = append(all, p.shape())
	}
	return slices.Concat(all, cookieShapes(), commandShapes(), loginShapes(), assignmentShapes())
})

type alphabet [256]bool

func alphabetOf(also string) *alphabet {
	var a alphabet
	for c := range 256 {
		b := byte(c)
		a[c] = '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || strings.IndexByte(also, b) >= 0
	}
	return &a
}

// run returns the end of the run of the alphabet's bytes at an offset.
func (a *alphabet) run(s string, at int) int {
	for at < len(s) && a[s[at]] {
		at++
	}
	return at
}

// token is a secret that consists of a vendor prefix and characters of an alphabet.
type token struct {
	name     string
	prefix   string
	alphabet *alphabet
	min, max int // length after the prefix; max 0 means no limit
	// mixed requires a digit and letters of both cases, which random texts of this length have and words do
	// not. digit requires a digit.
	mixed, digit bool
}

// tokens returns the prefixes, with their documentation or the gitleaks rule they follow.
func tokens() []token {
	return slices.Concat(modelTokens(), codeTokens(), serviceTokens(), tokenFamilies())
}

// modelTokens are the tokens of language model services.
func modelTokens() []token {
	alnum, word := alphabetOf(""), alphabetOf("_-")
	return []token{
		// platform.claude.com: sk-ant-api03-, -admin01-, -oat01-; gitleaks anthropic.go.
		{name: "anthropic-key", prefix: "sk-ant-", alphabet: word, min: 20},
		// platform.openai.com; gitleaks openai.go. openrouter.ai: sk-or-v1-.
		{name: "openai-key", prefix: "sk-proj-", alphabet: word, min: 20},
		{name: "openai-key", prefix: "sk-svcacct-", alphabet: word, min: 20},
		{name: "openai-key", prefix: "sk-admin-", alphabet: word, min: 20},
		{name: "openrouter-key", prefix: "sk-or-v1-", alphabet: word, min: 20},
		// Many vendors use the bare form. sk-ssh-ed25519-cert-v01 of ssh is not a key.
		{name: "api-key", prefix: "sk-", alphabet: alnum, min: 20, digit: true},
		{name: "api-key", prefix: "sk-", alphabet: word, min: 32, mixed: true},
		{name: "groq-key", prefix: "gsk_", alphabet: alnum, min: 40, mixed: true},
		{name: "xai-key", prefix: "xai-", alphabet: alnum, min: 40, mixed: true},
		{name: "huggingface-token", prefix: "hf_", alphabet: alnum, min: 30},
		// cloud.google.com: API keys have 39 characters; gitleaks gcp.go.
		{name: "google-key", prefix: "AIza", alphabet: word, min: 35},
		{name: "google-token", prefix: "ya29.", alphabet: word, min: 20},
		{name: "google-token", prefix: "GOCSPX-", alphabet: word, min: 20},
		{name: "replicate-token", prefix: "r8_", alphabet: alnum, min: 36, mixed: true},
		{name: "perplexity-key", prefix: "pplx-", alphabet: alnum, min: 32, digit: true},
		{name: "nvidia-key", prefix: "nvapi-", alphabet: word, min: 40},
	}
}

// codeTokens are the tokens of code forges and package registries.
func codeTokens() []token {
	alnum, word := alphabetOf(""), alphabetOf("_-")
	return []token{
		// docs.github.com, authentication to GitHub; gitleaks github.go.
		{name: "github-token", prefix: "github_pat_", alphabet: alphabetOf("_"), min: 36},
		// docs.gitlab.com, token overview; gitleaks gitlab.go.
		{name: "gitlab-token", prefix: "glptt-", alphabet: word, min: 20},
		{name: "npm-token", prefix: "npm_", alphabet: alnum, min: 36},
		{name: "pypi-token", prefix: "pypi-AgEI", alphabet: word, min: 50},
		{name: "gitlab-token", prefix: "GR1348941", alphabet: word, min: 20},
		{name: "bitbucket-token", prefix: "ATBB", alphabet: alnum, min: 24, mixed: true},
		{name: "atlassian-token", prefix: "ATATT3", alphabet: alphabetOf("_-="), min: 60},
		{name: "atlassian-token", prefix: "ATCTT3", alphabet: alphabetOf("_-="), min: 60},
		// The form is "cio" and 32 letters and digits.
		{name: "crates-token", prefix: "cio", alphabet: alnum, min: 32, max: 32, mixed: true},
		{name: "rubygems-key", prefix: "rubygems_", alphabet: alnum, min: 40},
		{name: "clojars-token", prefix: "CLOJARS_", alphabet: alnum, min: 50},
		{name: "nuget-key", prefix: "oy2", alphabet: alnum, min: 43, max: 43, digit: true},
		{name: "docker-token", prefix: "dckr_pat_", alphabet: word, min: 20},
		{name: "docker-token", prefix: "dckr_oat_", alphabet: word, min: 20},
		{name: "sentry-token", prefix: "sntrys_", alphabet: alphabetOf("_-+/="), min: 40},
		{name: "sentry-token", prefix: "sntryu_", alphabet: alnum, min: 40},
		{name: "linear-key", prefix: "lin_api_", alphabet: alnum, min: 32},
		{name: "linear-key", prefix: "lin_oauth_", alphabet: alnum, min: 32},
	}
}

func serviceTokens() []token {
	alnum, word, b64 := alphabetOf(""), alphabetOf("_-"), alphabetOf("+/=")
	return []token{
		// api.slack.com/authentication/token-types; gitleaks slack.go.
		{name: "slack-token", prefix: "xapp-", alphabet: word, min: 20, digit: true},
		// age-encryption.org: Bech32, upper case.
		{name: "age-key", prefix: "AGE-SECRET-KEY-", alphabet: word, min: 40},
		// minisign.1: "Ed", "Sc" or zero, "B2" in base64.
		{name: "minisign-key", prefix: "RWRTY0Iy", alphabet: b64, min: 100},
		{name: "minisign-key", prefix: "RWQAAEIy", alphabet: b64, min: 100},
		{name: "stripe-key", prefix: "sk_live_", alphabet: alnum, min: 16},
		{name: "stripe-key", prefix: "rk_live_", alphabet: alnum, min: 16},
		{name: "stripe-key", prefix: "sk_test_", alphabet: alnum, min: 16},
		{name: "stripe-key", prefix: "rk_test_", alphabet: alnum, min: 16},
		{name: "stripe-key", prefix: "whsec_", alphabet: b64, min: 24},
		{name: "tailscale-key", prefix: "tskey-", alphabet: word, min: 20},
		// docs.digitalocean.com/reference/api: personal, OAuth and refresh tokens.
		{name: "digitalocean-token", prefix: "dop_v1_", alphabet: alnum, min: 40},
		{name: "digitalocean-token", prefix: "doo_v1_", alphabet: alnum, min: 40},
		{name: "digitalocean-token", prefix: "dor_v1_", alphabet: alnum, min: 40},
		// developer.hashicorp.com/vault/docs/concepts/tokens: service, batch, recovery.
		{name: "vault-token", prefix: "hvs.", alphabet: word, min: 20},
		{name: "vault-token", prefix: "hvb.", alphabet: word, min: 20},
		{name: "vault-token", prefix: "hvr.", alphabet: word, min: 20},
		{name: "brevo-key", prefix: "xkeysib-", alphabet: word, min: 60},
		{name: "brevo-key", prefix: "xsmtpsib-", alphabet: word, min: 60},
		{name: "age-key", prefix: "AGE-PLUGIN-", alphabet: word, min: 30, digit: true},
		{name: "discord-token", prefix: "mfa.", alphabet: word, min: 60, mixed: true},
		{name: "shopify-token", prefix: "shpat_", alphabet: alnum, min: 32},
		{name: "shopify-token", prefix: "shpca_", alphabet: alnum, min: 32},
		{name: "shopify-token", prefix: "shppa_", alphabet: alnum, min: 32},
		{name: "shopify-token", prefix: "shpss_", alphabet: alnum, min: 32},
		{name: "square-token", prefix: "sq0atp-", alphabet: word, min: 22},
		{name: "square-token", prefix: "sq0csp-", alphabet: word, min: 40},
		{name: "square-token", prefix: "sq0idp-", alphabet: word, min: 22},
		{name: "square-token", prefix: "EAAA", alphabet: word, min: 56, mixed: true},
		{name: "facebook-token", prefix: "EAA", alphabet: alnum, min: 90, mixed: true},
		{name: "newrelic-key", prefix: "NRAK-", alphabet: alnum, min: 27},
		{name: "newrelic-key", prefix: "NRII-", alphabet: word, min: 32},
		{name: "newrelic-key", prefix: "NRJS-", alphabet: alnum, min: 19},
		{name: "notion-token", prefix: "ntn_", alphabet: alnum, min: 40, mixed: true},
		{name: "notion-token", prefix: "secret_", alphabet: alnum, min: 40, max: 50, mixed: true},
		{name: "figma-token", prefix: "figd_", alphabet: word, min: 36},
		{name: "postman-key", prefix: "PMAK-", alphabet: word, min: 50},
		{name: "grafana-token", prefix: "glsa_", alphabet: alphabetOf("_"), min: 32},
		{name: "grafana-token", prefix: "glc_", alphabet: b64, min: 32, digit: true},
		{name: "pulumi-token", prefix: "pul-", alphabet: alnum, min: 40, max: 40, digit: true},
		{name: "fly-token", prefix: "fm2_", alphabet: b64, min: 60},
		{name: "fly-token", prefix: "fm1_", alphabet: b64, min: 60},
		{name: "fly-token", prefix: "fo1_", alphabet: word, min: 40},
		{name: "heroku-key", prefix: "HRKU-", alphabet: word, min: 36},
		{name: "netlify-token", prefix: "nfp_", alphabet: alnum, min: 36, mixed: true},
		{name: "supabase-token", prefix: "sbp_", alphabet: alnum, min: 40, digit: true},
		{name: "supabase-key", prefix: "sb_secret_", alphabet: word, min: 20},
		{name: "planetscale-token", prefix: "pscale_", alphabet: alphabetOf("_-=."), min: 36, digit: true},
		{name: "databricks-token", prefix: "dapi", alphabet: alnum, min: 32, max: 34, digit: true},
		{name: "dropbox-token", prefix: "sl.", alphabet: word, min: 120, mixed: true},
		{name: "mapbox-token", prefix: "sk.eyJ", alphabet: alphabetOf("_-."), min: 40},
		{name: "onepassword-token", prefix: "ops_eyJ", alphabet: b64, min: 60},
		{name: "wakatime-key", prefix: "waka_", alphabet: word, min: 36},
		{name: "ntfy-token", prefix: "tk_", alphabet: alnum, min: 29, max: 29, digit: true},
		{name: "easypost-key", prefix: "EZAK", alphabet: alnum, min: 54},
		{name: "easypost-key", prefix: "EZTK", alphabet: alnum, min: 54},
	}
}

// tokenFamilies are tokens whose prefix contains a letter or word for their kind.
func tokenFamilies() []token {
	var all []token
	for _, kind := range "pousr" {
		all = append(all, token{name: "github-token", prefix: "gh" + string(kind) + "_", alphabet: alphabetOf(""), min: 36})
	}
	for _, kind := range []string{"glpat", "gldt", "glrt", "glcbt", "gloas", "glsoat", "glimt", "glft", "glffct", "glagent"} {
		all = append(all, token{name: "gitlab-token", prefix: kind + "-", alphabet: alphabetOf("_-."), min: 20, digit: true})
	}
	for _, kind := range "abeoprs" {
		all = append(all, token{name: "slack-token", prefix: "xox" + string(kind) + "-", alphabet: alphabetOf("-."), min: 10, digit: true})
	}
	// docs.aws.amazon.com, IAM identifiers: the id of the key, which identifies the secret.
	for _, kind := range []string{"AKIA", "ASIA", "ABIA", "ACCA"} {
		all = append(all, token{name: "aws-key-id", prefix: kind, alphabet: awsAlphabet(), min: 16, max: 16})
	}
	return all
}

func awsAlphabet() *alphabet {
	var a alphabet
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" {
		a[c] = true
	}
	return &a
}

func (t token) shape() shape {
	return shape{anchorsOf(t.prefix), rule{name: t.name, find: t.find}}
}

// anchorsOf returns the anchor of a prefix: its first four bytes, or if it has only three, one anchor for each
// letter and digit that can follow.
func anchorsOf(prefix string) []string {
	if len(prefix) >= anchorLen {
		return []string{prefix[:anchorLen]}
	}
	var list []string
	for _, c := range "abcdefghijklmnopqrstuvwxyz0123456789" {
		list = append(list, prefix+string(c))
	}
	return list
}

func (t token) find(s string, at int) (start, end int, ok bool) {
	if !strings.HasPrefix(s[at:], t.prefix) || !isTokenStart(s, at) && !t.startsAfterDash(s, at) {
		return 0, 0, false
	}
	body := at + len(t.prefix)
	end = t.alphabet.run(s, body)
	n := end - body
	if n < t.min || t.max > 0 && (n > t.max || end < len(s) && isWord(s[end])) {
		return 0, 0, false
	}
	c := classesOf(s[body:end])
	if t.mixed && !(c.digit && c.lower && c.upper) || t.digit && !c.digit {
		return 0, 0, false
	}
	return at, end, true
}

// startsAfterDash reports whether a long prefix can begin after a dash or underscore.
func (t token) startsAfterDash(s string, at int) bool {
	return len(t.prefix) >= anchorLen && (s[at-1] == '-' || s[at-1] == '_')
}

func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '-'
}

// isTokenStart reports whether a token can begin at an offset: not inside a word, unless the characters before it are
// an escape sequence that ends in a letter.
func isTokenStart(s string, at int) bool {
	if at == 0 || !isWord(s[at-1]) {
		return true
	}
	c, before := s[at-1], s[:at-1]
	switch {
	case strings.HasSuffix(before, `\`):
		return c == 'n' || c == 't' || c == 'r'
	case len(before) >= 2 && before[len(before)-2] == '%':
		return isHex(c) && isHex(before[len(before)-1])
	case c == 'm': // end of a color sequence
		return strings.HasSuffix(strings.TrimRight(before, "0123456789;"), "\x1b[")
	}
	return false
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// classes are the kinds of characters in a text. URL escapes (%20) do not count.
type classes struct{ lower, upper, digit, other bool }

func (c classes) hasLetter() bool { return c.lower || c.upper }

func classesOf(s string) classes {
	var c classes
	for i := 0; i < len(s); i++ {
		switch b := s[i]; {
		case b == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			i += 2
		case 'a' <= b && b <= 'z':
			c.lower = true
		case 'A' <= b && b <= 'Z':
			c.upper = true
		case '0' <= b && b <= '9':
			c.digit = true
		default:
			c.other = true
		}
	}
	return c
}

// telegramShape finds a bot token: its number, a colon and 35 characters that begin with AA
// (core.telegram.org/bots/api#authorizing-your-bot).
func telegramShape() shape {
	word := alphabetOf("_-")
	var anchors []string
	for c := range 128 {
		if word[c] && (c < 'A' || c > 'Z') {
			anchors = append(anchors, ":AA"+string(rune(c)))
		}
	}
	return shape{anchors, rule{name: "telegram-token", find: func(s string, at int) (int, int, bool) {
		start, end := at, word.run(s, at+1)
		for start > 0 && '0' <= s[start-1] && s[start-1] <= '9' {
			start--
		}
		n := at - start
		ok := strings.HasPrefix(s[at:], ":AA") && end-at-1 == 35 && n >= 6 && n <= 16 &&
			(isTokenStart(s, start) || strings.HasSuffix(s[:start], "bot"))
		return start, end, ok
	}}}
}

// jwtShape finds a JSON Web Token (RFC 7519): three parts in base64url, of which the first begins with {".
func jwtShape() shape {
	word := alphabetOf("_-")
	return shape{anchorsOf("eyJ"), rule{name: "jwt", find: func(s string, at int) (int, int, bool) {
		if !strings.HasPrefix(s[at:], "eyJ") || !isTokenStart(s, at) {
			return 0, 0, false
		}
		head := word.run(s, at)
		if head-at < 12 || head == len(s) || s[head] != '.' {
			return 0, 0, false
		}
		body := word.run(s, head+1)
		if body-head < 12 || body == len(s) || s[body] != '.' {
			return 0, 0, false
		}
		end := word.run(s, body+1)
		for end < len(s)-1 && s[end] == '.' && word[s[end+1]] { // an encrypted token has five parts
			end = word.run(s, end+1)
		}
		return at, end, true
	}}}
}

// isDiscordDot reports whether the byte at offset at can be the first dot of a Discord token: its second dot is seven
// bytes later.
func isDiscordDot(s string, at int) bool {
	return at+7 < len(s) && s[at+7] == '.' && at >= 23
}

// findDiscordToken finds a Discord bot token (discord.com/developers/docs/reference#authentication): a number
// in base64, six characters of time and a signature.
func findDiscordToken(s string, at int) (start, end int, ok bool) {
	if s[at] != '.' || !isDiscordDot(s, at) {
		return 0, 0, false
	}
	start = at
	for start > 0 && at-start <= 28 && isWord(s[start-1]) {
		start--
	}
	end = at + 8
	for end < len(s) && isWord(s[end]) {
		end++
	}
	number, err := base64.RawStdEncoding.DecodeString(s[start:at])
	if err != nil || len(number) < 17 || end-at-8 < 27 {
		return 0, 0, false
	}
	for _, c := range number {
		if c < '0' || c > '9' {
			return 0, 0, false
		}
	}
	return start, end, true
}
