package intent

import "strings"

// Orders that a device other than this computer would have to carry out. The group "device" is what they name.
const (
	enWhose  = `(?:the |my |our |his |her |their |this |that |mom'?s |dad'?s )?(?:(?:living ?room|bed ?room|kitchen|office|upstairs|downstairs|old|new|wifi|wi-fi|smart|home|whole) )*`
	enDevice = `(?P<device>routers?|modem|(?:smart ?|cell ?)?phones?|iphone|android|tablets?|ipad|tvs?|television|printers?|scanner|fridge|refrigerator|washing machine|dishwasher|vacuum|(?:smart|apple|galaxy) ?watch|watch|playstation|ps5|xbox|nintendo(?: switch)?|(?:games? )?console|lights?|lamps?|thermostat|doorbell|car|set-top box|projector|kindle|chromecast|alexa|google home|smart speaker|heater|air ?con(?:ditioner)?)`
	enDo     = `(?:turn|switch|power|shut|reset|restart|reboot|unlock|lock|charge|mute|unmute|change|set|make|update|clean|pause|raise|lower|increase|decrease|dim|fix|format|wipe|silence|put|rename|speed up|factory[- ]reset|unblock|block|tell|ask|connect|configure|set up|schedule|stop|start)`
	koWhose  = `(?:우리\s*집?\s*|내\s*|제\s*|엄마\s*|아빠\s*|거실\s*|안방\s*|방\s*|회사\s*|집\s*|부엌\s*)*`
	koDevice = `(?P<device>공유기|라우터|모뎀|휴대폰|핸드폰|휴대전화|스마트폰|아이폰|갤럭시|태블릿|아이패드|티비|tv|텔레비전|테레비|프린터|스캐너|냉장고|세탁기|식기세척기|에어컨|보일러|로봇\s*청소기|청소기|스마트워치|애플\s*워치|갤럭시\s*워치|워치|손목시계|게임기|플스|플레이스테이션|닌텐도|엑스박스|xbox|전등|조명|형광등|셋톱박스|프로젝터|크롬캐스트|초인종|자동차|(?:폰|차)(?:을|를|의|은|는|도)?\s)`
	koDo     = `(?:꺼|끄|켜|키|줄여|줄이|키워|높여|낮춰|올려|내려|바꿔|바꾸|변경|재부팅|재시작|껐다|리셋|초기화|업데이트|설정|맞춰|멈춰|잠가|잠궈|풀어|청소|돌려|충전|포맷|고쳐|조절)`
	zhWhose  = `(?:我的?|家里的?|客厅的?|卧室的?|我家的?|爸爸的?|妈妈的?|孩子的?)*`
	zhDevice = `(?P<device>路由器|光猫|手机|平板(?:电脑)?|ipad|iphone|电视机?|打印机|扫描仪|冰箱|洗衣机|空调|游戏机|智能手表|手表|机顶盒|投影[仪机]|扫地机器人|台灯|电灯|灯|智能音箱|门铃|热水器|switch|ps5|xbox)`
	zhDo     = `(?:关|开|打开|调|改|换|重启|重置|恢复出厂|设置|设定|更新|升级|清理|清洁|锁|解锁|充电|修|格式化|静音|暂停|启动)`
)

var deviceOrders = patterns(
	`^(?:please |pls |can you |could you |would you |hey |i need you to |i want to )*`+enDo+`\b(?: (?:off|on|down|up|out|the|my|volume|sound|brightness|password|name|settings?|of|on|language|admin|wifi|wi-fi|login|time|channel|input|screen|lock|pin|code|ringtone|alarm|firmware|temperature|firewall|port|dns|for|a|an|in|to|from)){0,6} `+enWhose+enDevice+`\b(?:'s)?(?P<rest>.*)$`,
	`^`+enWhose+enDevice+`(?:'s)? (?:should|needs to|has to|must) (?P<rest>.*)$`,
	`^`+koWhose+koDevice+`(?:의|를|을|도|은|는|가|이|에서|에|로|좀|\s)*(?P<rest>(?:\S+\s+){0,4}?\S*`+koDo+`\S*(?:\s*(?:줘|주세요|줄래|줄래요|봐|주라|해줘))?)$`,
	`^(?:请|帮我|麻烦|能不能|可以)*(?:把|将|给|让)?`+zhWhose+zhDevice+`(?:的|上)?(?P<rest>.{0,12}?`+zhDo+`.*)$`,
	`^(?:请|帮我|麻烦|能不能|可以)*(?:把|将|给|让)?`+zhDo+`(?:一下|掉)?`+zhWhose+zhDevice+`(?P<rest>.{0,10})$`,
)

