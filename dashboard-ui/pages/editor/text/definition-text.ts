import { isMap, isPair, isSeq, parseDocument, stringify, visit } from 'yaml';
import { type Definition, isObject } from '../model/definition';

/** How a definition is written. */
export type TextFormat = 'JSON' | 'YAML';

/** A text that holds no definition: what is wrong, and where in it. */
export interface TextFault {
    readonly problem: 'syntax' | 'large' | 'deep' | 'alias' | 'shape' | 'reserved';
    /** Of the syntax: what the parser says. Of a name that is reserved: that name. */
    readonly message: string;
    /** Place in the text, from 0. */
    readonly at: number;
}

/** Text in progress that is not a valid definition yet. */
export interface UnreadText {
    readonly text: string;
    readonly format: TextFormat;
}

const MAX_TEXT = 2 * 1024 * 1024;
/** The server takes half as many. Without a limit a text of nothing but brackets would exhaust the stack. */
const MAX_LEVELS = 64;
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** A definition as text; keys stay in their order. */
export function textOf(definition: Definition, format: TextFormat): string {
    return format === 'JSON'
        ? `${JSON.stringify(definition, null, 4)}\n`
        : stringify(definition, { lineWidth: 0, aliasDuplicateObjects: false, version: '1.2' });
}

/** The definition that a text holds. YAML without tags and aliases: what JSON cannot hold has no place in a definition. */
export function readText(text: string, format: TextFormat): Definition | TextFault {
    if (text.length > MAX_TEXT) return fault('large');
    const read = format === 'JSON' ? readJson(text) : readYaml(text);
    if (isFault(read)) return read;
    if (!isObject(read.value)) return fault('shape');
    if (isDeeper(read.value, MAX_LEVELS)) return fault('deep');
    const reserved = reservedIn(read.value);
    if (reserved !== undefined) return fault('reserved', reserved, Math.max(text.indexOf(reserved), 0));
    return read.value;
}

function fault(problem: TextFault['problem'], message = '', at = 0): TextFault {
    return { problem, message, at };
}

/** What is wrong with a text; undefined where it can be read. */
export function faultOf({ text, format }: UnreadText): TextFault | undefined {
    const read = readText(text, format);
    return isFault(read) ? read : undefined;
}

/** Whether a text was rejected. */
export function isFault(read: object): read is TextFault {
    return (
        typeof (read as TextFault).at === 'number' &&
        typeof (read as TextFault).problem === 'string' &&
        !('steps' in read)
    );
}

function readJson(text: string): { readonly value: unknown } | TextFault {
    try {
        return { value: JSON.parse(text) as unknown };
    } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        const at = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
        return fault('syntax', message.replace(/ in JSON at position.*$/, ''), at);
    }
}

function readYaml(text: string): { readonly value: unknown } | TextFault {
    try {
        const document = parseDocument(text, {
            version: '1.2',
            schema: 'core',
            uniqueKeys: true,
            prettyErrors: false,
        });
        const [first] = [...document.errors, ...document.warnings];
        if (first) return fault('syntax', first.message, first.pos[0]);
        let alias: number | undefined;
        visit(document, { Alias: (_, { range }) => ((alias = range?.[0] ?? 0), visit.BREAK) });
        if (alias !== undefined) return fault('alias', '', alias);
        const value = document.toJS({ maxAliasCount: 0 }) as unknown;
        return { value: JSON.parse(JSON.stringify(value)) as unknown };
    } catch (error) {
        if (error instanceof RangeError) return fault('deep');
        return fault('syntax', error instanceof Error ? error.message : String(error));
    }
}

function isDeeper(value: unknown, levels: number): boolean {
    if (typeof value !== 'object' || value === null) return false;
    return levels === 0 || Object.values(value).some(inner => isDeeper(inner, levels - 1));
}

function reservedIn(value: unknown): string | undefined {
    if (typeof value !== 'object' || value === null) return undefined;
    for (const [key, inner] of Object.entries(value)) {
        if (RESERVED.has(key)) return key;
        const found = reservedIn(inner);
        if (found !== undefined) return found;
    }
    return undefined;
}

/** The position of the value at a path such as `steps[2].config.op`, or of its nearest existing ancestor. JSON is parsed as YAML. */
export function rangeOf(text: string, path: string): { readonly from: number; readonly to: number } {
    const document = parseDocument(text, { prettyErrors: false });
    let node: unknown = document.contents;
    let range = rangeOfNode(node);
    for (const part of path.split(/[.[\]]+/).filter(one => one !== '')) {
        const next = inside(node, part);
        if (next === undefined) break;
        node = next;
        range = rangeOfNode(node) ?? range;
    }
    const [from, to] = range ?? [0, 0];
    return { from, to: Math.max(from, text.slice(from, to).trimEnd().length + from) };
}

function inside(node: unknown, part: string): unknown {
    if (isSeq(node)) return node.items[Number(part)];
    if (!isMap(node)) return undefined;
    const pair = node.items.find(
        one => isPair(one) && String((one.key as { value?: unknown }).value ?? one.key) === part,
    );
    return pair?.value ?? pair?.key;
}

function rangeOfNode(node: unknown): readonly [number, number] | undefined {
    const range = (node as { readonly range?: readonly [number, number, number] } | null)?.range;
    return range ? [range[0], range[1]] : undefined;
}
