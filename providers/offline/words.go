package offline

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
	"github.com/nidoit/blunux-ai/providers/offline/report"
)

// Answers without a tool call.
var (
	sayGreeting  = i18n.T("안녕하세요! 저는 인터넷과 API 키 없이도 이 컴퓨터를 살펴볼 수 있는 내장 도우미예요. 예를 들면 이렇게 물어보세요:", "Hello! I am the built-in helper: I can look after this machine without internet or an API key. For example, ask me:", "你好！我是内置助手，不需要网络和 API 密钥就能查看这台电脑。比如可以这样问：")
	sayTime      = i18n.T("지금은 %[1]s{이에요/예요}(%[2]s, %[3]s).", "It is %[1]s (%[2]s, %[3]s).", "现在是 %[1]s（%[2]s，%[3]s）。")
	sayThanks    = i18n.T("천만에요. 더 필요한 게 있으면 말씀해 주세요.", "You're welcome. Tell me if there is anything else.", "不客气。还有需要请告诉我。")
	sayHelp      = i18n.T("디스크·메모리·프로세스·로그·네트워크·패키지·서비스·하드웨어·부팅을 확인하고, 확인을 받은 뒤 설치·삭제·업데이트·서비스 관리를 할 수 있어요. 예:", "I can check disk, memory, processes, logs, network, packages, services, hardware and boot, and install, remove, update or manage services after you confirm. For example:", "我可以检查磁盘、内存、进程、日志、网络、软件包、服务、硬件和启动，并在你确认后安装、卸载、更新或管理服务。例如：")
	sayEmptyAsk  = i18n.T("무엇을 도와드릴까요? 예:", "What can I do for you? For example:", "需要我做什么？例如：")
	sayNeedModel = i18n.T("글쓰기, 일반 상식, 자유로운 대화에는 언어 모델이 필요해요. 연결하려면 터미널에서 `blunux-ai setup`을 실행하세요.", "Writing, general knowledge and free conversation need a language model. To connect one, run: `blunux-ai setup`", "写作、常识和自由对话需要语言模型。要连接语言模型，请运行：`blunux-ai setup`")

	sayUnknown     = i18n.T("죄송해요, 내장 도우미로는 이 요청을 이해하지 못했어요.", "Sorry, the built-in helper does not understand that request.", "抱歉，内置助手无法理解这个请求。")
	sayWriting     = i18n.T("글을 쓰거나 번역·코딩을 하는 일은 내장 도우미가 할 수 없어요.", "Writing, translating or coding is beyond the built-in helper.", "写作、翻译或写代码超出了内置助手的能力。")
	sayExplain     = i18n.T("일반적인 설명은 내장 도우미가 할 수 없어요. 이 컴퓨터의 상태라면 살펴볼 수 있어요.", "General explanations are beyond the built-in helper. I can look at the state of this machine, though.", "一般性的解释超出了内置助手的能力，但我可以查看这台电脑的状态。")
	sayHowto       = i18n.T("방법을 설명하는 일은 내장 도우미가 할 수 없어요. 대신 해 달라고 하시면(예: \"vlc 설치해줘\") 명령을 보여 드리고 확인을 받은 뒤 실행해요.", "Explaining how is beyond the built-in helper. But tell me to do it (\"install vlc\"), and I show the command and run it once you confirm.", "讲解方法超出了内置助手的能力。你可以直接让我做（例如“安装 vlc”），我会显示命令并在你确认后执行。")
	sayOffTopic    = i18n.T("그건 제가 잴 수 있는 게 아니에요. 저는 이 컴퓨터의 상태를 확인하고 관리해요.", "That is not something I can measure. I look after this machine.", "这不是我能查到的内容。我负责查看和管理这台电脑。")
	sayUnsure      = i18n.T("무엇을 원하시는지 확실하지 않아서 아무것도 하지 않았어요.", "I am not sure what you want, so I did nothing.", "我不确定你想要什么，所以什么都没做。")
	sayHeard       = i18n.T("알아들은 말: %[1]s", "What I understood: %[1]s", "我听懂的词：%[1]s")
	sayUnheard     = i18n.T("알아듣지 못한 말: %[1]s", "What I did not understand: %[1]s", "没听懂的词：%[1]s")
	askNearest     = i18n.T("혹시 이런 걸 물어보신 건가요? 그대로 말씀해 주세요:", "Did you mean one of these? Ask it like this:", "你是想问下面这些吗？可以这样问：")
	sayDevice      = i18n.T("%[1]s{은/는} 이 컴퓨터가 아니라서 제가 다룰 수 없어요. 아무것도 바꾸지 않았어요. 저는 이 컴퓨터만 살펴보고 관리해요.", "That is about another device (%[1]s). I can only check and manage this computer, so I changed nothing.", "这是另一台设备（%[1]s），我只能查看和管理这台电脑，所以没有做任何更改。")
	askReady       = i18n.T("바로 재부팅하거나 끄지는 않아요. 먼저 다시 켜질 수 있는지 확인할까요?", "I do not restart or switch off right away. Shall I first check whether this machine will boot again?", "我不会马上重启或关机。要先检查这台电脑能否再次启动吗？")
	sayUnwatch     = i18n.T("배터리 잔량은 지켜보다가 알려 드릴 수 없어요. 지켜볼 수 있는 것: 디스크, 메모리, 온도, 배터리 수명, 실패한 서비스, 오류, 업데이트, 재부팅 필요, 인터넷. 예: \"디스크가 90% 넘으면 알려줘\"", "I cannot watch how much charge is left. I can watch disk, memory, temperature, battery wear, failed services, errors, updates, a due reboot and the internet. For example: \"tell me when the disk is over 90%\"", "我不能监视剩余电量。可以监视：磁盘、内存、温度、电池损耗、失败的服务、错误、更新、需要重启和网络。例如：“磁盘超过90%时告诉我”")
	sayUnwatchThis = i18n.T("그건 지켜보다가 알려 드릴 수 없어서 아무것도 등록하지 않았어요. 지켜볼 수 있는 것: 디스크, 메모리, 온도, 배터리 수명, 실패한 서비스, 오류, 업데이트, 재부팅 필요, 인터넷. 예: \"디스크가 90% 넘으면 알려줘\"", "I cannot watch for that, so I set nothing up. I can watch disk, memory, temperature, battery wear, failed services, errors, updates, a due reboot and the internet. For example: \"tell me when the disk is over 90%\"", "我不能监视这件事，所以什么都没有设置。可以监视：磁盘、内存、温度、电池损耗、失败的服务、错误、更新、需要重启和网络。例如：“磁盘超过90%时告诉我”")
	sayHalt        = i18n.T("지금 대답하던 일은 없어요. 실행 중이거나 기다리는 일은 `blunux-aictl tasks`와 `blunux-aictl approvals`로 볼 수 있고, 아무것도 승인하지 않으면 아무것도 바뀌지 않아요.", "I am doing nothing else right now. What runs or waits: `blunux-aictl tasks` and `blunux-aictl approvals`. Nothing changes unless you approve it.", "我现在没有在做别的事。正在运行或等待的任务：`blunux-aictl tasks` 和 `blunux-aictl approvals`。未经您批准，什么都不会改变。")
	sayAllGood     = i18n.T("알겠어요. 아무것도 바꾸지 않을게요.", "All right, I change nothing.", "好的，我什么都不改。")
	sayProgram     = i18n.T("%[1]s{은/는} 서비스가 아니라 프로그램이라서 제가 켜거나 끌 수 없어요. 실행 중인지는 확인해 드릴 수 있어요: \"%[1]s 실행 중이야?\"", "%[1]s is a program, not a service, so I cannot start or stop it. I can tell whether it is running: \"is %[1]s running?\"", "%[1]s 是程序而不是服务，我不能启动或关闭它。可以问我它是否在运行：“%[1]s 在运行吗？”")
	sayRadio       = i18n.T("와이파이 무선을 켜고 끄는 도구는 없어요. 네트워크 관리자를 다시 시작하는 건 할 수 있어요: \"네트워크 매니저 재시작해줘\"", "I have no tool for switching the Wi-Fi radio. I can restart the network manager: \"restart NetworkManager\".", "我没有开关无线网卡的工具，但可以重启网络管理器：“重启 NetworkManager”。")
	sayLater       = i18n.T("한 번뿐인 예약은 할 수 없어서 지금은 아무것도 하지 않았어요. 지금 하려면 시간 없이 다시 말씀해 주세요.", "I cannot wait for a one-off time, so I did nothing. Ask without the time to do it now.", "我不能预约一次性的时间，所以什么都没做。若要现在执行，请去掉时间再说一次。")
	sayNoOffer     = i18n.T("무엇에 대한 대답인지 모르겠어요. 하고 싶은 일을 말씀해 주세요.", "I am not sure what that answers. Tell me what you would like to do.", "我不确定这是在回答什么。请告诉我想做什么。")
	sayNoWhy       = i18n.T("방금 본 것보다 더 알아낼 수 있는 까닭은 없어요. \"더 보여줘\"라고 하시면 출력을 그대로 보여 드려요.", "There is nothing more I can look at for the reason. \"show more\" shows the output as it came.", "没有更多可以查看的原因了。说“显示更多”可以看到原始输出。")
	sayDeclined    = i18n.T("알겠어요. 그대로 둘게요.", "All right, I leave it as it is.", "好的，保持不变。")
)

