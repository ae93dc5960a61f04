package channeltest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Run tests a messenger's bridge. Each test has its own world and its own stage.
func Run(t *testing.T, world func(t *testing.T) World) {
	programs, err := Programs()
	require.NoError(t, err)
	for _, story := range tests {
		t.Run(story.name, func(t *testing.T) {
			w := testWorld{world(t), programs} // one at a time: libraries set up what they share
			t.Parallel()                       // the tests mostly wait
			story.tell(t, w)
		})
	}
}

// testWorld is a world and the directory of the programs under test.
type testWorld struct {
	World
	programs string
}

// tests are the tests.
var tests = []struct {
	name string
	tell func(t *testing.T, w testWorld)
}{
	{"a question in Korean is answered", testKoreanQuestion},
	{"a confirmation answered with yes runs its command once", testYes},
	{"a confirmation answered with no runs nothing", testNo},
	{"a button answers", testButton},
	{"a plan is asked about, carried out and undone by words", testPlanUndoneByWords},
	{"a plan is undone by a button", testPlanUndoneByButton},
	{"a long plan is shown in several messages", testLongPlan},
	{"cancel takes a confirmation back", testCancel},
	{"an early or forwarded yes runs nothing", testEarlyYes},
	{"a bare yes for nothing runs nothing", testYesWithoutQuestion},
	{"a stranger gets a code, and nothing else before they are let in", testStranger},
	{"in a room only who is admitted is answered, and only who is asked confirms", testRoom},
	{"killed at any time, each mention in a room is answered once", testRoomKills},
	{"who looks like the owner is nobody", testSimilarSenders},
	{"groups, own messages and empty ones are left", testIgnoredMessages},
	{"odd texts are answered once", testOddTexts},
	{"the same message five times is one", testDuplicates},
	{"too many messages are told of once", testRateLimit},
	{"a prefix is asked for where it is wanted", testPrefix},
	{"a long answer comes in pieces", testLongAnswer},
	{"a very long answer comes as a document", testVeryLongAnswer},
	{"a block of code stays one", testCodeBlock},
	{"killed at any time, each question is answered once", testKills},
	{"a server that closes, is down or says nothing loses nothing", testServerFailures},
	{"while the daemon is away who waits is told, and answered then", testDaemonAway},
	{"a web page that gives orders has nothing done", testInjectingPages},
	{"an automation tells its result, and asks", testAutomation},
	{"what is told while the bridge is away is told when it is back", testBridgeAway},
	{"files come and go", testFiles},
	{"a full disk loses nothing", testFullDisk},
	{"a clock that goes wrong changes nothing", testClocks},
}
