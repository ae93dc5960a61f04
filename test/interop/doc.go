// Package interop tests our wire dialects against the vendors' own SDKs. It decodes our requests with their
// types, which must not lose anything, and decodes answers written with their types. It is a separate module,
// so that the program does not depend on the SDKs. `make test` runs it.
package interop