// ownSide are words for this computer's part: its connection to a device, its driver, queue, program or files.
var ownSide = pattern(`(?i)\b(?:drivers?|queue|jobs?|cups|connect(?:ed|ion)?|pair|bluetooth|usb|mount|print(?: |ing\b|ed\b)|apps?|package|service|files?|photos?|pictures?|copy|transfer|sync|hotspot|tether\w*|ping|default|this (?:computer|pc|laptop|machine)|my (?:computer|pc|laptop|machine)|and then|kdeconnect|reminders?|when|if|paper ?size|ip|address|find|list|show|see|detect\w*|installed|as (?:a|the|my) (?:speaker|display|screen|monitor|webcam|remote)|watch (?:a|the|my)|theme|wallpaper)\b` +
	`|드라이버|대기열|작업|연결|페어링|블루투스|usb|마운트|인쇄|출력해|뽑아|앱|어플|프로그램|패키지|서비스|파일|사진|복사|동기화|핫스팟|테더링|핑|기본|이\s*컴퓨터|내\s*컴퓨터|노트북|설치|찾아|목록|보여|주소|아이피|인식|화면\s*공유|미러링|모니터로|차트|차이|알려|알림|때` +
	`|驱动|队列|任务|连接|连上|配对|蓝牙|挂载|打印(?:文件|一下|这)|应用|程序|软件|服务|文件|照片|复制|同步|热点|默认|这台|电脑|安装|列表|显示|地址|找|投屏|灯光|提醒|告诉`)

// decideDeviceOrder declines an order that another device would have to carry out, before any part of it is taken for this
// computer: "turn down the TV" is not its volume.
func (r *Reading) decideDeviceOrder() (Plan, bool) {
	raw := strings.ToLower(strings.TrimRight(strings.TrimSpace(r.u.raw), ".!?~ 。！？ㅋㅎㅠㅜ"))
	if len(raw) > 200 || strings.ContainsAny(raw, "\n`") || r.u.data != "" || looksLikeCommand(raw) {
		return Plan{}, false
	}
	if r.u.lang == "zh" {
		raw = simplified(raw)
	}
	m := matchForm(deviceOrders(), raw)
	if m == nil || ownSide().MatchString(strings.Replace(raw, m["device"], "", 1)) {
		return Plan{}, false
	}
	device := strings.TrimSpace(m["device"])
	return declinePlan("device", device).because("an order for another device: %s", device), true
}

// Kinds of devices, with what this computer can do about them.
var (
	routerWords  = pattern(`(?i)router|modem|access point|공유기|라우터|모뎀|路由器|光猫`)
	printerWords = pattern(`(?i)print|scan|프린터|스캐너|打印机|扫描仪`)
	phoneWords   = pattern(`(?i)phone|android|tablet|ipad|kindle|휴대|핸드폰|스마트폰|폰|갤럭시|태블릿|아이패드|手机|平板`)
	screenWords  = pattern(`(?i)\btvs?\b|television|projector|chromecast|티비|텔레비|테레비|프로젝터|크롬캐스트|电视|投影`)
)

// DeviceKind returns router, printer, phone, screen, or "" for another device.
func DeviceKind(device string) string {
	switch {
	case routerWords().MatchString(device):
		return "router"
	case printerWords().MatchString(device):
		return "printer"
	case screenWords().MatchString(device):
		return "screen"
	case phoneWords().MatchString(device):
		return "phone"
	}
	return ""
}
