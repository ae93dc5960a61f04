package intent

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var updateAsk = flag.Bool("update-ask", false, "write docs/ask*.md")

// askTexts are the sentences of a page in one language.
type askTexts struct {
	file, title, head, languages, never string
	groups                              map[string][2]string // title, and what is done and whether it asks
}

// askGroups are the subjects of the page, with the meanings (see weekMeaning) that belong to each.
var askGroups = []struct {
	name  string
	verbs []string
}{
	{"sound", []string{"volume", "microphone", "output", "media"}},
	{"screen", []string{"brightness", "night", "dark", "blank", "screen", "dnd", "screenshot"}},
	{"network", []string{"wifi", "airplane", "bluetooth"}},
	{"session", []string{"session", "profile"}},
	{"programs", []string{"open", "close", "default", "autostart"}},
	{"files", []string{"find", "old", "duplicates", "large", "trash", "print", "eject", "mount", "cache", "clipboard"}},
	{"settings", []string{"timezone", "hostname", "layout", "language", "touchpad"}},
	{"reminders", []string{"reminder", "watch", "reminders"}},
	{"machine", []string{"disk", "memory", "updates", "info", "packages", "service", "diagnose"}},
	{"explain", []string{"explain"}},
	{"notes", []string{"remember", "recall"}},
	{"declined", []string{"scam", "refuse", "device"}},
}

var askPages = map[string]askTexts{
	"en": {
		"ask.md", "Ask this, it does that", "The built-in helper understands these requests, without a model and without the internet. The tests of the program hold each of them.\n" +
			"Say it in your own words: these are examples.", "([한국어](ask.ko.md), [中文](ask.zh.md))",
		"It does not change other devices, write texts, look things up on the web or answer questions that are not about this computer. A model can do more\nof that ([setup](setup.md)). " +
			"What it does not understand it says, and names the nearest thing that it can do.",
		map[string][2]string{
			"sound": {"Sound", "It looks first, shows the command and asks for a yes. Then it says what is so now."}, "screen": {"Screen", "It looks first, shows the command and asks for a yes."},
			"network":  {"Wi-Fi and Bluetooth", "Looking changes nothing. For the rest it shows the command and asks for a yes. A password is shown only at this computer's terminal."},
			"session":  {"Lock, sleep, switch off", "It asks for a yes once, with the command and the time. What is planned for later can be cancelled."},
			"programs": {"Programs", "It asks for a yes with the command. A program that does not close is ended by force only if you say so."},
			"files":    {"Files", "Finding only reads. It asks before it prints, copies, ejects or empties the trash."},
			"settings": {"Settings", "Asking shows the setting. A change shows the command and asks for a yes."}, "reminders": {"Reminders and watching", "A reminder is set without a question. A rule that watches something is shown and asks for a yes."},
			"machine": {"This computer", "It only looks. If something can be repaired, it offers that."}, "explain": {"What a command does", "It explains the command and never runs it."},
			"notes": {"Notes", "It keeps what you ask it to keep, on this computer, and finds it again."}, "declined": {"What it declines", "Nothing is run. It says why, and what to do instead."},
		},
	},
	"ko": {
		"ask.ko.md", "이렇게 말하면 이렇게 해요", "내장 도우미는 모델이나 인터넷 없이 이런 말을 알아들어요. 모두 이 프로그램의 시험이 확인하는 말이에요.\n편한 말로 하세요. 아래는 예시예요.", "([English](ask.md), [中文](ask.zh.md))",
		"다른 기기를 바꾸거나, 글을 쓰거나, 웹에서 찾아보거나, 이 컴퓨터와 상관없는 질문에 답하지는 않아요. 그런 일은 모델을 연결하면 더 할 수 있어요\n([설정하기](setup.ko.md)). 알아듣지 못하면 그렇다고 말하고, 가장 가까운 할 수 있는 일을 알려 드려요.",
		map[string][2]string{
			"sound": {"소리", "먼저 살펴보고, 실행할 명령을 보여 주고 물어봐요. 그다음 지금 상태를 알려 드려요."}, "screen": {"화면", "먼저 살펴보고, 실행할 명령을 보여 주고 물어봐요."},
			"network":  {"와이파이와 블루투스", "보기만 하는 일은 아무것도 바꾸지 않아요. 나머지는 명령을 보여 주고 물어봐요. 비밀번호는 이 컴퓨터의 터미널에서만 보여요."},
			"session":  {"잠금, 절전, 끄기", "명령과 시각을 보여 주고 한 번 물어봐요. 예약한 일은 취소할 수 있어요."},
			"programs": {"프로그램", "명령을 보여 주고 물어봐요. 닫히지 않는 프로그램은 강제로 끄라고 할 때만 강제로 꺼요."},
			"files":    {"파일", "찾기는 읽기만 해요. 인쇄, 복사, 꺼내기, 휴지통 비우기는 먼저 물어봐요."},
			"settings": {"설정", "물어보면 지금 설정을 보여 줘요. 바꿀 때는 명령을 보여 주고 물어봐요."}, "reminders": {"알림과 지켜보기", "알림은 묻지 않고 등록해요. 지켜보는 규칙은 보여 주고 물어봐요."},
			"machine": {"이 컴퓨터", "보기만 해요. 고칠 수 있으면 고칠지 물어봐요."}, "explain": {"명령 설명", "명령을 설명하고, 절대 실행하지 않아요."},
			"notes": {"메모", "기억해 달라고 한 것을 이 컴퓨터에 적어 두고 다시 찾아 줘요."}, "declined": {"하지 않는 일", "아무것도 실행하지 않아요. 왜 그런지, 대신 무엇을 하면 되는지 말해 드려요."},
		},
	},
	"zh": {
		"ask.zh.md", "这样说，它就这样做", "内置助手无需模型和网络就能听懂这些话。程序的测试逐条核对它们。\n用您自己的话说即可，以下只是例子。", "([English](ask.md), [한국어](ask.ko.md))",
		"它不会更改其他设备、写文章、上网查资料，也不回答与这台电脑无关的问题。连接模型后可以做得更多（[setup](setup.md)）。\n听不懂时它会直说，并给出它能做的最接近的事。",
		map[string][2]string{
			"sound": {"声音", "先查看，再显示命令并询问，然后报告现在的状态。"}, "screen": {"屏幕", "先查看，再显示命令并询问。"},
			"network":  {"无线网络和蓝牙", "查看不会更改任何东西。其余的会显示命令并询问。密码只在本机终端显示。"},
			"session":  {"锁定、睡眠、关机", "显示命令和时间，只问一次。定时的可以取消。"},
			"programs": {"程序", "显示命令并询问。只有您要求时才会强制关闭程序。"},
			"files":    {"文件", "查找只读取。打印、复制、弹出、清空回收站之前会询问。"},
			"settings": {"设置", "询问时显示当前设置。更改时显示命令并询问。"}, "reminders": {"提醒和监视", "提醒无需确认即可设置。监视规则会显示并询问。"},
			"machine": {"这台电脑", "只查看。能修复的会提出修复方案。"}, "explain": {"命令是做什么的", "只解释命令，绝不执行。"},
			"notes": {"笔记", "把您让它记住的内容保存在这台电脑上，以后可以找到。"}, "declined": {"不做的事", "不执行任何操作，说明原因和替代办法。"},
		},
	},
}

