import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { isJsonObject, type JsonValue } from '../../core/value/json';
import { issueCount } from '../../core/errors/issue-count';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import { jsonSyntaxIssue } from '../../core/pipeline/json-syntax-issue';
import { parseWith } from '../../core/schema/issues';
import { duplicateKey } from '../../core/data/json-keys';
import { readYaml } from '../../io/formats/yaml';
import { type FileOptions, fileSchema } from './schema';

const MAX_BYTES = 16 * 1024 * 1024;

/** What a configuration file says, checked as a whole. */
export interface ConfigFile {
    /** The absolute path, for messages. */
    readonly file: string;
    readonly options: FileOptions;
}

const READERS: Readonly<Record<string, (text: string) => JsonValue>> = {
    '.json': fromJson,
    '.yaml': fromYaml,
    '.yml': fromYaml,
};

/**
 * Reads the file of the option `configPath`, a path relative to the working directory of the process. Answers all of it or throws
 * CONFIG_FILE_INVALID with the file and the reason, in which no value of a secret stands.
 */
export function readConfigFile(configPath: string): ConfigFile {
    const file = resolve(process.cwd(), configPath);
    const problem = (text: string): Error => flowError('CONFIG_FILE_INVALID', { file, problem: text });
    const read = READERS[extname(file).toLowerCase()];
    if (!read) throw problem(`has an unsupported name; allowed: ${Object.keys(READERS).join(', ')}`);
    try {
        const value = read(textOf(contentOf(file)));
        if (!isJsonObject(value)) throw new Unusable(`holds ${kindOf(value)}; allowed: an object`);
        const checked = parseWith(fileSchema, value);
        if (!checked.ok)
            throw new Unusable(
                `has ${issueCount(checked.issues.length)}: ${checked.issues.map(({ message }) => message).join('; ')}`,
            );
        return { file, options: checked.value };
    } catch (error) {
        // Without the cause: what a parser throws quotes the text, in which secrets may stand.
        if (error instanceof Unusable) throw problem(error.message);
        throw error;
    }
}

/** Why the file cannot be taken, as the end of "The file …". Never leaves this module. */
class Unusable extends Error {}

const REASONS: Readonly<Record<string, string>> = {
    ENOENT: 'does not exist',
    ENOTDIR: 'does not exist',
    EACCES: 'cannot be read: the process has no permission',
    EISDIR: 'is a folder',
};

function contentOf(file: string): Buffer {
    let handle: number | undefined;
    try {
        // Without waiting: a pipe that nobody writes to would hold the start up for ever.
        handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
        const facts = fstatSync(handle);
        if (facts.isDirectory()) throw new Unusable('is a folder');
        if (!facts.isFile()) throw new Unusable('is no regular file');
        return upToLimit(handle);
    } catch (error) {
        if (error instanceof Unusable) throw error;
        const { code = 'unknown' } = error as NodeJS.ErrnoException;
        throw new Unusable(REASONS[code] ?? `cannot be read: ${code}`);
    } finally {
        if (handle !== undefined) closeSync(handle);
    }
}

/** Reads until the end and not by the size that was told: that may be another one by now. */
function upToLimit(handle: number): Buffer {
    const pieces: Buffer[] = [];
    for (let size = 0; ;) {
        const piece = Buffer.alloc(64 * 1024);
        const length = readSync(handle, piece);
        if (length === 0) return Buffer.concat(pieces, size);
        size += length;
        if (size > MAX_BYTES) throw new Unusable(`is larger than the ${MAX_BYTES} bytes that are allowed`);
        pieces.push(piece.subarray(0, length));
    }
}

function textOf(content: Buffer): string {
    if (!isUtf8(content)) throw new Unusable('is no UTF-8 text');
    return content.toString('utf8').replace(/^\uFEFF/, '');
}

function fromJson(text: string): JsonValue {
    const value = parsed(text);
    const issue = duplicateKey(text);
    if (issue !== undefined) throw new Unusable(`is no valid JSON: ${issue}`);
    return value;
}

function parsed(text: string): JsonValue {
    try {
        return JSON.parse(text) as JsonValue;
    } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        throw new Unusable(`is no valid JSON: ${jsonSyntaxIssue(text) ?? 'the text cannot be parsed'}`);
    }
}

function fromYaml(text: string): JsonValue {
    try {
        return readYaml(text, { maxBytes: MAX_BYTES });
    } catch (error) {
        if (!isFlowError(error)) throw error;
        const { where, problem } = error.details as { readonly where: string; readonly problem: string };
        throw new Unusable(`is no valid YAML: ${where}: ${unquoted(problem)}`);
    }
}

/** A parser's words without the pieces of the text that it quotes, which may be secrets. */
function unquoted(problem: string): string {
    return problem.split(':', 1)[0]!.replace(/"(?:[^"\\]|\\.)*(?:"|$)|[!*&\\]\S+/g, '…');
}

/** What a file holds instead of an object. A text is not quoted: it may be a secret. */
function kindOf(value: JsonValue): string {
    if (value === null) return 'nothing';
    return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
