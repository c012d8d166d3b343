'use strict';

// Ends this process when the process that started it has died, whatever its main thread does: a thread of its own looks every half second.
// Plain JavaScript, since it is started by its path, from the sources and from the package alike.

const { isMainThread, Worker, workerData } = require('node:worker_threads');
const { setInterval } = require('node:timers');

const CHECK_MS = 500;
const LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4, stackSizeMb: 1 };

/** `parent`: the process id of the parent, which may have died already. */
function endWithParent(parent) {
    new Worker(__filename, {
        workerData: parent,
        resourceLimits: LIMITS,
        execArgv: [],
        // Otherwise Node opens this process's own streams for the thread, which makes their pipes non-blocking.
        stdout: true,
        stderr: true,
    }).unref();
}

function hasDied(parent) {
    // A process whose parent dies gets another one, except on Windows.
    if (process.ppid !== parent) return true;
    try {
        process.kill(parent, 0);
        return false;
    } catch (error) {
        return error.code === 'ESRCH';
    }
}

if (isMainThread) module.exports = { endWithParent };
else
    setInterval(() => {
        // The main thread may ignore other signals.
        if (hasDied(workerData)) process.kill(process.pid, 'SIGKILL');
    }, CHECK_MS);
