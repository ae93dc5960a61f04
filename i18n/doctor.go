package i18n

// Texts of doctor --offline.
var (
	DoctorOffline    = T("내장 도우미는 언어 모델, 키, 인터넷이 없어도 이런 말을 알아들어요. 예:", "The built-in helper understands requests like these, with no language model, key or network:", "内置助手无需语言模型、密钥和网络就能理解这样的请求：")
	DoctorFollowups  = T("이어서 하는 말", "Follow-ups", "追问")
	DoctorTolerance  = T("존댓말과 반말, 띄어쓰기, 오타, 한영 섞어 쓰기, 부정(\"끄지 말고 상태만\"), 한 문장에 여러 부탁을 가려 들어요.", "Typos, spacing, politeness, mixed languages, negations (\"don't stop it, just look\") and several requests in one sentence are told apart.", "能分辨错别字、客气与否、中英混写、否定（“别停，只看状态”）以及一句话里的多个请求。")
	DoctorLimits     = T("못 하는 일: 글쓰기, 번역, 코딩, 일반 상식, 자유로운 대화. 언어 모델이 필요해요. 연결하려면 실행하세요: blunux-ai setup", "What it cannot do: writing, translating, coding, general knowledge, free conversation. That takes a language model. To connect one, run: blunux-ai setup", "做不到的：写作、翻译、编程、常识、自由对话。这些需要语言模型。要连接语言模型，请运行：blunux-ai setup")
	DoctorKnows      = T("아는 것: 이름 %[1]d개, 낱말 %[2]d개, 규칙 %[3]d개, 배운 특징 %[4]d개.", "It knows %[1]d {name|names}, %[2]d {word|words}, %[3]d {rule|rules} and %[4]d learned {sign|signs}.", "已知：名称 %[1]d 个、词语 %[2]d 个、规则 %[3]d 条、学到的特征 %[4]d 个。")
	DoctorOwn        = T("직접 가르치기: %s 에 names.tsv, concepts.tsv, phrases.tsv를 두세요.", "Teach it more: put names.tsv, concepts.tsv or phrases.tsv into %s", "教它更多：把 names.tsv、concepts.tsv 或 phrases.tsv 放入 %s")
	DoctorOwnRead    = T("직접 가르친 것을 읽었어요: %s", "Your own files were read: %s", "已读取你自己的文件：%s")
	DoctorOwnFlaws   = T("쓸 수 없는 줄(나머지는 적용됐어요):", "Lines that cannot be used (the rest counts):", "无法使用的行（其余已生效）：")
	DoctorExplain    = T("어떻게 알아들었는지 보기: blunux-ai doctor --offline \"디스크 꽉 찼어?\"", "See how a request is understood: blunux-ai doctor --offline \"disk full?\"", "查看某个请求如何被理解：blunux-ai doctor --offline \"磁盘满了吗？\"")
	DoctorUnderstood = T("이해: %s", "Understood as: %s", "理解为：%s")
	DoctorSteps      = T("먼저 부를 도구:", "Would call first:", "首先调用：")
	DoctorNoSteps    = T("부를 도구가 없어요.", "Would call no tool.", "不会调用任何工具。")
	DoctorThen       = T("그다음 물어보고 할 일:", "Would then ask to do:", "之后询问是否执行：")
	DoctorScore      = T("확신: %.1[1]f", "Score: %.1[1]f", "把握：%.1[1]f")
	DoctorAlone      = T("--fix는 혼자 쓰고, --report는 --offline과 함께 쓸 수 없어요.", "--fix goes alone; --report does not go with --offline.", "--fix 须单独使用；--report 不能与 --offline 同时使用。")
	DoctorRequest    = T("요청을 어떻게 알아듣는지 보려면: blunux-ai doctor --offline 요청", "a request is explained with --offline: blunux-ai doctor --offline REQUEST", "要说明某个请求，请用：blunux-ai doctor --offline 请求")
	DoctorWhy        = T("까닭:", "Because:", "依据：")
)
