// Replaces the library that draws QR codes, because there is no login.
'use strict';

module.exports = { generate() {} };
