package unit_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/tools/unit/unittest"
)

func TestMain(m *testing.M) {
	unittest.RunRecorder()
	goleak.VerifyTestMain(m)
}
