//go:build systemtest

package system

import (
	"testing"
)

func TestFixture(t *testing.T) { t.Logf("%+v", packages(t)) }
