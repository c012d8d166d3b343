import { valueAt, withValueAt } from '../../parts/record-fields';

/** A change that all chosen records get. */
export interface Edit {
    readonly operation: 'SET' | 'REMOVE' | 'REPLACE';
    readonly path: string;
    readonly value?: unknown;
    readonly find?: string;
    readonly with?: string;
}

/** Selections and changes that are not replayed yet. They live as long as the page and are not stored. */
export interface Work {
    /** Those chosen one by one. */
    readonly chosen: ReadonlySet<string>;
    /** Whether all of the cause are meant, those on other pages too. */
    readonly isWhole: boolean;
    /** Records as they were corrected, by the ids of their errors. */
    readonly corrections: ReadonlyMap<string, unknown>;
    readonly edits: readonly Edit[];
}

/** What can be done to it. */
export type WorkStep =
    | { readonly type: 'choose'; readonly ids: readonly string[]; readonly isChosen: boolean }
    | { readonly type: 'chooseWhole'; readonly isWhole: boolean }
    | { readonly type: 'correct'; readonly id: string; readonly payload: unknown }
    | { readonly type: 'takeBack'; readonly id: string }
    | { readonly type: 'edit'; readonly edit: Edit }
    | { readonly type: 'dropEdit'; readonly index: number }
    | { readonly type: 'clear' };

/** Nothing chosen, nothing changed. */
export const NO_WORK: Work = { chosen: new Set(), isWhole: false, corrections: new Map(), edits: [] };

/** The work after a step. */
export function worked(work: Work, step: WorkStep): Work {
    switch (step.type) {
        case 'choose': {
            const chosen = new Set(work.chosen);
            for (const id of step.ids) {
                if (step.isChosen) chosen.add(id);
                else chosen.delete(id);
            }
            return { ...work, chosen, isWhole: false };
        }
        case 'chooseWhole':
            return { ...work, isWhole: step.isWhole, chosen: new Set() };
        case 'correct':
            // Correcting a record selects it.
            return {
                ...work,
                corrections: new Map(work.corrections).set(step.id, step.payload),
                chosen: work.isWhole ? work.chosen : new Set(work.chosen).add(step.id),
            };
        case 'takeBack':
            return { ...work, corrections: new Map([...work.corrections].filter(([id]) => id !== step.id)) };
        case 'edit':
            return { ...work, edits: [...work.edits, step.edit] };
        case 'dropEdit':
            return { ...work, edits: work.edits.filter((_, index) => index !== step.index) };
        case 'clear':
            return NO_WORK;
    }
}

interface Refused {
    readonly id: string;
    readonly payload: unknown;
}

/** A record as it was corrected by hand. */
export function asCorrected(work: Work, { id, payload }: Refused): unknown {
    return work.corrections.has(id) ? work.corrections.get(id) : payload;
}

/** A record as it would be replayed: corrected, then edited as the server does it. */
export function asReplayed(work: Work, record: Refused): unknown {
    const corrected = asCorrected(work, record);
    if (!work.isWhole && !work.chosen.has(record.id)) return corrected;
    return work.edits.reduce(edited, corrected);
}

function edited(record: unknown, { operation, path, value, find, with: replacement = '' }: Edit): unknown {
    if (operation === 'SET') return withValueAt(record, path, value ?? null);
    if (operation === 'REMOVE') return withValueAt(record, path, undefined);
    const now = valueAt(record, path);
    if (typeof now !== 'string' || !find || !now.includes(find)) return record;
    return withValueAt(
        record,
        path,
        now.replaceAll(find, () => replacement),
    );
}
