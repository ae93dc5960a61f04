package i18n

// Reasons why Claude by subscription cannot answer, each with the step that helps.
var (
	ErrClaudeMissing      = T("구독으로 답하는 claude 프로그램이 설치되어 있지 않아요.", "Claude by subscription needs the program claude, which is not installed.", "以订阅方式使用 Claude 需要 claude 程序，但尚未安装。")
	ErrClaudeMissingHint  = T("설치: yay -S claude-code (또는 npm install -g @anthropic-ai/claude-code), 그다음 로그인: claude setup-token. API 키를 쓰려면 config.toml에 claude_mode = \"api\"", "Install it: yay -S claude-code (or npm install -g @anthropic-ai/claude-code), then log in: claude setup-token. To use an API key instead: claude_mode = \"api\" in config.toml", "安装：yay -S claude-code（或 npm install -g @anthropic-ai/claude-code），然后登录：claude setup-token。若要改用 API 密钥，请在 config.toml 中设置 claude_mode = \"api\"")
	ErrClaudeLogin        = T("claude에 로그인되어 있지 않아요: %s", "Nobody is logged in to claude: %s", "claude 尚未登录：%s")
	ErrClaudeLoginHint    = T("터미널에서 로그인하세요: claude, 그다음 /login (또는 claude setup-token)", "Log in at a terminal: claude, then /login (or claude setup-token)", "请在终端登录：claude，然后 /login（或 claude setup-token）")
	ErrClaudeOutdated     = T("설치된 claude는 쓸 수 없는 버전이에요: %s", "This version of claude cannot be used: %s", "已安装的 claude 版本无法使用：%s")
	ErrClaudeOutdatedHint = T("업데이트: claude update (npm으로 설치했다면 npm install -g @anthropic-ai/claude-code@latest)", "Update it: claude update (or npm install -g @anthropic-ai/claude-code@latest, where npm installed it)", "更新：claude update（若用 npm 安装：npm install -g @anthropic-ai/claude-code@latest）")
)
