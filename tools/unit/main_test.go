package unit_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/test/unittest"
)

func TestMain(m *testing.M) {
	unittest.RunRecorder()
	goleak.VerifyTestMain(m)
}
