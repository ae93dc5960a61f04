// Package channeltest holds every messenger's bridge to the same promises: the
// real bridge's binary and the real daemon, with a messenger's server played on
// loopback.
package channeltest
