package transport_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// countedEncode encodes tools and counts its calls.
func countedEncode(calls *int) func([]providers.ToolDefinition) ([]byte, error) {
	return func(tools []providers.ToolDefinition) ([]byte, error) {
		*calls++
		return json.Marshal(tools)
	}
}

func someTools(name string) []providers.ToolDefinition {
	return []providers.ToolDefinition{
		{Name: name, Description: "first", InputSchema: json.RawMessage(`{"a":1}`)},
		{Name: "second", Description: "second"},
	}
}

func TestAListOfToolsIsEncodedOnce(t *testing.T) {
	var l transport.ToolLists
	calls := 0
	for range 3 {
		got, err := l.Encode(someTools("x"), countedEncode(&calls))
		require.NoError(t, err)
		want, err := json.Marshal(someTools("x"))
		require.NoError(t, err)
		require.Equal(t, want, []byte(got))
	}
	require.Equal(t, 1, calls)
	tools := someTools("x")
	require.LessOrEqual(t, testing.AllocsPerRun(20, func() { _, _ = l.Encode(tools, countedEncode(&calls)) }), 3.0)
	require.Equal(t, 1, calls)
}

func TestAnyDifferenceInAListOfToolsIsEncoded(t *testing.T) {
	var l transport.ToolLists
	calls := 0
	tools := someTools("x")
	for _, change := range []func(){
		func() {}, func() { tools[0].Name = "y" }, func() { tools[1].Description = "z" }, func() { tools[0].InputSchema[5] = '2' },
		func() { tools[1].InputSchema = json.RawMessage(`{}`) }, func() { tools[0], tools[1] = tools[1], tools[0] }, func() { tools = tools[:1] },
	} {
		change()
		before := calls
		got, err := l.Encode(tools, countedEncode(&calls))
		require.NoError(t, err)
		want, err := json.Marshal(tools)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
		require.Equal(t, before+1, calls)
	}
}

func TestOldListsOfToolsAreDropped(t *testing.T) {
	var l transport.ToolLists
	calls := 0
	for i := range 5 {
		_, err := l.Encode(someTools(fmt.Sprint(i)), countedEncode(&calls))
		require.NoError(t, err)
		_, err = l.Encode(someTools("0"), countedEncode(&calls))
		require.NoError(t, err)
	}
	require.Equal(t, 5, calls, "the list in use stays")
	_, err := l.Encode(someTools("1"), countedEncode(&calls))
	require.NoError(t, err)
	require.Equal(t, 6, calls)
}

func TestAFailureToEncodeToolsIsNotKept(t *testing.T) {
	var l transport.ToolLists
	_, err := l.Encode(someTools("x"), func([]providers.ToolDefinition) ([]byte, error) { return nil, errors.New("no") })
	require.EqualError(t, err, "no")
	calls := 0
	_, err = l.Encode(someTools("x"), countedEncode(&calls))
	require.NoError(t, err)
	require.Equal(t, 1, calls)
}

func TestAnObjectIsEncodedInOrder(t *testing.T) {
	got, err := transport.EncodeObject([]transport.Field{
		{Name: "b", Value: "<&>"}, {Name: "a", Value: transport.Encoded(`[ 1 ]`)}, {Name: `"`, Value: nil},
	})
	require.NoError(t, err)
	require.Equal(t, `{"b":"<&>","a":[ 1 ],"\"":null}`, string(got))
	got, err = transport.EncodeObject(nil)
	require.NoError(t, err)
	require.Equal(t, `{}`, string(got))
	_, err = transport.EncodeObject([]transport.Field{{Name: "a", Value: func() {}}})
	require.Error(t, err)
}
