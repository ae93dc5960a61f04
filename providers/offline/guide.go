package offline

import "github.com/nidoit/blunux-ai/i18n"

// Section is a topic that the helper understands, with example requests.
type Section struct {
	Title    i18n.Text
	Examples []i18n.Text
}

// Guide returns the topics that the helper understands, for display. A test verifies that every example is
// understood in every language.
func Guide() []Section { return guide }

var guide = []Section{
	{i18n.T("디스크와 파일", "Disks and files", "磁盘和文件"), []i18n.Text{
		i18n.T("디스크 꽉 찼어?", "Is my disk full?", "磁盘满了吗？"),
		i18n.T("용량 많이 차지하는 파일 찾아줘", "what takes up all the space?", "找出最大的文件"),
		i18n.T("SSD 건강 상태 어때?", "is my ssd healthy?", "硬盘健康状况怎么样？"),
	}},
	{i18n.T("느림, 메모리, 프로그램", "Slowness, memory, programs", "卡顿、内存、程序"), []i18n.Text{
		i18n.T("컴퓨터가 왜 이렇게 느려?", "why is my computer so slow?", "电脑为什么这么慢？"),
		i18n.T("메모리 제일 많이 쓰는 프로그램이 뭐야?", "which programs use the most memory?", "哪些程序占用内存最多？"),
		i18n.T("파이어폭스 실행 중이야?", "is firefox still running?", "firefox 在运行吗？"),
		i18n.T("부팅이 왜 이렇게 오래 걸려?", "why does booting take so long?", "为什么开机这么慢？"),
	}},
	{i18n.T("인터넷과 무선", "Internet and Wi-Fi", "网络和 Wi-Fi"), []i18n.Text{
		i18n.T("인터넷이 안 돼요", "my internet is not working", "网络连不上了"),
		i18n.T("와이파이가 자꾸 끊겨", "the wifi keeps dropping", "wifi 老是断"),
		i18n.T("내 아이피 주소 뭐야?", "what's my ip address?", "我的 ip 地址是多少？"),
		i18n.T("열린 포트 뭐 있어?", "which ports are open?", "开放了哪些端口？"),
	}},
	{i18n.T("소리, 블루투스, 프린터, 한글 입력, 배터리", "Sound, Bluetooth, printer, input, battery", "声音、蓝牙、打印机、输入法、电池"), []i18n.Text{
		i18n.T("소리가 안 나요", "there is no sound", "没有声音"),
		i18n.T("블루투스가 안 돼요", "bluetooth does not work", "蓝牙用不了"),
		i18n.T("프린터가 안 돼요", "the printer does not print", "打印机不能用"),
		i18n.T("한글 입력이 안 돼요", "I cannot type korean", "打不了中文"),
		i18n.T("배터리 얼마나 남았어?", "how much battery is left?", "电池还剩多少？"),
		i18n.T("CPU 온도 몇 도야?", "how hot is my cpu?", "cpu 温度多少？"),
	}},
	{i18n.T("서비스와 로그", "Services and logs", "服务和日志"), []i18n.Text{
		i18n.T("실패한 서비스 있어?", "any failed services?", "有失败的服务吗？"),
		i18n.T("도커 왜 죽었어?", "why did docker crash?", "docker 为什么挂了？"),
		i18n.T("오늘 에러 로그 보여줘", "show me the errors from today", "显示今天的错误日志"),
	}},
	{i18n.T("패키지와 시스템", "Packages and system", "软件包和系统"), []i18n.Text{
		i18n.T("업데이트 있어?", "are there any updates?", "有可用的更新吗？"),
		i18n.T("크롬 깔려 있어?", "is vlc installed?", "vlc 安装了吗？"),
		i18n.T("화면 녹화 프로그램 찾아줘", "search for a screen recorder", "找一个录屏软件"),
		i18n.T("컴퓨터 사양 알려줘", "show me the specs of this computer", "这台电脑的配置"),
		i18n.T("시간대가 뭐로 돼 있어?", "which time zone am I in?", "现在是什么时区？"),
	}},
	{i18n.T("데스크톱", "The desktop", "桌面"), []i18n.Text{
		i18n.T("소리 키워줘", "volume up", "调大音量"),
		i18n.T("화면 밝기 40%로 해줘", "set the brightness to 40%", "亮度调到 40%"),
		i18n.T("파이어폭스 열어줘", "open firefox", "打开 firefox"),
		i18n.T("호스트 이름 뭐야?", "what is my hostname?", "主机名是什么？"),
		i18n.T("/etc/hosts 보여줘", "show me /etc/hosts", "显示 /etc/hosts"),
	}},
	{i18n.T("기억", "Notes", "记忆"), []i18n.Text{
		i18n.T("NAS 주소는 192.168.0.20이라고 기억해줘", "remember that my NAS is at 192.168.0.20", "记住我的 NAS 地址是 192.168.0.20"),
		i18n.T("NAS 주소가 뭐였지?", "what did I tell you about my NAS?", "我之前说过 NAS 地址是多少来着"),
		i18n.T("NAS 주소 잊어줘", "forget my NAS", "忘掉 NAS 地址"),
	}},
	{i18n.T("바꾸는 일 (명령을 보여 드리고, 확인을 받은 뒤 실행)", "Changes (the command is shown, and runs once you confirm)", "更改（显示命令，确认后才执行）"), []i18n.Text{
		i18n.T("vlc 설치해줘", "install vlc", "安装 vlc"),
		i18n.T("블루투스 재시작해줘", "restart bluetooth", "重启蓝牙服务"),
		i18n.T("부팅할 때 sshd 자동으로 실행되게 해줘", "make sshd start at boot", "让 sshd 开机启动"),
		i18n.T("시스템 업데이트해줘", "update everything", "更新系统"),
		i18n.T("`git -C ~/src/app status` 실행해줘", "run `git -C ~/src/app status`", "执行 `git -C ~/src/app status`"),
	}},
}

