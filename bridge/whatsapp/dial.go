//go:build !watest

package whatsapp

import "go.mau.fi/whatsmeow"

// redirect does nothing: the client connects to WhatsApp and trusts its certificate. Only a test build with the tag
// watest has another redirect. No environment variable can redirect a released bridge.
func redirect(*whatsmeow.Client) error { return nil }
