// Stands in for what draws QR codes: there is nothing to log in to.
'use strict';

module.exports = { generate() {} };