// Questions back.
var (
	askInstall   = i18n.T("어떤 패키지를 설치할까요? 예: \"vlc 설치해줘\"", "Which package shall I install? For example: \"install vlc\"", "要安装哪个软件包？例如：“安装 vlc”")
	askRemove    = i18n.T("어떤 패키지를 삭제할까요? 예: \"vlc 삭제해줘\"", "Which package shall I remove? For example: \"remove vlc\"", "要卸载哪个软件包？例如：“卸载 vlc”")
	askUnknown   = i18n.T("'%[1]s'의 패키지 이름을 모르겠어요. 영어 패키지 이름을 알려 주시거나 \"%[1]s 검색해줘\"처럼 찾아 달라고 해 주세요.", "I do not know which package \"%[1]s\" is. Tell me the package's name, or ask me to search for it.", "我不知道“%[1]s”是哪个软件包。请告诉我软件包名称，或让我搜索。")
	askService   = i18n.T("어떤 서비스를 말씀하시는 건가요? 예: \"bluetooth 재시작해줘\"", "Which service do you mean? For example: \"restart bluetooth\"", "你指的是哪个服务？例如：“重启 bluetooth”")
	askNote      = i18n.T("무엇을 기억할까요?", "What shall I remember?", "要记住什么？")
	askSchedule  = i18n.T("그때 무엇을 할까요? 예: \"매일 아침 9시에 디스크 확인해줘\"", "What shall I do then? For example: \"check the disk every day at 9\"", "到时候要做什么？例如：“每天早上9点检查磁盘”")
	askWhatToRun = i18n.T("어떤 일을 할까요? 조금 더 자세히 말씀해 주세요.", "What exactly shall I do? Tell me a little more.", "具体要做什么？请再说详细一点。")
)

