import { flowError } from '../../core/errors/flow-error';
import type { Encoding } from './decode';

/**
 * What a declaration may name. UTF-16 is not in the list, since the bytes show which of the two forms it is; Latin-1
 * is read as browsers do.
 */
const DECLARED: ReadonlyMap<string, Encoding | undefined> = new Map([
    ['utf-8', 'utf-8'],
    ['utf8', 'utf-8'],
    ['us-ascii', 'utf-8'],
    ['utf-16', undefined],
    ['utf-16le', undefined],
    ['utf-16be', undefined],
    ['windows-1252', 'windows-1252'],
    ['cp1252', 'windows-1252'],
    ['iso-8859-1', 'windows-1252'],
    ['latin1', 'windows-1252'],
]);
/** A declaration is short, and nothing may precede it. */
const HEAD = 512;
const DECLARATION = /^(?:\xef\xbb\xbf)?<\?xml\s[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']/;

/**
 * The encoding that the declaration at the beginning of a document names, for `decoded`; undefined if the bytes
 * determine it. An encoding that Flow does not read is SOURCE_MALFORMED.
 */
export function xmlEncoding(head: Uint8Array): Encoding | undefined {
    const declared = DECLARATION.exec(Buffer.from(head.subarray(0, HEAD)).toString('latin1'))?.[1];
    if (declared === undefined) return undefined;
    const problem = encodingProblem(declared);
    if (problem !== undefined) throw flowError('SOURCE_MALFORMED', { where: 'line 1', problem });
    return DECLARED.get(declared.toLowerCase());
}

/** What is wrong with a declared encoding; undefined when nothing is. */
export function encodingProblem(name: string): string | undefined {
    if (DECLARED.has(name.toLowerCase())) return undefined;
    return `the encoding "${name}" is not supported; allowed: UTF-8, UTF-16, windows-1252 and ISO-8859-1`;
}
