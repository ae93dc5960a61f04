package e2e

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// phone is the number that most tests use.
const phone = "821012345678"

// senders returns a configuration that allows the numbers of the tests: phone, 821099999999, and 8210%08d below
// 110.
func senders() string {
	numbers := []string{phone, "821099999999"}
	for i := range 110 {
		numbers = append(numbers, fmt.Sprintf("8210%08d", i))
	}
	return fmt.Sprintf("[whatsapp]\nallowed_numbers = [\"+%s\"]\n", strings.Join(numbers, `", "+`))
}

func TestOriginalPeersPingAndReset(t *testing.T) {
	t.Parallel()
	d, _ := newStage(t, "")
	d.start()
	p := d.newPeer()
	require.Equal(t, originalLine{Type: "response", To: "__ping__", Body: "pong"}, p.act("__ping__", "ping"))
	require.Equal(t, "heard: hello", p.say(phone, "hello").Body)
	require.Equal(t, "2", p.say(phone, "count").Body)
	require.Equal(t, "Started a new conversation.", p.act(phone, "reset").Body)
	require.Equal(t, "1", p.say(phone, "count").Body)
	require.Equal(t, "1", p.say("821099999999", "count").Body, "every number has a conversation of its own")
}

func TestOriginalPeersAreToldErrorsInOneLine(t *testing.T) {
	t.Parallel()
	d, _ := newStage(t, "")
	d.start()
	p := d.newPeer()
	for name, answer := range map[string]originalLine{
		"no words":        p.say(phone, "   "),
		"an unknown type": p.response(p.order("send", map[string]string{"type": "wave", "from": phone})),
	} {
		require.True(t, strings.HasPrefix(answer.Body, "Error: "), "%s: %s", name, answer.Body)
	}
	require.Equal(t, "No confirmation is waiting for an answer.", p.act(phone, "yes_install").Body)
	require.Equal(t, "heard: hello", p.say(phone, "hello").Body, "and the connection stays")
}

// TestOriginalPeersPollTenAtATime: 25 undelivered answers come ten per poll, the oldest first, each once. A
// peer that dies with an unread poll loses nothing.
func TestOriginalPeersPollTenAtATime(t *testing.T) {
	t.Parallel()
	d, s := newStage(t, "")
	d.start()
	p := d.newPeer()
	p.ask(phone, "hold a 00")
	want := []string{"heard: 00"}
	for i := 1; i < 25; i++ {
		p.ask(phone, fmt.Sprintf("%02d", i))
		want = append(want, fmt.Sprintf("heard: %02d", i))
	}
	waitUntil(t, "25 tasks", func() bool { return len(d.journalLines("tasks/tasks.jsonl", `"text"`)) == 25 })
	p.hangUp()
	s.openGate("a")
	waitUntil(t, "25 notifications", func() bool { return d.notices() == 25 })

	p.connect()
	p.stopReading()
	p.order("send", map[string]string{"type": "action", "from": "__poll__", "action": "poll_notifications"})
	waitUntil(t, "a poll that was answered", func() bool { return d.notices() == 15 })
	p.hangUp()
	waitUntil(t, "what it did not read is back", func() bool { return d.notices() == 25 })

	p.connect()
	var got []string
	for _, n := range []int{10, 10, 5, 0} {
		notes := p.poll()
		require.Len(t, notes, n)
		got = append(got, bodies(notes)...)
	}
	require.Equal(t, want, got)
}

func TestTwoMessagesOfOneNumberAtOnceAreAnsweredInOrder(t *testing.T) {
	t.Parallel()
	d, s := newStage(t, "")
	d.start()
	p := d.newPeer()
	first, second, third := p.ask(phone, "hold a one"), p.ask(phone, "two"), p.ask(phone, "three")
	s.awaitGate("a")
	s.openGate("a")
	for want, outcome := range map[string]<-chan nodeEvent{"heard: one": first, "heard: two": second, "heard: three": third} {
		require.Equal(t, want, p.response(outcome).Body)
	}
}

