package i18n

// What the commands about the configuration say.
var (
	ConfigNoKey       = T("%s{이라는/라는} 설정은 없어요. 모두 보기: blunux-ai config show", "nothing is set under %s; all there is: blunux-ai config show", "没有名为 %s 的设置。查看全部：blunux-ai config show")
	ConfigNeedsFile   = T("들여올 파일을 적어 주세요. -는 표준 입력이에요.", "import needs a file, or - for standard input.", "请给出要导入的文件，- 为标准输入。")
	ConfigTooLong     = T("%s{은/는} %d바이트보다 길어서 들여올 수 없어요.", "cannot import %s: it is longer than %d {byte|bytes}.", "无法导入 %s：超过 %d 字节。")
	ConfigDefault     = T("기본값", "default", "默认")
	ConfigLeftOut     = T("비밀로 보여서 내보내지 않았어요: %s", "left out, because it looks like a secret: %s", "看似机密，未导出：%s")
	ConfigFrom        = T("%s의 설정으로 읽었어요.", "Read as the settings of %s.", "按 %s 的配置读取。")
	ConfigNoPlace     = T("여기에 해당하는 것이 없어 뺐어요: %s", "left out, nothing here corresponds: %s", "此处没有对应项，已略过：%s")
	ConfigKeyInside   = T("%s: 키나 비밀번호처럼 보여요. 키는 설정 파일에 두지 않아요: blunux-ai setup", "%s: this looks like a key or password; keys do not belong into settings: blunux-ai setup", "%s：看似密钥或密码。密钥不应放在配置里：blunux-ai setup")
	ConfigKeyAsk      = T("파일에 있던 %s 키를 %s 에 저장할까요?", "Keep the key for %s that stood there in %s?", "将其中 %s 的密钥保存到 %s 吗？")
	ConfigKeyLeft     = T("%s 키는 저장하지 않았어요: blunux-ai setup", "the key for %s was not kept: blunux-ai setup", "未保存 %s 的密钥：blunux-ai setup")
	ConfigSame        = T("바뀌는 것이 없어요.", "Nothing changes.", "没有变化。")
	ConfigRuleThere   = T("같은 이름의 자동화가 이미 있어서 그대로 둬요: %s", "there is an automation of that name already, which stays: %s", "已有同名自动化，保持不变：%s")
	ConfigRuleNew     = T("자동화 추가: %s", "automation added: %s", "新增自动化：%s")
	ConfigWrote       = T("%s 에 썼어요.", "%s is written.", "已写入 %s。")
	ConfigKept        = T("이전 것은 %s 에 있어요.", "The former one is %s.", "之前的在 %s。")
	ConfigDry         = T("--dry-run: 아무것도 쓰지 않았어요.", "--dry-run: nothing was written.", "--dry-run：未写入任何内容。")
	ConfigExportThere = T("%s{이/가} 이미 있어요.", "%s exists already.", "%s 已存在。")
)
