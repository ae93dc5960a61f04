// Package telegram is the Telegram bot. It uses the Bot API (https://core.telegram.org/bots/api;
// comments name its sections).
//
// The library's own polling confirms an update before it is handled. Therefore this package calls
// getUpdates itself, and confirms an update by the next call only after [bridge.Receiver.Receive]
// has stored it. Messages are sent through the library.
//
// Only private chats with one person are processed. Edits of earlier messages are ignored.
package telegram