// Refusals of destructive requests, each with a safe alternative.
var (
	refuseFiles    = i18n.T("파일을 한꺼번에 지우는 일은 하지 않아요. 되돌릴 수 없기 때문이에요. 대신 무엇이 용량을 차지하는지 찾아 드릴 수 있어요: \"큰 파일 찾아줘\"", "I do not delete people's files: it cannot be undone. I can show what takes the space instead: \"find large files\".", "我不会批量删除文件，因为无法恢复。可以帮你找出占空间的文件：“查找大文件”。")
	refuseDisk     = i18n.T("디스크를 지우거나 포맷하는 일은 하지 않아요. 되돌릴 수 없기 때문이에요. 대신 어떤 디스크와 파티션이 있는지 보여 드릴 수 있어요: \"디스크 목록 보여줘\"", "I do not wipe or format disks: it cannot be undone. I can show which disks and partitions there are: \"list block devices\".", "我不会擦除或格式化磁盘，因为无法恢复。可以显示有哪些磁盘和分区：“列出块设备”。")
	refusePackages = i18n.T("모든 패키지를 지우면 컴퓨터를 쓸 수 없게 돼서 하지 않아요. 대신 더 이상 필요 없는 패키지를 보여 드릴 수 있어요: \"고아 패키지 보여줘\"", "Removing every package would leave the machine unusable, so I do not. I can list packages nothing needs any more: \"list orphan packages\".", "卸载所有软件包会使电脑无法使用，因此我不会做。可以列出不再需要的软件包：“列出孤立的软件包”。")
	refuseSecret   = i18n.T("개인 키는 보여 드리지 않아요. 대화와 기록에 남으면 그 키를 믿을 수 없게 되기 때문이에요. 공개 키(.pub)는 다른 곳에 알려도 괜찮아요.", "I do not show private keys: once one is in a conversation or its log, it can no longer be trusted. The public key (.pub) is the one to hand out.", "我不会显示私钥：一旦出现在对话或记录中，它就不再可信。可以给别人的是公钥（.pub）。")
	refuseServices = i18n.T("모든 서비스를 한꺼번에 끄면 컴퓨터가 멈출 수 있어서 하지 않아요. 서비스 하나를 말씀해 주시면 그것만 처리해요.", "Stopping every service could hang the machine, so I do not. Name one service, and I handle that one.", "停止所有服务可能导致系统瘫痪，因此我不会做。请指定一个服务。")
	refuseSystem   = i18n.T("그러면 시스템이 켜지지 않거나 고칠 수 없게 될 수 있어서 하지 않아요. 무엇이 문제인지 말씀해 주시면 먼저 살펴볼게요.", "That could leave a system that does not start or cannot be repaired, so I do not. Tell me what the trouble is, and I look first.", "这可能导致系统无法启动或无法修复，因此我不会做。请告诉我遇到了什么问题，我先查看。")
	refuseCommand  = i18n.T("이 명령은 데이터나 시스템을 되돌릴 수 없게 망가뜨릴 수 있어서 실행하지 않아요. 함께 적힌 다른 일도 하지 않았어요. 목적을 말씀해 주시면 안전한 방법을 찾아볼게요.", "That command can destroy data or the system beyond repair, so I do not run it, nor anything glued to it. Tell me the goal, and I look for a safe way.", "该命令可能不可恢复地破坏数据或系统，因此我不会执行，也不会执行与它连在一起的内容。请告诉我目的，我来找安全的方法。")
)

