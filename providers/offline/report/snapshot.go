package report

import (
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	topNow          = command(machine.TopProbe.String() + " | grep -A 20 '^top -'")
	topCPU          = intent.Call("check_processes", "sort", "cpu")
	coreCount       = command("nproc")
	allPressure     = command(machine.PressureProbe.String())
	memoryStep      = intent.Call("check_memory")
	heatStep        = intent.Call("check_hardware", "scope", "temperature")
	failedUnitsStep = intent.Call("check_service", "failed", true)
	throttleStep    = command("journalctl -k -b --no-pager -n 50 -g 'throttl|temperature above threshold'")
	diskErrors      = command("journalctl -k -b --no-pager -n 50 -p err -g 'I/O error|blk_update_request|ata[0-9]+.*error|nvme.*(timeout|error)'")
)
