import { z } from 'zod';
import type { OperatorContext } from '../../core/adapter/operator';
import type { FlowRecord } from '../../core/data/record';
import { isFlowError } from '../../core/errors/flow-error';
import type { JsonObject } from '../../core/value/json';

/** As the PIM and the shop write languages. */
export const LANGUAGE = /^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8})*$/;

/** The language of texts that are requested without one. */
export const languageArgument = z.string().regex(LANGUAGE, 'allowed: a language such as en or pt_BR').meta({
    title: 'Default language',
    description:
        "The language of texts that are requested without a language. Default: the first of the channel's languages.",
});

/** What happens to records that are marked as deleted. */
export const prunedArgument = z.enum(['NONE', 'DISABLE', 'DELETE']).default('DISABLE').meta({
    title: 'Missing',
    description:
        'What to do with objects that no longer exist: NONE does not change them, DISABLE hides them, DELETE deletes them.',
    aliases: {},
});

/** Whether a record is marked as deleted. */
export function isPruned({ __operation }: JsonObject): boolean {
    return __operation === 'DELETE';
}

/** The new record; undefined if the record is rejected or dropped. */
export function rejectingRecord<T>(call: OperatorContext, record: FlowRecord, work: () => T): T | undefined {
    try {
        return work();
    } catch (error) {
        if (!isFlowError(error) || error.treat !== 'record') throw error;
        call.reject(record, error);
        return undefined;
    }
}

/** A thing of the PIM: its number there, and the keys that are to be its own. */
export interface Holder {
    readonly id: string;
    readonly keys: readonly string[];
}

const heldKey = (key: string): string => `held ${key}`;
const metKey = (id: string): string => `met ${id}`;

/**
 * The keys that occurred in a run, and their owners: two objects of the PIM with the same SKU, or the same slug, would overwrite each other
 * forever. They are stored with the run, because another worker may continue it.
 */
export class MatchedInRun {
    private constructor(
        private readonly owners: Map<string, string>,
        private readonly ids: Set<string>,
        private readonly call: OperatorContext,
    ) {}

    /** `others` are the ids that `has` checks. */
    static async of(
        holders: readonly Holder[],
        others: readonly string[],
        call: OperatorContext,
    ): Promise<MatchedInRun> {
        const keys = [...new Set(holders.flatMap(({ keys: held }) => held))];
        const ids = [...new Set([...holders.map(({ id }) => id), ...others])];
        const found = await call.recall([...keys.map(heldKey), ...ids.map(metKey)], 'run');
        const owners = keys.flatMap((key): ReadonlyArray<readonly [string, string]> => {
            const owner = found.get(heldKey(key));
            return typeof owner === 'string' ? [[key, owner]] : [];
        });
        return new MatchedInRun(new Map(owners), new Set(ids.filter(id => found.has(metKey(id)))), call);
    }

    /** The key that is another's; undefined where all are free or its own. They are its own from then on. */
    taken(record: FlowRecord, { id, keys }: Holder): { readonly key: string; readonly owner: string } | undefined {
        for (const key of keys) {
            const owner = this.owners.get(key);
            if (owner !== undefined && owner !== id) return { key, owner };
        }
        for (const key of keys) {
            if (this.owners.has(key)) continue;
            this.owners.set(key, id);
            this.call.remember(record, heldKey(key), id);
        }
        if (!this.ids.has(id)) {
            this.ids.add(id);
            this.call.remember(record, metKey(id), true);
        }
        return undefined;
    }

    /** Whether it has already appeared in this run. */
    has(id: string): boolean {
        return this.ids.has(id);
    }
}
