/** Texts with words of the package that are a test's own data: names, comments and code that the test has written itself. */
export const DATA_TEXTS: ReadonlySet<string> = new Set([
    // names and titles of a test's objects
    'From the file',
    'Imports the list.',
    'SKUs are written like VR-1',
    'Three of them',
    'Value of `bad` is invalid',
    'from the environment',
    'from the options',
    'now it is there',
    'of the run',
    'set in the meantime',
    // comments, log lines and errors of scripts, rules and adapters of a test
    'Field "a": it is not text.',
    'Field "a": is \uFFFD bad.',
    'Field "bad": it is bad.',
    'The price must not be negative',
    'The price of A-1 is wrong.',
    'Variant Inventory Qty',
    'a field like others',
    'it is not there',
    'odd {"a":1} the bigint 1',
    // the order of calls, as a test has recorded it
    'load write a 0 0',
]);
