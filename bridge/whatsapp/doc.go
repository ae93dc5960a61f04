// Package whatsapp is the WhatsApp bridge: a device linked to the person's
// account, by whatsmeow.
package whatsapp
