package machine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatAProgramNeeds(t *testing.T) {
	d, err := ParseDynamic(recorded(t, "readelf.txt"))
	require.NoError(t, err)
	require.Equal(t, Dynamic{Needed: []string{"libselinux.so.1", "libc.so.6"}}, d)
	d, err = ParseDynamic([]byte(" 0x000000000000001d (RUNPATH)            Library runpath: [$ORIGIN/../lib:/opt/x]\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"$ORIGIN/../lib", "/opt/x"}, d.Paths)
	d, err = ParseDynamic([]byte("\nThere is no dynamic section in this file.\n"))
	require.NoError(t, err)
	require.Empty(t, d)
	for _, text := range []string{"", "readelf: Error: Not an ELF file - it has the wrong magic bytes at the start\n"} {
		_, err = ParseDynamic([]byte(text))
		require.Error(t, err)
	}
}

func TestLibrariesOfTheLoader(t *testing.T) {
	libraries, err := ParseLibraries(recorded(t, "ldconfig.txt"))
	require.NoError(t, err)
	require.Len(t, libraries, 11)
	for name, file := range libraries {
		require.Contains(t, file, Stem(name))
	}
	_, err = ParseLibraries(nil)
	require.Error(t, err)
	require.Equal(t, "libicuuc.so", Stem("libicuuc.so.74"))
	require.Equal(t, "libstdc++.so", Stem("/usr/lib/libstdc++.so.6.0.33"))
}

func TestThePackageOfAFile(t *testing.T) {
	p, err := ParsePackageFile(recorded(t, "package-file.txt"))
	require.NoError(t, err)
	require.Equal(t, PackageFile{"coreutils", "9.5-1"}, p)
	_, err = ParsePackageFile([]byte("error: No package owns /usr/local/bin/x\n"))
	require.Error(t, err)
}

func TestTheBeginningOfAScript(t *testing.T) {
	for text, want := range map[string]Script{
		"#!/bin/sh\n":                                  {Interpreter: "/bin/sh"},
		"#! /usr/bin/python3 -I\nimport x\n":           {Interpreter: "/usr/bin/python3"},
		"#!/usr/bin/env python3\n":                     {Interpreter: "/usr/bin/env", Program: "python3"},
		"#!/bin/sh\n# x\nexec /usr/lib/a/a \"$@\"\n":   {Interpreter: "/bin/sh", Starts: "/usr/lib/a/a"},
		"#!/bin/bash\n  exec -a \"$0\" \"/opt/b/b\"\n": {Interpreter: "/bin/bash", Starts: "/opt/b/b"},
	} {
		s, ok := ParseScript([]byte(text))
		require.True(t, ok, text)
		require.Equal(t, want, s, text)
	}
	_, ok := ParseScript([]byte("\x7fELF\x02"))
	require.False(t, ok)
	require.Equal(t, map[string]bool{"python3.12": true}, PythonVersions([]string{"/usr/lib/python3.12/site-packages/a.py", "/usr/lib/python3/x", "/usr/bin/a"}))
}
