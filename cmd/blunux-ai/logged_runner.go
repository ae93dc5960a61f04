package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/ui/doctor"
)

// loggedRunner runs commands that the user confirmed at the terminal. It writes each one to the command log before it
// starts, and does not run a command that it cannot log.
type loggedRunner struct {
	lang  i18n.Lang
	paths config.Paths
	run   func(ctx context.Context, argv []string) error
}

func (n loggedRunner) Run(ctx context.Context, argv []string) error {
	log := commandlog.Open(n.paths.CommandLog(), n.paths.LogWitness())
	err := n.paths.Ensure()
	var ref commandlog.Ref
	if err == nil {
		ref, err = log.Begin(commandlog.Entry{
			Class: commandlog.Confirmed, Command: doctor.CommandLine(argv), Tool: "setup", Channel: "cli", Approver: "terminal",
		})
	}
	if err != nil {
		return errors.New(i18n.DoctorFixLog(err).In(n.lang))
	}
	began := time.Now()
	failure := n.run(ctx, argv)
	result := commandlog.Result{Took: time.Since(began)}
	if failure != nil {
		result.Exit, result.Error = doctor.ExitOf(failure), failure.Error()
	}
	if err := log.End(ref, result); err != nil {
		failure = errors.Join(failure, fmt.Errorf("cannot log command result: %w", err))
	}
	return failure
}
