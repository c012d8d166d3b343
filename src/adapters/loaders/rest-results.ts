import { z } from 'zod';
import type { Outcome } from '../../core/adapter/loader';
import { identityText } from '../../core/adapter/record-operation';
import { compilePath, type Path } from '../../core/data/path';
import { flowError } from '../../core/errors/flow-error';
import { path } from '../../core/schema/fields';
import { isJsonObject, type JsonValue } from '../../core/value/json';
import { readJson } from '../../io/outbound/json';
import type { DeliveryResponse } from './delivery-client';
import { reasonIn } from '../requests/reason';
import { rejectedDelivery } from './delivery-rejection';

/** How the response to a list reports the outcome of each record. */
export const resultsField = z
    .strictObject({
        path: path('List', 'The path of the list of results in the response. Default: the response itself.').optional(),
        errorPath: path(
            'Error',
            'The path of the error in a result. If it is missing, null, false, or an empty text or list, the record is delivered.',
        ).default('error'),
        statusPath: path(
            'Status',
            'The path of the HTTP status in a result. 200 to 299: delivered; 408, 429 and 5xx: sent again; any other: the record is rejected.',
        ).optional(),
        idPath: path(
            'Id',
            'The path in a result of the value of idField, to find the record that it belongs to. Records without a result are delivered. Without this setting, there is one result for each record, in order.',
        ).optional(),
    })
    .optional()
    .meta({
        title: 'Results',
        description:
            "The path of each record's result in the response to a list. Without it, a list is accepted or rejected as a whole.",
    });
type ResultsArgs = NonNullable<z.output<typeof resultsField>>;

/** Reads the outcome of each record from a response. */
export class Results {
    private readonly list: Path | undefined;
    private readonly error: Path;
    private readonly status: Path | undefined;
    private readonly id: Path | undefined;

    constructor(args: ResultsArgs) {
        const compiled = (text: string | undefined): Path | undefined =>
            text === undefined ? undefined : compilePath(text);
        this.list = compiled(args.path);
        this.error = compilePath(args.errorPath);
        this.status = compiled(args.statusPath);
        this.id = compiled(args.idPath);
    }

    /**
     * One outcome for each record, identified by these ids. Throws REMOTE_MALFORMED if the response does not report the
     * outcome of each: nothing is guessed.
     */
    outcomesOf(response: DeliveryResponse, ids: ReadonlyArray<string | undefined>): readonly Outcome[] {
        const { host } = response;
        const malformed = (problem: string): Error => flowError('REMOTE_MALFORMED', { host, problem });
        const whole = readJson(response, host);
        const found = this.list ? isJsonObject(whole) && this.list.get(whole) : whole;
        if (!Array.isArray(found))
            throw malformed(this.list ? `it has no list at "${this.list.text}"` : 'it is not a list');
        const results = found as readonly JsonValue[];
        if (!this.id) {
            if (results.length !== ids.length)
                throw malformed(`it has ${results.length} results of ${ids.length} records`);
            return results.map(result => this.outcomeOf(result, host));
        }
        const records = new Map<string, number>();
        for (const id of ids) if (id !== undefined) records.set(id, (records.get(id) ?? 0) + 1);
        const byId = new Map<string, JsonValue[]>();
        for (const result of results) {
            const id = isJsonObject(result) ? identityText(this.id.get(result)) : undefined;
            if (id === undefined || !records.has(id))
                throw malformed(`it has a result without the id of one of the records at "${this.id.text}"`);
            byId.set(id, [...(byId.get(id) ?? []), result]);
        }
        // A single result applies to all records with its id. Several results apply to one record each.
        for (const [id, { length }] of byId)
            if (length > 1 && length !== records.get(id))
                throw malformed(`it has ${length} results of ${records.get(id)} records with one id`);
        return ids.map(id => {
            const [result, ...others] = (id !== undefined && byId.get(id)) || [];
            if (others.length > 0) byId.set(id!, others);
            return result === undefined ? { ok: true } : this.outcomeOf(result, host);
        });
    }

    private outcomeOf(result: JsonValue, host: string): Outcome {
        if (!isJsonObject(result) && !this.status) return { ok: true };
        const [error, status] = isJsonObject(result) ? [this.error.get(result), this.status?.get(result)] : [];
        if (this.status && (typeof status !== 'number' || !Number.isInteger(status)))
            throw flowError('REMOTE_MALFORMED', { host, problem: `it has no status at "${this.status.text}"` });
        if (typeof status === 'number') {
            if (status >= 200 && status < 300) return { ok: true };
            const reason = reasonIn(error) ?? reasonIn(result);
            if (status === 408 || status === 429 || status >= 500) {
                const problem = `answered ${status} for a record of a list`;
                return { ok: false, error: flowError('REMOTE_BUSY', { host, problem, attempts: 1 }) };
            }
            return {
                ok: false,
                error: rejectedDelivery(reason === undefined ? `it answered ${status}` : reason, { status }),
            };
        }
        if (isNothing(error)) return { ok: true };
        return { ok: false, error: rejectedDelivery(reasonIn(error) ?? 'it says that there is an error') };
    }
}

function isNothing(error: JsonValue | undefined): boolean {
    return error === undefined || error === null || error === false || error === '' || isEmpty(error);
}

function isEmpty(error: JsonValue): boolean {
    return typeof error === 'object' && error !== null && Object.keys(error).length === 0;
}