// TestAMessageWhileAConfirmationWaitsIsANo, and also a question. A message sent before the confirmation was
// shown is not an answer to it and waits.
func TestAMessageWhileAConfirmationWaitsIsANo(t *testing.T) {
	t.Parallel()
	d, s := newStage(t, "")
	d.start()
	p := d.newPeer()
	require.Equal(t, []string{"allow_once", "reject"}, p.say(phone, "run touch made").Actions)
	require.Equal(t, "(I took your message as a no to the earlier question.)\nheard: hello", p.say(phone, "hello").Body)
	require.NoFileExists(t, d.home+"/made")
	require.Equal(t, []string{"CANCELLED"}, d.classes())

	asked := p.ask(phone, "hold a run touch made")
	s.awaitGate("a")
	waits := p.ask(phone, "hello again")
	waitUntil(t, "a waiting message", func() bool { return len(d.journalLines("tasks/tasks.jsonl", `"hello again"`)) == 1 })
	s.openGate("a")
	require.Contains(t, p.response(asked).Body, "touch made")
	answered := p.ask(phone, "no")
	// Replies are matched by "to" alone, so the oldest request gets the first reply: the end of the turn that
	// needed approval.
	require.Contains(t, p.response(waits).Body, "done: ")
	require.Equal(t, "heard: hello again", p.response(answered).Body)
	require.NoFileExists(t, d.home+"/made")
}

func TestNumbersAtOnceDoNotCross(t *testing.T) {
	t.Parallel()
	d, _ := newStage(t, "")
	d.start()
	p := d.newPeer()
	var wg sync.WaitGroup
	for i := range 20 {
		from := fmt.Sprintf("8210%08d", i)
		var answers []<-chan nodeEvent
		for j := range 5 {
			answers = append(answers, p.ask(from, fmt.Sprintf("%s says %d", from, j)))
		}
		wg.Go(func() {
			for j, a := range answers {
				w := p.await(a)
				if w.Response == nil || w.Response.Body != fmt.Sprintf("heard: %s says %d", from, j) || w.Response.To != from {
					t.Errorf("%s %d: %+v %+v", from, j, w, w.Response)
				}
			}
		})
	}
	wg.Wait()
}

// TestOriginalPeersAnswerConfirmations in every possible way, after a text that explains the answers, because
// some peers show no buttons.
func TestOriginalPeersAnswerConfirmations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer func(p *originalPeer, code string) originalLine
		ran    bool
	}{
		"네":                 {func(p *originalPeer, _ string) originalLine { return p.say(phone, "네") }, true},
		"아니요":               {func(p *originalPeer, _ string) originalLine { return p.say(phone, "아니요") }, false},
		"yes with its code": {func(p *originalPeer, code string) originalLine { return p.say(phone, "yes "+code) }, true},
		"code, then no":     {func(p *originalPeer, code string) originalLine { return p.say(phone, strings.ToLower(code)+" no") }, false},
		"allow_once":        {func(p *originalPeer, _ string) originalLine { return p.act(phone, "allow_once") }, true},
		"reject":            {func(p *originalPeer, _ string) originalLine { return p.act(phone, "reject") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := newStage(t, "")
			d.start()
			p := d.newPeer()
			asked := p.say(phone, "run touch made")
			code := d.pendingCodes()[0]
			require.Contains(t, asked.Body, "touch made")
			require.Contains(t, asked.Body, `Answer "yes" or "no". (`+code+")")
			require.NoFileExists(t, d.home+"/made")
			require.Equal(t, "heard: I am somebody else", p.say("821099999999", "I am somebody else").Body)
			require.Contains(t, c.answer(p, code).Body, "done: ")
			if c.ran {
				require.FileExists(t, d.home+"/made")
				require.Equal(t, []string{"CONFIRMED"}, d.classes())
			} else {
				require.NoFileExists(t, d.home+"/made")
				require.Equal(t, []string{"CANCELLED"}, d.classes())
			}
			require.Empty(t, d.pendingCodes())
			require.Empty(t, p.poll())
		})
	}
}

