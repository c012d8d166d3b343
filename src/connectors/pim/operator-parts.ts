import { z } from 'zod';
import type { OperatorContext } from '../../core/adapter/operator';
import type { FlowRecord } from '../../core/data/record';
import { isFlowError } from '../../core/errors/flow-error';
import type { JsonObject } from '../../core/value/json';

/** As the PIM and the shop write languages. */
export const LANGUAGE = /^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8})*$/;

/** The language in which texts come that are asked for without one. */
export const languageArgument = z.string().regex(LANGUAGE, 'allowed: a language such as en or pt_BR').meta({
    title: 'Default language',
    description: "The language of texts that are asked for without one; those of the channel's languages come first.",
});

/** What becomes of what comes as deleted. */
export const goneArgument = z.enum(['NONE', 'DISABLE', 'DELETE']).default('DISABLE').meta({
    title: 'Missing',
    description:
        'What becomes of what is not there any more: NONE leaves it alone, DISABLE hides it, DELETE deletes it.',
    aliases: {},
});

/** Whether a record says that something is not there any more. */
export function isGone({ __operation }: JsonObject): boolean {
    return __operation === 'DELETE';
}

/** What a record becomes; undefined where it is rejected, or becomes nothing. */
export function refusing<T>(call: OperatorContext, record: FlowRecord, work: () => T): T | undefined {
    try {
        return work();
    } catch (error) {
        if (!isFlowError(error) || error.treat !== 'record') throw error;
        call.reject(record, error);
        return undefined;
    }
}

/** So many keys are looked after in a run; a shop with more finds out about the same key by its loads. */
const MOST = 200_000;

/** Which keys have come in a run, and whose they are: two things of the PIM with one SKU, or one slug, would take each other's place for ever. */
export class SeenInRun {
    private readonly owners = new Map<string, string>();
    private readonly ids = new Set<string>();

    /** The key that is another's; undefined where all are free or its own. They are its own from then on. */
    taken(
        keys: readonly string[],
        { pimId }: JsonObject,
    ): { readonly key: string; readonly owner: string } | undefined {
        const id = String(pimId);
        for (const key of keys) {
            const owner = this.owners.get(key);
            if (owner !== undefined && owner !== id) return { key, owner };
        }
        if (this.owners.size < MOST) for (const key of keys) this.owners.set(key, id);
        if (this.ids.size < MOST) this.ids.add(id);
        return undefined;
    }

    /** Whether it has come in this run. */
    has(id: string): boolean {
        return this.ids.has(id);
    }
}
