// Package system holds the packages to what they promise: built by makepkg,
// installed by pacman, run by a whole booted system. Its tests take minutes and
// have a build tag of their own (systemtest): make test-system.
package system
