// Package system tests the packages: built by makepkg, installed by pacman, run on a booted system. The tests
// take minutes and have their own build tag (systemtest): make test-system.
package system