// TestTwoConfirmationsAndABareYes: one has been pending since before the daemon was killed, the other one comes
// from a retried task. A bare yes approves neither.
func TestTwoConfirmationsAndABareYes(t *testing.T) {
	t.Parallel()
	d, s := newStage(t, "")
	d.start()
	p := d.newPeer()
	first := p.ask(phone, "hold a run touch first")
	s.awaitGate("a")
	p.ask(phone, "run touch second")
	waitUntil(t, "two tasks", func() bool { return len(d.journalLines("tasks/tasks.jsonl", `"text"`)) == 2 })
	s.openGate("a")
	require.Contains(t, p.response(first).Body, "touch first")
	d.kill()
	d.start()

	p.connect()
	question := p.pollExactly(1)[0]
	require.Equal(t, phone, question.To)
	require.Contains(t, question.Body, "touch second")
	codes := d.pendingCodes()
	require.Len(t, codes, 2)
	for words, want := range map[string]string{"yes": "Which one do you mean?", "네": "어느 것에 대한 답인가요?"} {
		asked := p.say(phone, words).Body
		require.Contains(t, asked, want)
		require.Contains(t, asked, codes[0]+": touch first\n"+codes[1]+": touch second\n")
	}
	require.NoFileExists(t, d.home+"/first")
	require.NoFileExists(t, d.home+"/second")

	require.Contains(t, p.say(phone, codes[0]+" 네").Body, "승인한 명령을 실행했어요(종료 코드 0)", "at once")
	require.FileExists(t, d.home+"/first")
	require.Contains(t, p.say(phone, "아니요").Body, "done: ", "one is left, which needs no name")
	require.NoFileExists(t, d.home+"/second")
	require.Equal(t, []string{"CONFIRMED", "CANCELLED"}, d.classes())
	require.Contains(t, p.pollExactly(1)[0].Body, "Ran the approved command (exit 0).", "the model has read it, after the turn that came first")
}

func TestAYesThatComesTooLateIsToldWhatHappened(t *testing.T) {
	t.Parallel()
	d, _ := newStage(t, "[limits]\napproval_timeout = 1\n")
	d.start()
	p := d.newPeer()
	require.Contains(t, p.say(phone, "run touch made").Body, "touch made")
	code := d.pendingCodes()[0]
	require.Contains(t, p.pollExactly(1)[0].Body, "done: ", "the turn goes on without it")
	late := p.say(phone, "네").Body
	require.Contains(t, late, code+" 확인은")
	require.Contains(t, late, "만료돼서 실행하지 않았어요: touch made")
	require.NoFileExists(t, d.home+"/made")
	require.Equal(t, []string{"CANCELLED"}, d.classes())
}

// TestAPeerThatConnectsAgainInMidTurnPollsItsAnswerOnce, as does one whose daemon was killed meanwhile: no
// command had run yet, so the turn is repeated.
func TestAPeerThatConnectsAgainInMidTurnPollsItsAnswerOnce(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(d *machine, p *originalPeer){
		"it hung up":            func(_ *machine, p *originalPeer) { p.hangUp() },
		"the daemon was killed": func(d *machine, _ *originalPeer) { d.kill(); d.start() },
	} {
		t.Run(name, func(t *testing.T) {
			d, s := newStage(t, "")
			d.start()
			p := d.newPeer()
			waits := p.ask(phone, "hold a one")
			s.awaitGate("a")
			cut(d, p)
			require.True(t, p.await(waits).Closed)
			p.connect()
			require.Empty(t, p.poll())
			s.openGate("a")
			require.Equal(t, []notice{{phone, "heard: one"}}, p.pollExactly(1))
			require.Equal(t, "2", p.say(phone, "count").Body, "it was asked once")
		})
	}
}

// TestAQuestionOutlivesTheConnectionItWasAskedOn: the answer can come on the next connection.
func TestAQuestionOutlivesTheConnectionItWasAskedOn(t *testing.T) {
	t.Parallel()
	d, _ := newStage(t, "")
	d.start()
	p := d.newPeer()
	require.Contains(t, p.say(phone, "run touch made").Body, "touch made")
	p.hangUp()
	p.connect()
	require.Contains(t, p.say(phone, "네").Body, "done: ")
	require.FileExists(t, d.home+"/made")
	require.Empty(t, p.poll())
}

func TestAnAnswerThatWasNotReadIsPolled(t *testing.T) {
	t.Parallel()
	d, _ := newStage(t, "")
	d.start()
	p := d.newPeer()
	p.stopReading()
	p.ask(phone, "hello")
	waitUntil(t, "an answer that left", func() bool { return len(d.journalLines("tasks/tasks.jsonl", `"told":true`)) == 1 })
	p.hangUp()
	p.connect()
	require.Equal(t, []notice{{phone, "heard: hello"}}, p.pollExactly(1))
}
