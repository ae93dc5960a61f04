package i18n

// Notes on an incomplete answer of a model.
var (
	ErrNotBegun           = T("%s에서 제때 답이 시작되지 않았어요.", "%s did not begin to answer in time.", "%s 没有及时开始回答。")
	ErrNotBegunHint       = T("다시 물어보거나, 더 오래 기다리게 하려면 config.toml의 [limits] first_byte를 늘리세요.", "Ask again, or wait longer: [limits] first_byte in config.toml", "请重试，或在 config.toml 的 [limits] first_byte 中延长等待时间。")
	ErrStalled            = T("%s의 답이 중간에 멈췄어요.", "The answer of %s stopped in the middle.", "%s 的回答中途停住了。")
	ErrStalledHint        = T("다시 물어보거나, 더 오래 기다리게 하려면 config.toml의 [limits] between_bytes를 늘리세요.", "Ask again, or wait longer: [limits] between_bytes in config.toml", "请重试，或在 config.toml 的 [limits] between_bytes 中延长等待时间。")
	ErrTooSlow            = T("%s의 답이 너무 오래 걸려서 기다리기를 멈췄어요.", "The answer of %s took too long.", "%s 的回答耗时过长。")
	ErrCutOff             = T("%s의 답이 끝나기 전에 연결이 끊겼어요.", "%s broke off before the end of its answer.", "%s 的回答在结束前中断了。")
	ErrAnswerTooLong      = T("%s의 답이 너무 길어서 끝까지 받지 않았어요.", "The answer of %s is too long and was not read to its end.", "%s 的回答太长，没有接收完。")
	ErrNoAnswerFormat     = T("%s에서 온 것이 모델의 답이 아니에요.", "What %s sent is not a model's answer.", "%s 返回的内容不是模型的回答。")
	ErrNoAnswerFormatHint = T("주소가 맞는지 확인하세요: config.toml의 [providers.%s] base_url", "Check the address: [providers.%s] base_url in config.toml", "请检查地址：config.toml 中 [providers.%s] 的 base_url")
)
