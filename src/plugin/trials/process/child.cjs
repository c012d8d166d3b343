'use strict';

// The process that the records of step tests and previews are worked on in. Plain JavaScript, since it is started by its path from the
// sources and from the package alike; from the sources, what it works with is compiled on the way.

const { existsSync } = require('node:fs');
const { join } = require('node:path');

if (!existsSync(join(__dirname, 'jobs.js'))) require('@swc-node/register');
require('./jobs').begin();
