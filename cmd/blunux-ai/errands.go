package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/doctor"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/tools/commandlog"
)

// noted runs commands that a person at the terminal said yes to, each written down
// in the command log before it starts. Nothing runs that cannot be written down.
type noted struct {
	lang  i18n.Lang
	paths config.Paths
	run   func(ctx context.Context, argv []string) error
}

func (n noted) Run(ctx context.Context, argv []string) error {
	log := commandlog.Open(n.paths.CommandLog(), n.paths.LogWitness())
	err := n.paths.Ensure()
	var ref commandlog.Ref
	if err == nil {
		ref, err = log.Begin(commandlog.Entry{
			Class: commandlog.Confirmed, Command: doctor.CommandLine(argv), Tool: "setup", Channel: "cli", Approver: "terminal",
		})
	}
	if err != nil {
		return errors.New(i18n.DoctorFixLog.In(n.lang, err))
	}
	began := time.Now()
	failure := n.run(ctx, argv)
	result := commandlog.Result{Took: time.Since(began)}
	if failure != nil {
		result.Exit, result.Error = doctor.ExitOf(failure), failure.Error()
	}
	if err := log.End(ref, result); err != nil {
		failure = errors.Join(failure, fmt.Errorf("cannot note how a command ended: %w", err))
	}
	return failure
}