// Answers for unavailable tools.
var (
	sayNoRemember = i18n.T("기억해 두는 기능은 아직 없어요. 그래서 저장하지 않았어요.", "Remembering notes is not available yet, so I did not save it.", "记忆功能尚未提供，因此没有保存。")
	sayNoRecall   = i18n.T("예전 대화나 메모를 찾아보는 기능은 아직 없어요.", "Looking up earlier conversations or notes is not available yet.", "查找以前的对话或笔记的功能尚未提供。")
	sayNoSchedule = i18n.T("정해진 시간에 실행하는 예약 기능은 아직 없어요. 그래서 등록하지 않았어요.", "Running things on a schedule is not available yet, so nothing was set up.", "定时执行的功能尚未提供，因此没有设置。")
	sayNoTool     = i18n.T("그 일에 필요한 도구(%[1]s){이/가} 지금은 꺼져 있어서 할 수 없어요.", "The tool this needs (%[1]s) is not available right now, so I cannot do it.", "所需的工具（%[1]s）目前不可用，因此无法完成。")
)

// unavailable names the missing function.
func (t *turn) unavailable(s intent.Step) string {
	switch s.Tool {
	case "remember":
		return sayNoRemember.In(t.lang)
	case "recall", "forget":
		return sayNoRecall.In(t.lang)
	case "schedule", "list_automations", "change_automation", "remove_automation":
		return sayNoSchedule.In(t.lang)
	}
	return sayNoTool.In(t.lang, s.Tool)
}

// words answers a plan without tool calls.
func (t *turn) words(p intent.Plan, data string) string {
	switch p.Kind {
	case intent.KindLogText:
		return report.AnswerFromText(data, t.lang)
	case intent.KindRefuse:
		return refusals(p.Topic).In(t.lang)
	case intent.KindSocial:
		return t.social(p.Topic)
	case intent.KindAsk:
		return t.askBack(p)
	case intent.KindFollow:
		switch p.Topic {
		case "declined":
			return sayDeclined.In(t.lang)
		case "why":
			return sayNoWhy.In(t.lang)
		}
		return sayNoOffer.In(t.lang)
	}
	return t.explainLimit(p)
}

