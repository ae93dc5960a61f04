// Package channeltest tests every messenger's bridge against the same requirements. It runs the
// bridge's real binary and the real daemon against a fake messenger server on loopback.
package channeltest
