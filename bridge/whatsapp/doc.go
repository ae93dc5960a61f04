// Package whatsapp is the WhatsApp bridge. It uses whatsmeow as a device that is linked to the person's account.
package whatsapp
