import type { Permission, RequestContext } from '@vendure/core';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/data/json';
import { flowError } from '../../core/errors/flow-error';
import { editFlowScriptPermission } from '../permissions';

/** Somebody puts one definition into the place of another. */
interface Replacement {
    /** Undefined where there was none. */
    readonly before: JsonObject | undefined;
    readonly after: JsonObject;
}

/** Whoever brings code into a definition that it did not have must be allowed to. Throws FORBIDDEN. */
export function assertMayEditCode(ctx: RequestContext, { before, after }: Replacement): void {
    const known = before ? inlineCodes(before) : new Set<string>();
    const isNew = [...inlineCodes(after)].some(code => !known.has(code));
    const permission = editFlowScriptPermission.Permission;
    if (!isNew || ctx.userHasPermissions([permission as Permission])) return;
    const who = ctx.session?.user?.identifier ?? 'The caller';
    throw flowError('FORBIDDEN', { who, permission, what: 'new or changed code in the definition' });
}

/** Every script and every interceptor of a definition, however unfinished that is. */
export function inlineCodes({ steps, hooks }: JsonObject): ReadonlySet<string> {
    const codes = new Set<string>();
    visit(steps, ({ op, args }) => {
        if (op === 'script' && isJsonObject(args) && typeof args.code === 'string') codes.add(args.code);
    });
    visit(hooks, ({ type, code }) => {
        if (type === 'INTERCEPTOR' && typeof code === 'string') codes.add(code);
    });
    return codes;
}

function visit(value: JsonValue | undefined, look: (object: JsonObject) => void): void {
    if (typeof value !== 'object' || value === null) return;
    if (isJsonObject(value)) look(value);
    for (const part of Object.values(value) as readonly JsonValue[]) visit(part, look);
}
