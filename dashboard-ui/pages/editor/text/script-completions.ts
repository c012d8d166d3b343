import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { completionPath, scopeCompletionSource } from '@codemirror/lang-javascript';
import { syntaxTree } from '@codemirror/language';
import type { SyntaxNode } from '@lezer/common';
import type { CodeName } from '../../../form/json-schema';

/** What is known where code is written. */
export interface KnownToCode {
    /** What it is called with. */
    readonly names: readonly CodeName[];
    /** The global names that there are. */
    readonly globals: readonly string[];
    /** The places where records have fields, and the fields there. */
    readonly paths: ReadonlyArray<{
        readonly names: readonly string[];
        readonly type: string;
        readonly example: string;
    }>;
}

const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const WORD = /^[\p{ID_Continue}$]*$/u;

/** What the code is called with, and fields of it; where records are known, theirs too. */
export function ownCompletions(context: CompletionContext, known: KnownToCode): CompletionResult | null {
    const at = completionPath(context);
    if (!at) return null;
    const options = at.path.length === 0 ? known.names.map(offered) : fieldsAt(at.path, context, known);
    return options.length === 0 ? null : { from: context.pos - at.name.length, options, validFor: WORD };
}

/** The language: of all that this browser has by a global name, what scripts have as well. */
export function languageCompletions(globals: readonly string[]): ReturnType<typeof scopeCompletionSource> {
    const own = globalThis as unknown as Readonly<Record<string, unknown>>;
    // What only the engine of scripts has is offered by its name.
    return scopeCompletionSource(Object.fromEntries(globals.map(name => [name, own[name]])));
}

function fieldsAt(path: readonly string[], context: CompletionContext, known: KnownToCode): readonly Completion[] {
    const [first, ...rest] = path as [string, ...string[]];
    const given = known.names.find(({ name }) => name === first);
    if (given?.holds === 'record' || isElement(first, context, known)) return recordFields(rest, known);
    let fields = given?.fields;
    for (const name of rest) fields = fields?.find(field => field.name === name)?.fields;
    return (fields ?? []).map(offered);
}

function recordFields(holder: readonly string[], { paths }: KnownToCode): readonly Completion[] {
    const below = paths.filter(({ names }) => names.length > holder.length && holder.every((n, i) => n === names[i]));
    const found = new Map(below.map(one => [one.names[holder.length]!, one]));
    return [...found].flatMap(([name, { names, type, example }]) => {
        // Others are written in brackets.
        if (!NAME.test(name)) return [];
        const isLast = names.length === holder.length + 1;
        return { label: name, type: 'property', ...(isLast && { detail: type, info: example }), boost: 1 };
    });
}

/** Whether a name is given to one record after another: `records.map(one => …)`, `for (const one of records)`. */
function isElement(name: string, { state, pos }: CompletionContext, { names }: KnownToCode): boolean {
    const lists = names.filter(({ holds }) => holds === 'records').map(one => one.name);
    if (lists.length === 0) return false;
    const textOf = (node: SyntaxNode | null | undefined): string => (node ? state.sliceDoc(node.from, node.to) : '');
    const isList = (node: SyntaxNode | null | undefined): boolean =>
        lists.some(list => new RegExp(`^${list}\\b`).test(textOf(node)));
    for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(pos, -1); node; node = node.parent) {
        if (node.name === 'ForStatement') {
            const spec = node.getChild('ForOfSpec');
            const isOf = isList(spec?.getChild('VariableName') ?? spec?.getChild('MemberExpression'));
            if (isOf && textOf(spec?.getChild('VariableDefinition')) === name) return true;
        }
        if (node.name !== 'ArrowFunction' && node.name !== 'FunctionExpression') continue;
        const call = node.parent?.name === 'ArgList' ? node.parent.parent : null;
        const parameters = node.getChild('ParamList')?.getChildren('VariableDefinition') ?? [];
        const single = node.getChild('VariableDefinition');
        if ([...parameters, single].some(one => textOf(one) === name) && isList(call?.firstChild)) return true;
    }
    return false;
}

function offered({ name, type, about }: CodeName): Completion {
    return { label: name, type: 'variable', detail: type, info: about, boost: 1 };
}
