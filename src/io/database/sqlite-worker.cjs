'use strict';

// The thread that a SQLite file is read in, since better-sqlite3 computes until it has an answer. Plain JavaScript, since nothing compiles it here.
// Orders come as { id, op, … } and are answered in their order by { id, value } or { id, error }.

const { parentPort, workerData } = require('node:worker_threads');

/** @type {any} */
let database;
/** The rows that are read in portions. */
let rows;

function opened() {
    if (database) return database;
    const Database = require(workerData.driver);
    // What is in memory alone cannot be opened for reading alone.
    const isMemory = workerData.path === ':memory:';
    database = new Database(workerData.path, isMemory ? {} : { readonly: true, fileMustExist: true });
    database.pragma('query_only = ON');
    database.pragma('trusted_schema = OFF');
    database.defaultSafeIntegers(true);
    return database;
}

function prepared({ text }) {
    const statement = opened().prepare(text);
    // Some of what writes answers rows as well, and some of what only reads is no query (PRAGMA, EXPLAIN): the guard has looked at its first word.
    if (!statement.reader || !statement.readonly) throw new Error('the statement does more than read');
    return statement.raw(true);
}

const OPS = {
    open: () => void opened(),
    columns: order =>
        prepared(order)
            .columns()
            .map(({ name }) => name),
    rows: order => prepared(order).all(...order.values),
    begin: order => {
        rows = prepared(order).iterate(...order.values);
    },
    next: ({ size }) => {
        const portion = [];
        while (portion.length < size) {
            const { done, value } = rows.next();
            if (done) break;
            portion.push(value);
        }
        return portion;
    },
    leave: () => {
        rows?.return?.();
        rows = undefined;
    },
};

parentPort.on('message', order => {
    try {
        parentPort.postMessage({ id: order.id, value: OPS[order.op](order) });
    } catch (error) {
        const { message, code } = error;
        parentPort.postMessage({ id: order.id, error: { message: String(message), code: String(code ?? '') } });
    }
});
