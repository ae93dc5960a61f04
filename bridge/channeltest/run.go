package channeltest

import "testing"

// Run tests a messenger's bridge. Each test has its own world and its own stage.
func Run(t *testing.T, world func(t *testing.T) World) {
	programs := build(t)
	for _, story := range stories {
		t.Run(story.name, func(t *testing.T) { story.tell(t, staged{world(t), programs}) })
	}
}

// staged is a world and the directory of the programs under test.
type staged struct {
	World
	programs string
}

// stories are the tests.
var stories = []struct {
	name string
	tell func(t *testing.T, w staged)
}{
	{"a question in Korean is answered", aQuestionInKorean},
	{"a confirmation answered with yes runs its command once", aYes},
	{"a confirmation answered with no runs nothing", aNo},
	{"a button answers", aButton},
	{"cancel takes a confirmation back", aCancel},
	{"an early or forwarded yes runs nothing", anEarlyYes},
	{"a bare yes for nothing runs nothing", aYesForNothing},
	{"a stranger gets a code, and nothing else before they are let in", aStranger},
	{"who looks like the owner is nobody", lookAlikes},
	{"groups, own messages and empty ones are left", notForUs},
	{"odd texts are answered once", oddTexts},
	{"the same message five times is one", fiveTimes},
	{"too many messages are told of once", tooMany},
	{"a prefix is asked for where it is wanted", aPrefix},
	{"a long answer comes in pieces", aLongAnswer},
	{"a very long answer comes as a document", aVeryLongAnswer},
	{"a block of code stays one", aBlockOfCode},
	{"killed at any time, each question is answered once", killed},
	{"a server that closes, is down or says nothing loses nothing", troubles},
	{"while the daemon is away who waits is told, and answered then", away},
	{"an automation tells its result, and asks", anAutomation},
	{"what is told while the bridge is away is told when it is back", late},
	{"files come and go", files},
	{"a full disk loses nothing", fullDisk},
	{"a clock that goes wrong changes nothing", clocks},
}
