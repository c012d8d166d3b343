import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import type { SyntaxNode } from '@lezer/common';
import { isRecord, type JsonSchema, resolved } from '../../../form/json-schema';
import { type Catalogue, findAdapter, formOf } from '../catalogue/catalogue';
import type { DefinitionFormat } from '../editor.graphql';
import { isObject, listOf, stepsOf, type Definition } from '../model/definition';

interface Known {
    readonly catalogue: Catalogue;
    readonly made: DefinitionFormat;
    readonly drawing: { readonly definition: Definition };
}

const STEP_FIELDS = ['key', 'kind', 'name', 'disabled', 'retry', 'config'];
const ROOT_FIELDS = ['version', 'steps', 'edges', 'capabilities', 'throughput', 'errorHandling', 'hooks'];

/** Names and values that are allowed at the cursor, by the schemas of steps, adapters and settings. */
export function completionsOf(context: CompletionContext, known: Known): CompletionResult | null {
    const word = context.matchBefore(/[\w$-]*/);
    if (!word || (word.from === word.to && !context.explicit)) return null;
    const tree = syntaxTree(context.state);
    const begun = tree.resolveInner(context.pos - blanksBehindColon(context), -1);
    const { path, isKey } = placeAt(begun, context);
    const options = isKey ? keysAt(path, known) : valuesAt(path, known);
    const isBare = tree.type.name === 'JsonText' && begun.name !== 'String' && begun.name !== 'PropertyName';
    const written = isBare ? options.map(one => ({ ...one, apply: JSON.stringify(one.label) })) : options;
    return options.length === 0 ? null : { from: word.from, options: written, validFor: /^[\w$-]*$/ };
}

/** An empty value belongs to the name before it, however many blanks are between them. */
function blanksBehindColon({ state, pos }: CompletionContext): number {
    const before = state.sliceDoc(state.doc.lineAt(pos).from, pos);
    return /:([ \t]*)$/.exec(before)?.[1]?.length ?? 0;
}

interface Place {
    readonly path: ReadonlyArray<string | number>;
    readonly isKey: boolean;
}

const LISTS: ReadonlySet<string> = new Set(['Array', 'BlockSequence', 'FlowSequence']);
const PAIRS: ReadonlySet<string> = new Set(['Property', 'Pair']);

/** The path of what the cursor is in, and whether a name is written there. */
function placeAt(begun: SyntaxNode, context: CompletionContext): Place {
    const path: Array<string | number> = [];
    let isKey = false;
    for (let node: SyntaxNode | null = begun; node; node = node.parent) {
        if (node.name === 'PropertyName' || node.name === 'Key') isKey = true;
        const holder: SyntaxNode | null = node.parent;
        if (PAIRS.has(node.name)) {
            const name = node.firstChild;
            const text = name ? context.state.sliceDoc(name.from, name.to).replace(/^["']|["']$/g, '') : '';
            const isInName = name !== null && context.pos <= name.to;
            if (isInName) isKey = true;
            else path.unshift(text);
        }
        if (holder && LISTS.has(holder.name) && !LISTS.has(node.name)) path.unshift(indexIn(holder, node));
    }
    const isOpen = ['Object', 'BlockMapping', 'FlowMapping', 'Document', 'Stream', '⚠'].includes(begun.name);
    return { path, isKey: isKey || isOpen };
}

function indexIn(list: SyntaxNode, wanted: SyntaxNode): number {
    let index = -1;
    for (let child = list.firstChild; child; child = child.nextSibling) {
        if (!['[', ']', ',', '-'].includes(child.name)) index++;
        if (child.from === wanted.from) break;
    }
    return Math.max(index, 0);
}

function keysAt(path: Place['path'], known: Known): Completion[] {
    const [list, index, part] = path;
    if (path.length === 0) return ROOT_FIELDS.map(plain);
    if (list === 'steps' && path.length === 2) return STEP_FIELDS.map(plain);
    if (list === 'edges') return ['from', 'to', 'branch'].map(plain);
    if (list === 'steps' && part === 'config') return fieldsOf(schemaWithin(path, known, Number(index)));
    if (list === 'steps' && part === 'retry') return fieldsOf(formOf(known.made.retry));
    const settings = isRecord(known.made.settings) ? known.made.settings[String(list)] : undefined;
    return fieldsOf(formOf(settings));
}

function valuesAt(path: Place['path'], known: Known): Completion[] {
    const [list, index, part, field] = path;
    const last = path.at(-1);
    if (list === 'edges' && (last === 'from' || last === 'to'))
        return stepsOf(known.drawing.definition).map(({ key }) => plain(key));
    if (list !== 'steps') return [];
    if (part === 'kind') return known.catalogue.kinds.map(({ kind, summary }) => ({ label: kind, info: summary }));
    if (part !== 'config') return [];
    const adapters = kindAt(known, Number(index))?.adapters;
    const isCode =
        adapters && last === adapters.field && (adapters.list === null ? path.length === 4 : field === adapters.list);
    if (isCode)
        return known.catalogue.adapters
            .filter(({ kind }) => kind === adapters.kind)
            .map(({ code, title, summary }) => ({ label: code, detail: title, info: summary }));
    const schema = schemaWithin(path.slice(0, -1), known, Number(index));
    return (schema.properties?.[String(last)]?.enum ?? []).map(value => plain(String(value)));
}

/** The schema of the object at a path below the configuration of a step. */
function schemaWithin(path: Place['path'], known: Known, index: number): JsonSchema {
    const kind = kindAt(known, index);
    const step = listOf(known.drawing.definition['steps'])[index];
    const config = isObject(step) && isObject(step['config']) ? step['config'] : {};
    let schema = formOf(kind?.schema);
    let rest = path.slice(3);
    const adapters = kind?.adapters;
    if (adapters && adapters.list === null)
        schema = formOf(findAdapter(known.catalogue, adapters.kind, config[adapters.field])?.schema);
    else if (adapters && rest[0] === adapters.list) {
        const call = listOf(config[adapters.list!])[Number(rest[1])];
        const code = isObject(call) ? call[adapters.field] : undefined;
        if (rest.length <= 2) return { properties: { [adapters.field]: {}, [adapters.value!]: {} } };
        schema = formOf(findAdapter(known.catalogue, adapters.kind, code)?.schema);
        rest = rest.slice(3);
    }
    const root = schema;
    for (const part of rest) {
        const inner = typeof part === 'number' ? schema.items : schema.properties?.[part];
        if (!inner) return {};
        schema = resolved(inner, root);
    }
    return schema;
}

function kindAt({ catalogue, drawing }: Known, index: number) {
    const step = listOf(drawing.definition['steps'])[index];
    return isObject(step) ? catalogue.kinds.find(({ kind }) => kind === step['kind']) : undefined;
}

function fieldsOf(schema: JsonSchema): Completion[] {
    return Object.entries(schema.properties ?? {}).map(([name, field]) => ({
        label: name,
        ...(field.title !== undefined && { detail: field.title }),
        ...(field.description !== undefined && { info: field.description }),
    }));
}

function plain(label: string): Completion {
    return { label };
}
