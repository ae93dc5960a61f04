package tools

import "errors"

// ErrStopping, as the cause a context ended with, says that the daemon stops
// and another one will go on: nothing is decided, and what a person confirmed
// and runs in a unit of its own goes on running.
var ErrStopping = errors.New("the daemon is stopping")

// RefusedLeft is why a call has no outcome: the daemon stopped, and the next
// one goes on with it.
const RefusedLeft = "left"
