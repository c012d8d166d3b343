import { flowError } from '../errors/flow-error';
import type { JsonObject } from '../value/json';
import { show } from '../value/show';
import { extract } from './kinds/extract';
import { gate } from './kinds/gate';
import { load } from './kinds/load';
import { route } from './kinds/route';
import { sink } from './kinds/sink';
import type { StepKindDeclaration } from './kinds/step-kind';
import { transform } from './kinds/transform';
import { trigger } from './kinds/trigger';
import { validate } from './kinds/validate';

/** Every kind of step, in the order in which lists show them. */
export const stepKinds = [trigger, extract, transform, validate, route, load, sink, gate] as const;

/** The name of a kind: what `kind` of a step says. */
export type StepKind = (typeof stepKinds)[number]['kind'];

/** The declaration of a kind, with its types. */
export type DeclaredKind<K extends StepKind> = Extract<(typeof stepKinds)[number], { readonly kind: K }>;

/** The declarations of all kinds, without their specific types. */
export const declaredKinds = stepKinds as unknown as readonly StepKindDeclaration[];

/** The names of all kinds. */
export const STEP_KINDS: readonly StepKind[] = stepKinds.map(({ kind }) => kind);

const byName: ReadonlyMap<unknown, StepKindDeclaration> = new Map(declaredKinds.map(one => [one.kind, one]));

/** The declaration of a kind; undefined for any other value that an invalid definition may contain. */
export function findStepKind(kind: unknown): StepKindDeclaration | undefined {
    return byName.get(kind);
}

/**
 * The declaration of a kind of a validated definition. Throws DEFINITION_INVALID for an undeclared kind, which a definition stored by a newer
 * version may contain. The permissions that such a kind needs are unknown, so nothing may be reported about it.
 */
export function stepKind(kind: string): StepKindDeclaration {
    const known = findStepKind(kind);
    if (known) return known;
    const summary = `A step is of the kind ${show(kind)}; known: ${STEP_KINDS.join(', ')}`;
    throw flowError('DEFINITION_INVALID', { count: 1, summary });
}

/** True for a kind whose steps begin runs. */
export function startsRuns(kind: unknown): boolean {
    return findStepKind(kind)?.role.as === 'start';
}

/** True for a kind whose steps read records from a source when a trigger leads to them. */
export function readsRecords(kind: unknown): boolean {
    return findStepKind(kind)?.role.as === 'source';
}

/** True for a step that reads what the incoming records refer to. The configuration may be invalid. */
export function looksRecordsUp(kind: unknown, config: JsonObject): boolean {
    const role = findStepKind(kind)?.role;
    return role?.as === 'source' && role.looksUp(config);
}
