// Package telegram is the Telegram bot, by the Bot API
// (https://core.telegram.org/bots/api; comments name its sections).
//
// The library's own polling confirms an update before it is handled; getUpdates is
// therefore called here, and an update is confirmed by the next call only after
// [bridge.Receiver.Receive] has kept it. What is sent goes through the library.
//
// Only chats of the bot and one person are heard. An edit of an earlier message is
// not: what was asked is asked.
package telegram
