import { hash } from 'node:crypto';
import type { Permission, RequestContext } from '@vendure/core';
import type { Registry } from '../../core/adapter/registry';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { flowError } from '../../core/errors/flow-error';
import { pathTo } from '../../core/pipeline/issues';
import type { TaskQueue } from '../../core/concurrency/task-queue';
import { CodeFields, type CodePath } from './code-fields';
import { SMALL_STEPS, type YieldingTask } from '../../core/concurrency/yielding-task';
import { editFlowScriptPermission } from '../permissions';

/** A user replaces one definition by another. */
interface Replacement {
    /** Undefined if there was none. */
    readonly before: JsonObject | undefined;
    readonly after: JsonObject;
}

/** What the search for code needs. */
interface CodeSearch {
    readonly lane: TaskQueue;
    readonly registry: Registry;
}

/** JavaScript in a definition, with the call that it belongs to. */
interface InlineCode {
    /** The step or stage that contains it, and the arguments of its call. Equal if moving the code changes nothing. */
    readonly place: string;
    /** The path of the code: `steps[1].config.operators[0].args.code`. */
    readonly path: string;
    readonly code: string;
}

/**
 * A user needs the permission to add code to a place of a definition, even if the same code was in another place before: code that is harmless in one step may
 * do something else in another step, or as a hook of all records. Throws FORBIDDEN.
 */
export async function assertMayEditCode(
    { lane: taskQueue, registry }: CodeSearch,
    ctx: RequestContext,
    { before, after }: Replacement,
): Promise<void> {
    const known = before ? await taskQueue.done(inlineCodes(before, registry)) : [];
    const found = unknownCode(known, await taskQueue.done(inlineCodes(after, registry)));
    const permission = editFlowScriptPermission.Permission;
    if (!found || ctx.userHasPermissions([permission as Permission])) return;
    const who = ctx.session?.user?.identifier ?? 'The caller';
    throw flowError('FORBIDDEN', { who, permission, what: `new, changed or moved code at ${found.path}` });
}

/** The first code of `after` that is not at its place in `before`, is in another order, or occurs more often. */
function unknownCode(before: readonly InlineCode[], after: readonly InlineCode[]): InlineCode | undefined {
    const known = new Map<string, { readonly codes: string[]; next: number }>();
    for (const { place, code } of before) {
        const there = known.get(place);
        if (there) there.codes.push(code);
        else known.set(place, { codes: [code], next: 0 });
    }
    return after.find(({ place, code }) => {
        const there = known.get(place);
        const at = there?.codes.indexOf(code, there.next) ?? -1;
        if (there && at >= 0) there.next = at + 1;
        return at < 0;
    });
}

/**
 * All code of a definition, even an unfinished one, in the order of the definition: the fields that adapters and hooks declare for code (`scriptCode`), in
 * every object that has the form of their calls. For unknown steps, adapters and hooks it is every text in a field with such a name.
 */
export function* inlineCodes({ steps, hooks }: JsonObject, registry: Registry): YieldingTask<readonly InlineCode[]> {
    const fields = new CodeFields(registry);
    const codes: InlineCode[] = [];
    const names = new ElementNames(fields);
    const take = (object: JsonObject, codePath: CodePath): void => {
        for (const field of fields.of(object, codePath)) {
            const code = object[field];
            if (typeof code !== 'string') continue;
            const place = `${placeOf(codePath, names)} ${object['batch'] === true}`;
            codes.push({ place, path: `${pathOf(codePath)}.${field}`, code });
        }
    };
    yield* fields.learn(steps);
    yield* visit(steps, ['steps'], take);
    yield* visit(hooks, ['hooks'], take);
    return codes;
}

/** Visits all objects of a definition, most of which are data. Nothing is allocated for objects without code. */
function* visit(
    value: JsonValue | undefined,
    codePath: Array<CodePath[number]>,
    look: (object: JsonObject, codePath: CodePath) => void,
): YieldingTask<void> {
    if (typeof value !== 'object' || value === null) return;
    if (isJsonObject(value)) look(value, codePath);
    const parts = Object.entries(value) as ReadonlyArray<readonly [string, JsonValue]>;
    for (const [index, [key, part]] of parts.entries()) {
        if (typeof part === 'object') {
            codePath.push(Array.isArray(value) ? { index, element: part } : key);
            yield* visit(part, codePath, look);
            codePath.pop();
        }
        if (index % SMALL_STEPS === 0) yield;
    }
}

function pathOf(codePath: CodePath): string {
    return codePath.reduce<string>((path, at) => pathTo(path, typeof at === 'string' ? at : at.index), '');
}

/** The path without the indexes of elements, which change with the elements before them. */
function placeOf(codePath: CodePath, names: ElementNames): string {
    return codePath.map(at => (typeof at === 'string' ? JSON.stringify(at) : names.of(at.element))).join(' ');
}

/** The names of elements as digests. Each is computed once, since an element may contain as many settings as scripts. */
class ElementNames {
    private readonly known = new WeakMap<object, string>();

    constructor(private readonly fields: CodeFields) {}

    of(element: JsonValue): string {
        if (!isJsonObject(element)) return '[]';
        let name = this.known.get(element);
        if (name === undefined) {
            name = hash('sha256', this.nameOf(element));
            this.known.set(element, name);
        }
        return name;
    }

    /** For a step its key and kind. For an operator with inner operators its other arguments. */
    private nameOf(element: JsonObject): string {
        const { key, kind, op, type, args } = element;
        const said = !isJsonObject(args) || this.fields.calls(element) ? {} : args;
        const settings = Object.entries(said).filter(([, value]) => typeof value !== 'object');
        return JSON.stringify([
            [key, kind, op, type].map(one => one ?? null),
            settings.sort(([a], [b]) => (a < b ? -1 : 1)),
        ]);
    }
}
