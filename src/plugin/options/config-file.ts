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

/** The content of a configuration file, checked as a whole. */
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
 * Reads the file of the option `configPath`, a path relative to the working directory of the process. Returns its whole content, or throws CONFIG_FILE_INVALID
 * with the file and the reason. The reason does not contain values of secrets.
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
        // Without the cause: a parser's message quotes the text, which may contain secrets.
        if (error instanceof Unusable) throw problem(error.message);
        throw error;
    }
}

/** Why the file cannot be used, as the end of "The file …". Caught within this module. */
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
        // Does not wait: a pipe without a writer would block the start forever.
        handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
        const facts = fstatSync(handle);
        if (facts.isDirectory()) throw new Unusable('is a folder');
        if (!facts.isFile()) throw new Unusable('is not a regular file');
        return upToLimit(handle);
    } catch (error) {
        if (error instanceof Unusable) throw error;
        const { code = 'unknown' } = error as NodeJS.ErrnoException;
        throw new Unusable(REASONS[code] ?? `cannot be read: ${code}`);
    } finally {
        if (handle !== undefined) closeSync(handle);
    }
}

/** Reads to the end and not up to the reported size, which may have changed. */
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
    if (!isUtf8(content)) throw new Unusable('is not UTF-8 text');
    return content.toString('utf8').replace(/^\uFEFF/, '');
}

function fromJson(text: string): JsonValue {
    const value = parsed(text);
    const issue = duplicateKey(text);
    if (issue !== undefined) throw new Unusable(`is not valid JSON: ${issue}`);
    return value;
}

function parsed(text: string): JsonValue {
    try {
        return JSON.parse(text) as JsonValue;
    } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        throw new Unusable(`is not valid JSON: ${jsonSyntaxIssue(text)?.message ?? 'the text cannot be parsed'}`);
    }
}

function fromYaml(text: string): JsonValue {
    try {
        return readYaml(text, { maxBytes: MAX_BYTES });
    } catch (error) {
        if (!isFlowError(error)) throw error;
        const { where, problem } = error.details as { readonly where: string; readonly problem: string };
        throw new Unusable(`is not valid YAML: ${where}: ${unquoted(problem)}`);
    }
}

/** A parser's message without its quotations of the text, which may be secrets. */
function unquoted(problem: string): string {
    return problem.split(':', 1)[0]!.replace(/"(?:[^"\\]|\\.)*(?:"|$)|[!*&\\]\S+/g, '…');
}

/** What a file contains instead of an object. A text is not quoted, since it may be a secret. */
function kindOf(value: JsonValue): string {
    if (value === null) return 'nothing';
    return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
