package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

const someRules = `디스크 확인 [0 9 * * *] every day at 09:00 · on · do 디스크 확인해줘 · tell desktop · next 2026-02-21 09:00 KST · last 2026-02-20 09:00 KST RAN
disk-watch [*/30 * * * *] every 30 minutes · silent until 2026-02-21 09:00 KST · check disk 90
at-boot [boot] at boot · paused · do look
`

func TestWhatHappensByItselfIsToldInThePersonsLanguage(t *testing.T) {
	added := "added: 디스크 확인 [0 9 * * 1-5] on weekdays at 09:00 · on · do 디스크 확인해줘 · next 2026-02-23 09:00 KST\n"
	for _, test := range []struct {
		step intent.Step
		out  string
		exit int
		want map[i18n.Lang]string
	}{
		{intent.Call("schedule", "cron", "0 9 * * 1-5"), added, 0, map[i18n.Lang]string{
			i18n.Korean:  "네, 등록했어요: 디스크 확인, 평일 오전 9시. 변경할 것이 있으면 그때 여쭤볼게요. 다음 실행은 2026-02-23 09:00 KST예요.",
			i18n.English: "Automation created: 디스크 확인, on weekdays at 09:00. I'll ask before I change anything. Next run: 2026-02-23 09:00 KST.",
			i18n.Chinese: "好的，已创建：디스크 확인，工作日 09:00。需要更改什么时会先询问您。 下次执行时间：2026-02-23 09:00 KST。",
		}},
		{intent.Call("list_automations"), someRules, 0, map[i18n.Lang]string{
			i18n.Korean: `자동화가 3개 있어요:
- 디스크 확인: 매일 오전 9시, 작업: 디스크 확인해줘, 다음 2026-02-21 09:00 KST, 지난번 2026-02-20 09:00 KST RAN
- disk-watch: 30분마다, 점검: disk 90, 2026-02-21 09:00 KST까지 알림 끔
- at-boot: 부팅할 때, 작업: look, 멈춤`,
		}},
		{intent.Call("list_automations"), "there are no automations\n", 0, map[i18n.Lang]string{
			i18n.English: `No automations yet. Say, for example, "check the disk every day at 9am".`,
		}},
		{intent.Call("change_automation", "name", "disk", "enabled", false), "paused: disk [09:00] x · paused · do look\n", 0, map[i18n.Lang]string{
			i18n.Korean: "네, disk를 멈췄어요. 다시 켜기 전까지는 알림도 없어요.",
		}},
		{intent.Call("change_automation", "name", "disk", "enabled", true), "goes on: disk [09:00] x · on · do look · next 2026-02-23 09:00 KST\n", 0, map[i18n.Lang]string{
			i18n.English: "Resumed disk. Next run: 2026-02-23 09:00 KST.",
		}},
		{intent.Call("change_automation", "name", "disk", "schedule", "08:00"), "changed: disk [08:00] x · on · do look\n", 0, map[i18n.Lang]string{
			i18n.Chinese: "好的，已更改：disk，每天 08:00。",
		}},
		{intent.Call("change_automation", "name", "disk", "snooze", "1d"), "silent until 2026-02-21 09:00 KST: disk\n", 0, map[i18n.Lang]string{
			i18n.Korean: "네, 2026-02-21 09:00 KST까지 disk 알림을 보내지 않을게요.",
		}},
		{intent.Call("change_automation", "name", "disk", "snooze", "0"), "told again: disk\n", 0, map[i18n.Lang]string{i18n.English: "disk will notify you again."}},
		{intent.Call("remove_automation", "name", "disk"), "removed: disk\n", 0, map[i18n.Lang]string{i18n.Korean: "네, disk를 지웠어요."}},
		{intent.Call("remove_automation", "name", "disk"), "not done: cannot write the file\n", 1, map[i18n.Lang]string{i18n.English: "I couldn't do that: cannot write the file"}},
	} {
		for lang, want := range test.want {
			c := Case{Lang: lang, RequestedSteps: []intent.Step{test.step}, Results: []Result{{
				Tool: test.step.Tool, Input: test.step.Input, Output: &providers.Output{Steps: []providers.Step{{Command: "blunux-ai automations", Stdout: test.out, Exit: test.exit}}},
			}}}
			require.Equal(t, want, c.Answer().Text)
		}
	}
}

func TestANameOfNoAutomationLeadsToThoseThereAre(t *testing.T) {
	first, list := intent.Call("remove_automation", "name", "printer"), intent.Call("list_automations")
	c := Case{Lang: i18n.Korean, RequestedSteps: []intent.Step{first}, Diagnoses: []string{"automation"}, Results: []Result{
		{Tool: first.Tool, Input: first.Input, Output: &providers.Output{Refusal: "bad_input"}, IsError: true},
	}}
	require.Equal(t, []intent.Step{list}, c.Answer().Next)
	c.Results = append(c.Results, Result{Tool: list.Tool, Input: list.Input, Output: &providers.Output{Steps: []providers.Step{{Stdout: someRules}}}})
	text := c.Answer().Text
	require.True(t, strings.HasPrefix(text, "어느 자동화를 말씀하시는지 모르겠어요."), text)
	require.Contains(t, text, "disk-watch: 30분마다")

	c.Results[0].Output.Refusal = "denied"
	require.Equal(t, "알겠어요. 실행하지 않았어요.", Case{Lang: i18n.Korean, RequestedSteps: c.RequestedSteps, Diagnoses: c.Diagnoses, Results: c.Results[:1]}.Answer().Text)
}

func FuzzARuleLine(f *testing.F) {
	f.Add(someRules)
	f.Add("added: x [[] · · ]")
	f.Fuzz(func(t *testing.T, text string) {
		for _, tool := range []string{"schedule", "list_automations", "change_automation", "remove_automation"} {
			step := intent.Call(tool)
			c := Case{Lang: i18n.English, RequestedSteps: []intent.Step{step}, Results: []Result{{Tool: tool, Output: &providers.Output{Steps: []providers.Step{{Command: "x", Stdout: text}}}}}}
			require.NotPanics(t, func() { c.Answer() })
		}
	})
}
