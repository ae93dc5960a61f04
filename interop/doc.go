// Package interop has the vendors' own SDKs as the other side of our wire
// dialects: what we send is read with their types, and nothing may be lost on
// the way; what their types write is read by us. It is a module of its own, so
// that the SDKs cost the program nothing. `make test` runs it.
package interop
