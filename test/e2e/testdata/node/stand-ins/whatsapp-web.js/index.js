// Replaces the library that connects to WhatsApp: it is logged in immediately, a line on standard input is a
// received message ({"from","body"}), and sent messages are written to the file $SENT, one JSON object a line.
'use strict';

const EventEmitter = require('events');
const fs = require('fs');
const readline = require('readline');

const sent = (what) => fs.appendFileSync(process.env.SENT, JSON.stringify(what) + '\n');

class Client extends EventEmitter {
  async initialize() {
    this.emit('authenticated');
    this.emit('ready');
    this.phone = readline.createInterface({ input: process.stdin });
    this.phone.on('line', (line) => {
      const { from, body, isGroupMsg } = JSON.parse(line);
      this.emit('message', { from, body, isGroupMsg, reply: async (text) => sent({ to: from, body: text, reply: true }) });
    });
  }

  async sendMessage(to, body) {
    sent({ to, body });
  }

  async destroy() {
    this.phone.close();
  }
}

class LocalAuth {}

module.exports = { Client, LocalAuth };
