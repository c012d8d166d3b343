import type { BusyResponse, OutboundResponse } from '../../core/adapter/http';
import { readJsonText } from '../../core/data/json-text';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { show } from '../../core/value/show';
import { errorsOf, wordsOf } from '../requests/graphql-errors';
import { malformed, type ReceivedPage } from './api-response';
import type { SchemaGap } from './pim-document';

/** Statuses that are explained here. */
export const PIM_ERRORS: readonly number[] = [400, 401, 403, 404, 405, 410, 422];

/** What a response has next to the records of a page. */
interface PimPage {
    readonly total: number;
}

/** Reads the response next to its records. Throws REMOTE_REFUSED, REMOTE_BUSY and REMOTE_MALFORMED. */
export function readPimPage(around: JsonValue | undefined, responseField: string, answer: ReceivedPage): PimPage {
    const response = isJsonObject(around) ? around : {};
    const errors = errorsOf(response);
    // Incomplete records would empty fields in the shop. Most of them are complete when the request is retried.
    if (errors.length > 0) throw isPassing(response) ? busyError(response, answer) : refusedQuery(errors, answer);
    const data = response['data'];
    const listing = isJsonObject(data) ? data[responseField] : undefined;
    if (!isJsonObject(listing))
        throw malformed(answer, `has ${show(listing)} at "data.${responseField}", and no listing`);
    const { totalCount, edges } = listing;
    if (typeof totalCount !== 'number' || !Number.isSafeInteger(totalCount) || totalCount < 0)
        throw malformed(
            answer,
            `has ${show(totalCount)} at "data.${responseField}.totalCount"; allowed: a whole number`,
        );
    if (edges !== undefined && edges !== null && !Array.isArray(edges))
        throw malformed(answer, `has ${show(edges)} at "data.${responseField}.edges"; allowed: a list`);
    return { total: totalCount };
}

/**
 * A response with errors that may disappear with a retry: those of single fields, in addition to the records, and those
 * that the PIM does not explain.
 */
export function busyPim({ status, body }: OutboundResponse): BusyResponse | undefined {
    if (status >= 400 || !body.includes('"errors"')) return undefined;
    const read = readJsonText(body.toString('utf8'));
    const response = 'value' in read && isJsonObject(read.value) ? read.value : {};
    return isPassing(response) ? { problem: problemOf(response) } : undefined;
}

function isPassing(response: JsonObject): boolean {
    const errors = errorsOf(response);
    if (errors.length === 0) return false;
    return hasListing(response) || errors.every(({ message }) => /^internal server error$/i.test(String(message)));
}

function hasListing({ data }: JsonObject): boolean {
    return isJsonObject(data) && Object.values(data).some(value => value !== null);
}

function problemOf(response: JsonObject): string {
    const errors = errorsOf(response);
    const said = wordsOf(errors).replace(/[.\s]+$/, '');
    return hasListing(response)
        ? `answered ${errors.length} error(s) in addition to its records: ${said}`
        : `answered an error: ${said} (a column that it cannot sort or filter by is such an error as well)`;
}

function busyError(response: JsonObject, { host }: ReceivedPage): FlowError {
    return flowError('REMOTE_BUSY', { host, problem: problemOf(response), attempts: 1 });
}

/** Why a response with this status cannot be read, and what to do. */
export function rejectedStatus({ host, stream: { status, whole } }: ReceivedPage): FlowError {
    const read = whole && readJsonText(whole.toString('utf8'));
    const errors = read && 'value' in read && isJsonObject(read.value) ? errorsOf(read.value) : [];
    const words = errors.length > 0 ? ` (${wordsOf(errors).replace(/[.\s]+$/, '')})` : '';
    const problem = `answered ${status}${words}${STATUS_HINTS[status] ?? ''}`;
    return flowError('REMOTE_REFUSED', { host, problem }, { details: { status } });
}

const FORBIDDEN =
    ': the key of the connection is not one of the configuration, or the configuration is inactive. Look at its general settings, and at its security settings for the key';
const STATUS_HINTS: Readonly<Record<number, string>> = {
    401: FORBIDDEN,
    403: FORBIDDEN,
    404: ": there is no active configuration of this name, or no such class. Look at the end of the connection's base URL (/pimcore-graphql-webservices/name), and whether the configuration is active",
};

const UNKNOWN_FIELD = /Cannot query field "(\w+)" on type "(\w+)"/;
const UNKNOWN_LANGUAGE = /Unknown argument "language" on field "(?:\w+\.)?(\w+)"/;
const SYSTEM_COLUMNS: readonly string[] = ['key', 'fullpath', 'published', 'filename'];

function refusedQuery(errors: readonly JsonObject[], { host, stream: { status } }: ReceivedPage): FlowError {
    const texts = errors.map(({ message }) => String(message));
    const fields = texts.flatMap(text => UNKNOWN_FIELD.exec(text)?.[1] ?? []);
    const unlocalised = texts.flatMap(text => UNKNOWN_LANGUAGE.exec(text)?.[1] ?? []);
    const hints = new Set(texts.flatMap(text => hintOf(text) ?? []));
    const said = wordsOf(errors).replace(/[.\s]+$/, '');
    const problem = `rejects the query: ${[said, ...hints].join('. ')}`;
    return flowError('REMOTE_REFUSED', { host, problem }, { details: { status, fields, unlocalised } });
}

function hintOf(text: string): string | undefined {
    const [, field, type] = UNKNOWN_FIELD.exec(text) ?? [];
    if (field !== undefined && type !== undefined) {
        if (/^get\w+Listing$/.test(field))
            return `The schema of the configuration has no class for ${field}: add it to the query schema, or name another one (className, listingField)`;
        if (SYSTEM_COLUMNS.includes(field))
            return `Add the system column "${field}" to the class ${type.replace(/^object_/, '')} in the schema of the configuration`;
        return `Add the field "${field}" to the class ${type.replace(/^object_/, '')} in the schema of the configuration, or map another one`;
    }
    if (/unable to decode filter/i.test(text)) return 'The PIM cannot read the filter';
    return undefined;
}

/**
 * The fields that a schema lacks according to an error response; undefined if it is not about fields, or has nothing
 * new.
 */
export function schemaGapIn(error: FlowError, known: SchemaGap, optional: ReadonlySet<string>): SchemaGap | undefined {
    const { fields = [], unlocalised = [] } = (error.details ?? {}) as Readonly<
        Record<'fields' | 'unlocalised', readonly string[] | undefined>
    >;
    if (fields.some(field => !optional.has(field))) return undefined;
    const isNew = fields.some(one => !known.fields.has(one)) || unlocalised.some(one => !known.unlocalised.has(one));
    return isNew
        ? {
              fields: new Set([...known.fields, ...fields]),
              unlocalised: new Set([...known.unlocalised, ...unlocalised]),
          }
        : undefined;
}