// maxAsked bounds the examples of a group, maxAlike those of one act in it.
const (
	maxAsked = 18
	maxAlike = 2
)

// askPage returns the page of a language, from the requests of the corpora that are understood exactly.
func askPage(t *testing.T, lang string) string {
	page := askPages[lang]
	examples, alike := map[string][]string{}, map[string]int{}
	for _, w := range weekRows(t, "testdata/week-"+lang+".tsv") {
		verb, args := weekMeaning(BuiltIn().Understand(w.text, Context{Now: weekNow()}))
		if !isOneOf(verb, w.verb) || !isOneOf(args, w.args) || strings.ContainsAny(w.text, "`|<>*_\\[") || len(w.text) > 90 {
			continue
		}
		for _, g := range askGroups {
			act := verb + " " + strings.FieldsFunc(args, func(r rune) bool { return r == '=' || r == ';' })[0]
			if slices.Contains(g.verbs, verb) && len(examples[g.name]) < maxAsked && alike[act] < maxAlike {
				example := fmt.Sprintf("- %s → `%s`", w.text, strings.TrimSuffix(verb+" "+args, " -"))
				if !slices.Contains(examples[g.name], example) {
					alike[act]++
					examples[g.name] = append(examples[g.name], example)
				}
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n%s\n", page.title, page.head, page.languages)
	for _, g := range askGroups {
		require.NotEmpty(t, examples[g.name], "%s: %s", lang, g.name)
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n%s\n", page.groups[g.name][0], page.groups[g.name][1], strings.Join(examples[g.name], "\n"))
	}
	fmt.Fprintf(&b, "\n%s\n", page.never)
	return b.String()
}

// TestTheAskPagesAreCurrent compares docs/ask*.md with the corpora; -update-ask writes them.
func TestTheAskPagesAreCurrent(t *testing.T) {
	for lang, page := range askPages {
		file := "../../../docs/" + page.file
		want := askPage(t, lang)
		if *updateAsk {
			require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
		}
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, want, string(got), "%s; write it: go test ./providers/offline/intent -run AskPages -update-ask", file)
	}
}
