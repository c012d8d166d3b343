// Lets a process begin with what earlier ones have compiled: `node -r ./e2e/config/code-cache.cjs script.ts`. Worker and server processes
// of the tests all evaluate Vendure; most of that time is spent on reading, transpiling and compiling the same five thousand files.
// `.test-data/code-cache` keeps the file name of each module, its text (transpiled if it is TypeScript) and V8's code cache. A file that
// has changed is compiled again. Another version of Node or of the packages begins with an empty cache.
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const Module = require('node:module');
const { dirname, join, sep } = require('node:path');
const { cachedDataVersionTag } = require('node:v8');
const vm = require('node:vm');

const ROOT = join(__dirname, '../..');
const FOLDER = join(ROOT, '.test-data', 'code-cache');
const PACKAGES = fs.realpathSync(join(ROOT, 'node_modules')) + sep;
/** If fewer modules of packages are new, nothing is written. */
const WORTH_WRITING = 25;
/** Code from a cache does not know which function handles its `import()`. */
const IMPORTS = /\bimport\s*\(/;

const sizeAndTime = file => {
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    return stat?.isFile() ? `${stat.size} ${stat.mtimeMs}` : undefined;
};

/** Everything that the content of the cache depends on. */
function keyOfAll() {
    // V8 accepts no code of another version, or that was compiled with other flags.
    const hash = createHash('sha256').update(`${process.version} ${process.arch} ${cachedDataVersionTag()}`);
    for (const file of [__filename, join(ROOT, 'tsconfig.json'), join(PACKAGES, '.package-lock.json')])
        hash.update(`${file} ${sizeAndTime(file)}`);
    return hash.digest('hex').slice(0, 12);
}

const STORE = join(FOLDER, `${keyOfAll()}.bin`);
const LENGTH_BYTES = 4;

/** The length of the index, the index, then all texts and code caches. */
function opened() {
    const nothing = { files: {}, places: {}, read: () => Buffer.alloc(0) };
    let store;
    try {
        store = fs.openSync(STORE, 'r');
    } catch {
        return nothing; // No process has stored anything yet.
    }
    const read = (at, length) => {
        const bytes = Buffer.allocUnsafeSlow(length);
        fs.readSync(store, bytes, 0, length, at);
        return bytes;
    };
    const length = read(0, LENGTH_BYTES).readUInt32LE(0);
    const start = LENGTH_BYTES + length;
    const index = JSON.parse(read(LENGTH_BYTES, length).toString('utf8'));
    return { ...index, read: (at, bytes) => read(start + at, bytes) };
}

const kept = opened();
/** The scripts and texts of modules that were compiled here. */
const added = new Map();
let addedPlaces = 0;

/** The cached entry of a file that is still the same. */
function found(file) {
    const entry = kept.files[file];
    if (entry === undefined || entry.as !== sizeAndTime(file)) return undefined;
    const bytes = kept.read(entry.at, entry.text + entry.code);
    return {
        text: bytes.toString(entry.encoding, 0, entry.text),
        code: bytes.subarray(entry.text),
    };
}

const compile = Module.prototype._compile;

/** Returns undefined if Node must compile the text: Node reports syntax errors and detects ESM. */
function scriptOf(file, { text, code }) {
    if (code ? code.length === 0 : IMPORTS.test(text)) return undefined;
    try {
        return new vm.Script(Module.wrap(text), { filename: file, cachedData: code });
    } catch {
        return undefined;
    }
}

function evaluate(module, file, { text, code }) {
    const script = scriptOf(file, { text, code });
    if (code === undefined || script?.cachedDataRejected) added.set(file, { script, text });
    if (!script) return compile.call(module, text, file);
    const own = request => module.require(request);
    own.resolve = (request, options) => Module._resolveFilename(request, module, false, options);
    own.resolve.paths = request => Module._resolveLookupPaths(request, module);
    own.main = process.mainModule;
    own.extensions = Module._extensions;
    own.cache = Module._cache;
    const { exports } = module;
    return script.runInThisContext().call(exports, exports, own, module, file, dirname(file));
}

let transpiler;
/** The same options as `-r @swc-node/register`. */
function transpiled(file) {
    transpiler ??= {
        ...require('@swc-node/register/register'),
        options: { ...require('@swc-node/register/read-default-tsconfig').readDefaultTsConfig(), module: 1 },
    };
    const { SWC_NODE_SOURCE_MAP_MODE: mode } = process.env;
    process.env.SWC_NODE_SOURCE_MAP_MODE = 'none';
    try {
        return transpiler.compile(fs.readFileSync(file, 'utf8'), file, { ...transpiler.options });
    } finally {
        if (mode === undefined) delete process.env.SWC_NODE_SOURCE_MAP_MODE;
        else process.env.SWC_NODE_SOURCE_MAP_MODE = mode;
    }
}

const { '.js': javascript } = Module._extensions;
Module._extensions['.js'] = (module, file) => {
    const entry = found(file);
    if (entry) evaluate(module, file, entry);
    else javascript(module, file);
};
Module._extensions['.ts'] = (module, file) => evaluate(module, file, found(file) ?? { text: transpiled(file) });

/** Called for files that are not in the cache; Node handles ESM. */
Module.prototype._compile = function (text, file, format) {
    if (format === 'module' || file.endsWith('.mjs')) return compile.call(this, text, file, format);
    const plain = text.startsWith('#!') ? `//${text}` : text;
    return evaluate(this, file, { text: plain });
};

const resolve = Module._resolveFilename;
/** Where packages find the modules that they import; our own files change. */
Module._resolveFilename = function (request, parent, isMain, options) {
    if (options || !parent?.filename?.startsWith(PACKAGES) || Module.isBuiltin(request))
        return resolve.call(this, request, parent, isMain, options);
    const key = `${dirname(parent.filename)}\n${request}`;
    if (kept.places[key] === undefined) {
        kept.places[key] = resolve.call(this, request, parent, isMain, options);
        addedPlaces += 1;
    }
    return kept.places[key];
};

/** Stores what this process has compiled for the next ones, including functions that have run. Call it when the process is ready. */
function keepCompiled() {
    const isTranspiled = [...added.keys()].some(file => file.endsWith('.ts'));
    if (!isTranspiled && added.size + addedPlaces < WORTH_WRITING) return;
    const files = {};
    const parts = [];
    let end = 0;
    const put = (file, entry, ...bytes) => {
        files[file] = { ...entry, at: end };
        for (const part of bytes) {
            parts.push(part);
            end += part.length;
        }
    };
    for (const [file, { script, text }] of added) {
        const as = sizeAndTime(file);
        // One byte for each character if possible: V8 then does not examine each of them.
        const encoding = /^[\0-\xff]*$/.test(text) ? 'latin1' : 'utf16le';
        const source = Buffer.from(text, encoding);
        const code = script?.createCachedData() ?? Buffer.alloc(0);
        put(file, { as, encoding, text: source.length, code: code.length }, source, code);
    }
    for (const [file, entry] of Object.entries(kept.files))
        if (!added.has(file) && entry.as === sizeAndTime(file))
            put(file, entry, kept.read(entry.at, entry.text + entry.code));
    const index = Buffer.from(JSON.stringify({ files, places: kept.places }));
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(index.length);
    fs.mkdirSync(FOLDER, { recursive: true });
    const unfinished = `${STORE}.${process.pid}`;
    fs.writeFileSync(unfinished, Buffer.concat([length, index, ...parts]));
    // A process that uses the former one keeps it open.
    fs.renameSync(unfinished, STORE);
    added.clear();
    addedPlaces = 0;
}

require('../../test/servers/graphql-as-in-production.cjs');

module.exports = { keepCompiled };
