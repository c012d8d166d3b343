import type { Permission, RequestContext } from '@vendure/core';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/data/json';
import { flowError } from '../../core/errors/flow-error';
import type { Lane } from '../../core/work/lane';
import { SMALL_BITS, type Work } from '../../core/work/work';
import { editFlowScriptPermission } from '../permissions';

/** Somebody puts one definition into the place of another. */
interface Replacement {
    /** Undefined where there was none. */
    readonly before: JsonObject | undefined;
    readonly after: JsonObject;
}

/** Whoever brings code into a definition that it did not have must be allowed to. Throws FORBIDDEN. */
export async function assertMayEditCode(
    lane: Lane,
    ctx: RequestContext,
    { before, after }: Replacement,
): Promise<void> {
    const known = before ? await lane.done(inlineCodes(before)) : new Set<string>();
    const codes = await lane.done(inlineCodes(after));
    const isNew = [...codes].some(code => !known.has(code));
    const permission = editFlowScriptPermission.Permission;
    if (!isNew || ctx.userHasPermissions([permission as Permission])) return;
    const who = ctx.session?.user?.identifier ?? 'The caller';
    throw flowError('FORBIDDEN', { who, permission, what: 'new or changed code in the definition' });
}

/** Every script and every interceptor of a definition, however unfinished that is. */
export function* inlineCodes({ steps, hooks }: JsonObject): Work<ReadonlySet<string>> {
    const codes = new Set<string>();
    yield* visit(steps, ({ op, args }) => {
        if (op === 'script' && isJsonObject(args) && typeof args.code === 'string') codes.add(args.code);
    });
    yield* visit(hooks, ({ type, code }) => {
        if (type === 'INTERCEPTOR' && typeof code === 'string') codes.add(code);
    });
    return codes;
}

function* visit(value: JsonValue | undefined, look: (object: JsonObject) => void): Work<void> {
    if (typeof value !== 'object' || value === null) return;
    if (isJsonObject(value)) look(value);
    for (const [index, part] of (Object.values(value) as readonly JsonValue[]).entries()) {
        if (typeof part === 'object') yield* visit(part, look);
        if (index % SMALL_BITS === 0) yield;
    }
}
