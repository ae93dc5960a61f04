package i18n

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThePathOfAKeptTextIsShortInLists(t *testing.T) {
	digest := strings.Repeat("5891b5b522d5", 6)[:64]
	for command, want := range map[string]string{
		"cp -- /home/u/.blunux-ai/receipts/files/" + digest + " /etc/motd":                                        "cp -- (kept text 5891b5b522d5) /etc/motd",
		"sudo -n /usr/bin/blunux-ai put --was none --mode 600 -- /home/u/receipts/files/" + digest + " /etc/motd": "sudo -n put --mode 600 (kept text 5891b5b522d5) /etc/motd",
		"/usr/bin/blunux-ai put --was 5891 -- /home/u/receipts/files/" + digest + " /etc/motd":                    "put (kept text 5891b5b522d5) /etc/motd",
		"cat /x/receipts/files/short":              "cat /x/receipts/files/short",
		"cat /x/receipts/files/" + digest + ".txt": "cat /x/receipts/files/" + digest + ".txt",
		"echo a  b": "echo a  b",
	} {
		require.Equal(t, want, StepCommand(command, English))
	}
}
