package manual

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// UsageError is a mistake in the command line. The program explains it with [Guide.ExplainMistake] and ends with exit
// status 2.
type UsageError struct{ error }

// NewUsageError returns a usage error with a text in the user's language.
func NewUsageError(text string) error { return UsageError{errors.New(text)} }

// Unwrap returns the cause.
func (e UsageError) Unwrap() error { return e.error }

// IsUsageError reports whether err is a mistake in the command line.
func IsUsageError(err error) bool {
	var usage UsageError
	return errors.As(err, &usage)
}

// argsError is a wrong number of arguments.
type argsError struct {
	cmd         *cobra.Command
	args        []string
	least, most int // accepted number of arguments
}

func (e *argsError) Error() string {
	return fmt.Sprintf("%s: %d arguments", e.cmd.CommandPath(), len(e.args))
}

// isUnknownCommand reports whether the command only groups others, so that its first argument is a wrong command.
func (e *argsError) isUnknownCommand() bool { return e.most == 0 && e.cmd.HasAvailableSubCommands() }

// unlimited is more arguments than a command line can have.
const unlimited = 1 << 30

// NoArgs rejects arguments with a [UsageError].
func NoArgs(cmd *cobra.Command, args []string) error { return checkCount(cmd, args, 0, 0) }

// OneArg requires exactly one argument.
func OneArg(cmd *cobra.Command, args []string) error { return checkCount(cmd, args, 1, 1) }

// AtMostOneArg accepts one argument or none.
func AtMostOneArg(cmd *cobra.Command, args []string) error { return checkCount(cmd, args, 0, 1) }

// AtLeastOneArg requires at least one argument.
func AtLeastOneArg(cmd *cobra.Command, args []string) error {
	return checkCount(cmd, args, 1, unlimited)
}

// TwoArgs requires exactly two arguments.
func TwoArgs(cmd *cobra.Command, args []string) error { return checkCount(cmd, args, 2, 2) }

// AtLeastTwoArgs requires at least two arguments.
func AtLeastTwoArgs(cmd *cobra.Command, args []string) error {
	return checkCount(cmd, args, 2, unlimited)
}

func checkCount(cmd *cobra.Command, args []string, least, most int) error {
	if least <= len(args) && len(args) <= most {
		return nil
	}
	return UsageError{&argsError{cmd, args, least, most}}
}