func refusals(topic string) i18n.Text {
	switch topic {
	case "secret":
		return refuseSecret
	case "files":
		return refuseFiles
	case "disk":
		return refuseDisk
	case "packages":
		return refusePackages
	case "services":
		return refuseServices
	case "system":
		return refuseSystem
	}
	return refuseCommand
}

func (t *turn) social(topic string) string {
	switch topic {
	case "time":
		now := t.opts.Now()
		return sayTime.In(t.lang, now.Format("15:04"), now.Format("2006-01-02"), now.Format("MST"))
	case "thanks":
		return sayThanks.In(t.lang)
	case "help":
		return formatList(sayHelp.In(t.lang), Examples(t.lang)) + "\n\n" + sayNeedModel.In(t.lang)
	case "empty":
		return formatList(sayEmptyAsk.In(t.lang), Examples(t.lang)[:3])
	}
	return formatList(sayGreeting.In(t.lang), Examples(t.lang)[:4])
}

func (t *turn) askBack(p intent.Plan) string {
	switch p.Topic {
	case "install":
		return askInstall.In(t.lang)
	case "remove":
		return askRemove.In(t.lang)
	case "install_unknown", "remove_unknown":
		return askUnknown.In(t.lang, p.Subject)
	case "note":
		return askNote.In(t.lang)
	case "schedule":
		return askSchedule.In(t.lang)
	case "start", "stop", "restart", "reload", "enable", "disable":
		return askService.In(t.lang)
	}
	return askWhatToRun.In(t.lang)
}

// explainLimit explains what is not possible, and what would make it possible.
func (t *turn) explainLimit(p intent.Plan) string {
	switch p.Topic {
	case "unsure":
		return t.unsure(p)
	case "device":
		return sayDevice.In(t.lang, p.Subject)
	case "power":
		return askReady.In(t.lang)
	case "unwatched":
		if p.Subject == "other" {
			return sayUnwatchThis.In(t.lang)
		}
		return sayUnwatch.In(t.lang)
	case "halt":
		return sayHalt.In(t.lang)
	case "left":
		return sayAllGood.In(t.lang)
	case "program":
		return sayProgram.In(t.lang, p.Subject)
	case "radio":
		return sayRadio.In(t.lang)
	case "later":
		return sayLater.In(t.lang)
	case "howto":
		return sayHowto.In(t.lang) + "\n\n" + sayNeedModel.In(t.lang)
	}
	if p.Topic == "unknown" && len(p.NearestSteps) > 0 {
		return t.unsure(p) + "\n\n" + sayNeedModel.In(t.lang)
	}
	first := map[string]i18n.Text{"writing": sayWriting, "explain": sayExplain, "offtopic": sayOffTopic}[p.Topic]
	if first == (i18n.Text{}) {
		first = sayUnknown
	}
	return first.In(t.lang) + "\n\n" + sayNeedModel.In(t.lang)
}

// unsure lists the understood and the unknown words of a request, and the nearest available checks.
func (t *turn) unsure(p intent.Plan) string {
	text := sayUnsure.In(t.lang)
	if len(p.UnderstoodWords) > 0 {
		text += "\n- " + sayHeard.In(t.lang, strings.Join(p.UnderstoodWords[:min(6, len(p.UnderstoodWords))], ", "))
	}
	if len(p.UnknownWords) > 0 {
		text += "\n- " + sayUnheard.In(t.lang, strings.Join(p.UnknownWords[:min(6, len(p.UnknownWords))], ", "))
	}
	var near []string
	for _, s := range p.NearestSteps {
		if e := exampleOf(s, t.lang); e != "" && !slices.Contains(near, e) {
			near = append(near, e)
		}
	}
	if len(near) == 0 {
		return text + "\n\n" + askWhatToRun.In(t.lang)
	}
	return text + "\n\n" + formatList(askNearest.In(t.lang), near)
}

// formatList formats a sentence with a list below it.
func formatList(head string, items []string) string {
	return head + "\n- " + strings.Join(items, "\n- ")
}