// Followups returns replies whose meaning depends on the conversation.
func Followups() []i18n.Text { return followups }

var followups = []i18n.Text{
	i18n.T("왜?", "why?", "为什么？"),
	i18n.T("그거 재시작해줘", "restart it", "重启它"),
	i18n.T("메모리는?", "and memory?", "内存呢？"),
	i18n.T("더 보여줘", "show more", "显示更多"),
	i18n.T("네, 해줘", "yes, do it", "好的"),
}

// Examples returns example requests in a language, shown for a greeting or an empty question. The default is
// English.
func Examples(lang i18n.Lang) []string {
	var out []string
	for _, s := range guide {
		out = append(out, s.Examples[0].In(lang))
	}
	return out
}

// exampleRequests maps each read-only step to a request that leads to it.
var exampleRequests = map[string]i18n.Text{
	"check_disk":      i18n.T("디스크 얼마나 남았어?", "how much disk space is left?", "磁盘还剩多少空间？"),
	"find_large":      i18n.T("큰 파일 찾아줘", "find large files", "查找大文件"),
	"check_memory":    i18n.T("메모리 얼마나 쓰고 있어?", "how much memory is in use?", "内存用了多少？"),
	"check_processes": i18n.T("뭐가 CPU를 제일 많이 써?", "what is using the CPU?", "什么程序最占 CPU？"),
	"read_logs":       i18n.T("오늘 에러 로그 보여줘", "show me the errors from today", "显示今天的错误日志"),
	"list_packages":   i18n.T("설치된 패키지 목록 보여줘", "list the installed packages", "列出已安装的软件包"),
	"search_packages": i18n.T("화면 녹화 프로그램 찾아줘", "search for a screen recorder", "找一个录屏软件"),
	"package_info":    i18n.T("vlc 깔려 있어?", "is vlc installed?", "vlc 安装了吗？"),
	"check_updates":   i18n.T("업데이트 있어?", "are there any updates?", "有可用的更新吗？"),
	"check_service":   i18n.T("실패한 서비스 있어?", "any failed services?", "有失败的服务吗？"),
	"system_info":     i18n.T("컴퓨터 사양 알려줘", "show me the specs of this computer", "这台电脑的配置"),
	"check_boot":      i18n.T("부팅이 왜 이렇게 오래 걸려?", "why does booting take so long?", "为什么开机这么慢？"),

	"check_network wifi":         i18n.T("와이파이 상태 어때?", "how is the wifi?", "wifi 状态怎么样？"),
	"check_network connectivity": i18n.T("인터넷 되는지 확인해줘", "am I online?", "检查网络是否正常"),
	"check_network ip":           i18n.T("내 아이피 주소 뭐야?", "what's my ip address?", "我的 ip 地址是多少？"),
	"check_network ports":        i18n.T("열린 포트 뭐 있어?", "which ports are open?", "开放了哪些端口？"),

	"check_hardware":             i18n.T("하드웨어 목록 보여줘", "list the hardware", "列出硬件"),
	"check_hardware battery":     i18n.T("배터리 얼마나 남았어?", "how much battery is left?", "电池还剩多少？"),
	"check_hardware temperature": i18n.T("CPU 온도 몇 도야?", "how hot is my cpu?", "cpu 温度多少？"),
	"check_hardware gpu":         i18n.T("그래픽카드 뭐야?", "which graphics card do I have?", "显卡是什么型号？"),
	"check_hardware usb":         i18n.T("USB 장치 목록 보여줘", "list the usb devices", "列出 usb 设备"),
	"check_hardware disk":        i18n.T("디스크 목록 보여줘", "list block devices", "列出块设备"),
	"check_hardware cpu":         i18n.T("CPU 정보 보여줘", "what cpu do I have?", "cpu 是什么型号？"),
}
