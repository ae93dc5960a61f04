package report

import "github.com/nidoit/blunux-ai/i18n"

// knownMessage is a message with a known meaning.
type knownMessage struct {
	signs   []string // lower case, any of them
	meaning i18n.Text
}

// knownMessages explain messages of logs and failed commands, most specific first.
var knownMessages = []knownMessage{
	{[]string{"no space left on device", "enospc"}, i18n.T("디스크가 꽉 차서 쓸 수 없어요. 공간을 비워야 해요.", "The disk is full, so nothing can be written; free some space.", "磁盘已满，无法写入，需要清理空间。")},
	{[]string{"out of memory", "oom-kill", "oom_reaper"}, i18n.T("메모리가 모자라 커널이 프로그램을 강제로 종료했어요.", "Memory ran out and the kernel killed a program.", "内存不足，内核强制结束了程序。")},
	{[]string{"segfault", "core dumped", "dumped core"}, i18n.T("프로그램이 잘못된 메모리에 접근해 비정상 종료됐어요. 업데이트하거나 다시 설치해 보세요.", "A program crashed on a bad memory access; update or reinstall it.", "程序因非法内存访问而崩溃，可尝试更新或重装。")},
	{[]string{"read-only file system"}, i18n.T("파일 시스템이 읽기 전용이 됐어요. 디스크 오류 때문일 수 있으니 백업부터 하세요.", "The file system turned read-only, often after disk errors: back up first.", "文件系统变为只读，可能由磁盘错误引起，请先备份。")},
	{[]string{"i/o error", "ata bus error", "medium error", "unrecovered read error"}, i18n.T("디스크나 연결에 읽기·쓰기 오류가 있어요. 백업하고 디스크 상태를 점검하세요.", "Reading or writing a disk failed: back up and check the disk and its cable.", "磁盘读写出错，请备份并检查磁盘和连接。")},
	{[]string{"address already in use", "bind() to"}, i18n.T("다른 프로그램이 이미 같은 포트를 쓰고 있어요.", "Another program already uses that port.", "端口已被其他程序占用。")},
	{[]string{"direct firmware load", "failed to load firmware", "firmware file"}, i18n.T("장치에 필요한 펌웨어 파일이 없어요. 대개 linux-firmware 패키지에 들어 있고, 설치하면 다음 부팅부터 쓰여요.", "A firmware file that a device needs is missing; linux-firmware usually has it, and the next boot loads it.", "缺少设备所需的固件文件，通常由 linux-firmware 提供，安装后从下次启动起生效。")},
	{[]string{"connection refused"}, i18n.T("상대 서비스가 꺼져 있거나 그 포트를 받지 않고 있어요.", "The service on the other side is not running or not listening there.", "对方服务未运行或未监听该端口。")},
	{[]string{"name or service not known", "temporary failure in name resolution", "could not resolve host", "no address associated"}, i18n.T("이름을 주소로 바꾸지 못했어요. DNS나 인터넷 연결 문제예요.", "A name could not be resolved: a DNS or internet problem.", "域名解析失败，是 DNS 或网络问题。")},
	{[]string{"network is unreachable", "no route to host"}, i18n.T("그곳으로 가는 네트워크 경로가 없어요. 연결과 게이트웨이를 확인하세요.", "There is no network route to it; check connection and gateway.", "没有到达目标的网络路由，请检查连接和网关。")},
	{[]string{"permission denied", "access denied", "operation not permitted"}, i18n.T("권한이 부족해서 거부됐어요. 파일 소유자나 서비스 사용자를 확인하세요.", "It lacked the permission; check who owns the file or runs the service.", "权限不足被拒绝，请检查文件所有者或服务用户。")},
	{[]string{"unable to lock database"}, i18n.T("다른 패키지 작업이 진행 중이거나, 중단된 작업이 잠금 파일(/var/lib/pacman/db.lck)을 남겼어요. pacman이 돌고 있지 않을 때만 지우세요.", "Another package operation is running, or one that was cut off left /var/lib/pacman/db.lck behind; delete it only when no pacman runs.", "另一个软件包操作正在进行，或中断的操作留下了 /var/lib/pacman/db.lck；仅在没有 pacman 运行时删除。")},
	{[]string{"invalid or corrupted package", "is marginal trust", "unknown trust", "pgp signature"}, i18n.T("패키지 서명을 확인하지 못했어요. archlinux-keyring을 먼저 업데이트하면 대개 풀려요.", "A package signature could not be verified; updating archlinux-keyring first usually helps.", "无法验证软件包签名，通常先更新 archlinux-keyring 即可。")},
	{[]string{"conflicting files", "exists in filesystem"}, i18n.T("설치하려는 파일이 이미 있어요. 다른 패키지의 것인지 `pacman -Qo`로 확인하세요.", "A file to be installed exists already; `pacman -Qo` tells whose it is.", "要安装的文件已存在，可用 `pacman -Qo` 查看属于哪个包。")},
	{[]string{"target not found", "could not find all required packages"}, i18n.T("그런 이름의 패키지가 없어요. 철자를 확인하거나 검색해 보세요.", "There is no package of that name; check the spelling or search for it.", "没有这个名字的软件包，请检查拼写或搜索。")},
	{[]string{"breaks dependency", "could not satisfy dependencies", "required by"}, i18n.T("다른 패키지가 이것을 필요로 해서 바꿀 수 없어요.", "Other packages depend on it, so it cannot be changed alone.", "其他软件包依赖它，因此无法更改。")},
	{[]string{"failed retrieving file", "cannot fetch updates", "failed to retrieve", "failed to synchronize"}, i18n.T("미러 서버에서 내려받지 못했어요. 인터넷 연결이나 미러를 확인하세요.", "Downloading from the mirrors failed; check the connection or the mirrors.", "从镜像下载失败，请检查网络或镜像。")},
	{[]string{"a password is required", "a terminal is required", "interactive authentication required", "no new privileges", "you cannot perform this operation unless you are root", "not authorized", "no authentication agent found", "error creating textual authentication agent", "request dismissed"}, i18n.T("관리자 권한을 얻지 못했어요. 터미널에서 직접 실행해 주세요.", "Administrator rights could not be obtained; run it in a terminal yourself.", "未能获得管理员权限，请在终端中自行运行。")},
	{[]string{"status=203/exec", "failed to execute"}, i18n.T("유닛에 적힌 실행 파일이 없거나 실행할 수 없어요.", "The program named in the unit is missing or cannot be executed.", "单元中指定的程序不存在或无法执行。")},
	{[]string{"start request repeated too quickly"}, i18n.T("시작하자마자 죽기를 되풀이해서 systemd가 포기했어요. 그 앞의 오류가 진짜 원인이에요.", "It kept dying right after starting, so systemd gave up; the error before it is the cause.", "服务启动后反复退出，systemd 已放弃；之前的错误才是原因。")},
	{[]string{"dependency failed"}, i18n.T("먼저 떠야 하는 다른 유닛이 실패했어요.", "Another unit that must come first failed.", "所依赖的其他单元失败了。")},
	{[]string{"failed to start daemon:"}, i18n.T("Docker를 시작하지 못했어요. 콜론(:) 뒤에 적힌 것이 이유예요.", "Docker could not start; the reason stands behind the colon.", "Docker 无法启动，冒号后面就是原因。")},
	{[]string{"failed with result", "failed to start ", "main process exited"}, i18n.T("서비스가 오류로 끝났어요. 바로 앞줄에 이유가 적혀 있을 때가 많아요.", "The service ended with an error; the lines before it often say why.", "服务因错误退出，前面的几行通常有原因。")},
	{[]string{"authentication failure", "failed password", "invalid user"}, i18n.T("로그인 시도가 실패했어요. 본인이 아니고 반복되면 누군가 비밀번호를 추측하는 것일 수 있어요.", "A login attempt failed; repeated ones that are not yours may be guessing.", "登录失败；若反复出现且不是你本人，可能有人在猜密码。")},
	{[]string{"ctrl-event-disconnected", "deauthenticat", "disassociated", "link becomes not ready"}, i18n.T("무선 연결이 끊겼어요. 신호가 약하거나 공유기·드라이버 문제일 수 있어요.", "The wireless link dropped: weak signal, access point or driver.", "无线连接断开，可能是信号弱、路由器或驱动问题。")},
	{[]string{"throttl", "temperature above threshold", "critical temperature"}, i18n.T("과열로 CPU 속도를 낮췄어요. 통풍과 팬을 확인하세요.", "The CPU was slowed down because of heat; check airflow and fan.", "因过热而降频，请检查通风和风扇。")},
	{[]string{"gpu hang", "gpu reset", "ring gfx", "ring sdma", "xid"}, i18n.T("그래픽 카드가 응답을 멈췄어요. 드라이버 업데이트를 확인하세요.", "The graphics card hung; look for a driver update.", "显卡停止响应，请检查驱动更新。")},
	{[]string{"acpi error", "acpi bios error", "acpi warning"}, i18n.T("펌웨어(BIOS)의 흔한 잔소리예요. 다른 증상이 없다면 무시해도 돼요.", "A common firmware (BIOS) complaint; harmless without other symptoms.", "固件（BIOS）的常见提示，没有其他症状可忽略。")},
	{[]string{"hardware error", "mce:"}, i18n.T("하드웨어 오류가 보고됐어요. 메모리와 CPU를 점검하세요.", "The hardware reported an error; check memory and CPU.", "硬件报告错误，请检查内存和 CPU。")},
	{[]string{"kernel panic", "not syncing"}, i18n.T("커널이 복구할 수 없는 오류로 멈췄어요.", "The kernel stopped on an error it could not recover from.", "内核因无法恢复的错误而停止。")},
	{[]string{"device descriptor read", "device not accepting address", "unable to enumerate usb"}, i18n.T("USB 장치가 응답하지 않아요. 다른 포트나 케이블로 꽂아 보세요.", "A USB device does not answer; try another port or cable.", "USB 设备没有响应，请换接口或线缆。")},
	{[]string{"no such file or directory"}, i18n.T("필요한 파일이나 경로가 없어요.", "A file or path it needs does not exist.", "缺少所需的文件或路径。")},
	{[]string{"command not found"}, i18n.T("그 명령의 프로그램이 설치되어 있지 않거나 PATH에 없어요.", "The program is not installed or not on the PATH.", "程序未安装或不在 PATH 中。")},
	{[]string{"timed out", "timeout"}, i18n.T("정해진 시간 안에 응답이 없었어요.", "Something did not answer in time.", "在规定时间内没有响应。")},
	{[]string{"undefined reference", "cannot find -l"}, i18n.T("컴파일에 필요한 라이브러리를 찾지 못했어요.", "The linker did not find a library it needs.", "链接时找不到所需的库。")},
	{[]string{"modulenotfounderror", "importerror", "no module named"}, i18n.T("필요한 파이썬 모듈이 설치되어 있지 않아요.", "A Python module it needs is not installed.", "缺少所需的 Python 模块。")},
}

// meaningOf explains a failed command's output, "" if it is not known.
func (r *result) meaningOf(text string) string {
	low := toLowerLimited(text)
	for _, k := range knownMessages {
		if containsAny(low, k.signs...) {
			return r.say(k.meaning)
		}
	}
	return ""
}
