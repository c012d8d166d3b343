import { faultCount } from '../errors/fault-count';
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

/** Every kind of steps, in the order in which they are told. */
export const stepKinds = [trigger, extract, transform, validate, route, load, sink, gate] as const;

/** The name of a kind: what `kind` of a step says. */
export type StepKind = (typeof stepKinds)[number]['kind'];

/** The declaration of a kind, with its types. */
export type DeclaredKind<K extends StepKind> = Extract<(typeof stepKinds)[number], { readonly kind: K }>;

/** The declarations as whoever looks into steps takes them: of any kind. */
export const declaredKinds = stepKinds as unknown as readonly StepKindDeclaration[];

/** The names of all kinds. */
export const STEP_KINDS: readonly StepKind[] = stepKinds.map(({ kind }) => kind);

const byName: ReadonlyMap<unknown, StepKindDeclaration> = new Map(declaredKinds.map(one => [one.kind, one]));

/** The declaration of a kind; undefined for whatever a definition with faults may have in its place. */
export function findStepKind(kind: unknown): StepKindDeclaration | undefined {
    return byName.get(kind);
}

/**
 * The declaration of a kind of a checked definition. Throws DEFINITION_INVALID for one that nobody has declared, as a definition has
 * that was stored by a newer version: what is not known needs no permission that is known, so nothing may be said of it.
 */
export function stepKind(kind: string): StepKindDeclaration {
    const known = findStepKind(kind);
    if (known) return known;
    const summary = `A step is of the kind ${show(kind)}; known: ${STEP_KINDS.join(', ')}`;
    throw flowError('DEFINITION_INVALID', { count: faultCount(1), summary });
}

/** True for a kind whose steps begin runs. */
export function startsRuns(kind: unknown): boolean {
    return findStepKind(kind)?.role.as === 'start';
}

/** True for a kind whose steps read records of their own where a trigger leads to them. */
export function readsRecords(kind: unknown): boolean {
    return findStepKind(kind)?.role.as === 'source';
}

/** True for a step that reads what the records that come to it name. The configuration may have faults. */
export function looksRecordsUp(kind: unknown, config: JsonObject): boolean {
    const role = findStepKind(kind)?.role;
    return role?.as === 'source' && role.looksUp(config);
}
