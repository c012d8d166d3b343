import { type FlowError } from '../../core/errors/flow-error';
import { recordInvalid, valueInvalid } from '../../core/errors/record-invalid';
import { isJsonObject, type JsonObject } from '../../core/value/json';
import type { PimEntity } from './pim-listing';

/** What happened to an object or asset of the PIM. */
export interface PimSeed {
    readonly id: string;
    readonly action: string;
    /** It no longer exists, or is not visible. */
    readonly isGone: boolean;
}

const ID = 'allowed: a whole number from 1 on';
const ACTION = 'allowed: a text, such as create, update, publish, unpublish or delete';
const GONE: ReadonlySet<string> = new Set(['delete', 'unpublish']);
/** "pimcore.dataobject.postUpdate" */
const EVENT = /^pimcore\.(\w+)\.post(Add|Update|Delete)$/;
const ACTIONS: Readonly<Record<string, string>> = { Add: 'create', Update: 'update', Delete: 'delete' };

/**
 * Reads `{id, action}`, or the body of the PIM's own webhooks. Undefined if it does not concern the step: drafts, and
 * entities that the step does not read. An error rejects the record.
 */
export function readPimSeed(record: JsonObject, entityType: PimEntity): PimSeed | FlowError | undefined {
    const { general, subject } = record;
    if (general !== undefined && record['id'] === undefined) return ofOwnWebhook({ general, subject }, entityType);
    const { id, action } = record;
    if (action === undefined) return recordInvalid('action', `is missing; ${ACTION}`);
    if (typeof action !== 'string' || action.trim() === '')
        return valueInvalid('action', action, `is not an action; ${ACTION}`);
    return seedOf(id, action.trim().toLowerCase(), 'id');
}

function ofOwnWebhook(
    { general, subject }: Readonly<Record<'general' | 'subject', JsonObject[string] | undefined>>,
    entityType: PimEntity,
): PimSeed | FlowError | undefined {
    if (!isJsonObject(general))
        return recordInvalid('general', "is not an object; allowed: the body of the PIM's webhooks");
    const { eventName, versionOnly } = general;
    if (typeof eventName !== 'string')
        return valueInvalid(
            'general.eventName',
            eventName,
            'is not text; allowed: pimcore.dataobject.postUpdate and the like',
        );
    const [, kind, happened] = EVENT.exec(eventName) ?? [];
    if (kind !== (entityType === 'asset' ? 'asset' : 'dataobject')) return undefined;
    if (versionOnly === true) return undefined;
    if (!isJsonObject(subject)) return recordInvalid('subject', 'is not an object; allowed: an object with the id');
    return seedOf(subject['id'], ACTIONS[happened!]!, 'subject.id');
}

function seedOf(id: JsonObject[string] | undefined, action: string, path: string): PimSeed | FlowError {
    if (id === undefined) return recordInvalid(path, `is missing; ${ID}`);
    const text = typeof id === 'number' ? String(id) : id;
    if (typeof text !== 'string' || !/^[1-9]\d{0,17}$/.test(text))
        return valueInvalid(path, id, `is not an ID of the PIM; ${ID}`);
    return { id: text, action, isGone: GONE.has(action) };
}
