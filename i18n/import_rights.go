package i18n

// Texts of an import about settings that grant more rights, and about input and servers.
var (
	ConfigWidens            = T("주의: 이 파일은 더 많은 것을 허락하거나 다른 곳으로 보내요:", "Careful: this file allows more, or sends things elsewhere:", "注意：此文件放宽权限或改变发送去向：")
	ConfigApply             = T("서명하면 묻지 않고 명령을 실행해요 (auto_apply): %s", "runs commands unasked once it is signed (auto_apply): %s", "签名后不经询问执行命令 (auto_apply)：%s")
	ConfigNotifies          = T("멀리 알려요: %s → %s", "tells somebody elsewhere: %s → %s", "通知远处：%s → %s")
	ConfigTake              = T("그래도 들여올까요?", "Take it in all the same?", "仍然导入吗？")
	ConfigNeedsConfirmation = T("물어볼 터미널이 없어서 아무것도 쓰지 않았어요. 그래도 들여오려면: --yes", "there is no terminal to ask at, and nothing was written; to take it in all the same: --yes", "没有可以询问的终端，未写入任何内容。仍要导入：--yes")
	ConfigNot               = T("아무것도 쓰지 않았어요.", "Nothing was written.", "未写入任何内容。")
)

// What setup and the configuration commands reject.
var (
	SetupInsecure    = T("http:// 로는 키가 암호화되지 않은 채 %s{으로/로} 가요. 그래도 쓰려면: --insecure-http", "over http:// the key goes to %s unencrypted; to use it all the same: --insecure-http", "通过 http:// 密钥会未加密地发送到 %s。仍要使用：--insecure-http")
	SetupInsecureAsk = T("키를 암호화 없이 보낼까요?", "Send the key unencrypted?", "未加密发送密钥吗？")
	SetupInsecureWhy = T("%s: http:// 라서 길목에 있는 누구나 키를 읽을 수 있어요.", "%s: it is http://, so that anybody on the way can read the key.", "%s：使用 http://，途中任何人都能读取密钥。")
	SetupKeyTyped    = T("키를 터미널에 보이게 입력할 수 없어요. 보이지 않게 입력하려면: blunux-ai setup", "a key is not typed where it is seen; blunux-ai setup asks for it unseen", "不能在可见处输入密钥。要隐藏输入：blunux-ai setup")
	SetupLinked      = T("주의: %s{은/는} 링크였어요. 링크 대신 파일을 둬요(링크가 가리키던 파일은 그대로예요).", "Note: %s is a link; a file takes its place (what it leads to stays).", "注意：%s 是链接，将以文件取代（所指文件不变）。")
	SetupTakesNone   = T("키를 둘 수 없어요: %s{은/는} 키를 받지 않아요", "cannot keep a key: %s takes none", "无法保存密钥：%s 不需要密钥")
	ServerLooks      = T("https://서버 또는 http://127.0.0.1:8080/v1 같은 주소여야 해요", "it must look like https://host or http://127.0.0.1:8080/v1", "应形如 https://host 或 http://127.0.0.1:8080/v1")
	ServerNoUser     = T("주소에 이름이나 비밀번호를 넣을 수 없어요. 키는 credentials에 두세요", "it contains a user name or password; put the key into the credentials", "其中含有用户名或密码；请将密钥放入 credentials")
	ServerNoKey      = T("주소에 키가 들어 있어요. 키는 credentials에 두세요", "it contains a key; put the key into the credentials", "其中含有密钥；请将密钥放入 credentials")
	SettingServer    = T("%s: %s", "%s: %s", "%s：%s")
	ConfigNoFile     = T("--blunux-config %s: 읽을 수 없어요: %v", "--blunux-config %s: cannot be read: %v", "--blunux-config %s：无法读取：%v")
)
