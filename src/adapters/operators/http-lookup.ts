import type { AdapterContext } from '../../core/adapter/context';
import { batchOperator, type BatchFn, type OperatorContext } from '../../core/adapter/operator';
import { logEvent } from '../../core/adapter/log-event';
import { secretsSentTo } from '../../core/adapter/secret-hosts';
import { canonicalJson, type JsonObject, type JsonValue } from '../../core/value/json';
import { compilePath, type Path } from '../../core/data/path';
import type { Batch, FlowRecord } from '../../core/data/record';
import { asFlowError, type FlowError, flowError } from '../../core/errors/flow-error';
import { adviseBraces } from '../../core/adapter/placeholder-advice';
import { credentialIdentity } from '../../io/outbound/auth';
import { readJson, isJsonMediaType } from '../../io/outbound/json';
import { type LookupResult, LookupCache } from './lookup-cache';
import { CREDENTIALS, type LookupArgs, lookupConfig } from './lookup-config';
import { consequenceOf, isOfRecord } from './lookup-failures';
import { type LookupRequest, lookupRequest, type RecordRequest } from './lookup-request';
import { endpointTarget } from '../requests/endpoint';
import { isAbsent } from '../requests/placeholders';
import { adviseUrl } from '../requests/url-advice';

/** Of one response. With 500 look-ups at the same time, all of them must fit in memory. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** One per process, so that a run finds the responses of earlier runs. */
export const lookupCache = new LookupCache();

/** Adds the response of an HTTP API to each record. */
export const httpLookup = batchOperator({
    code: 'httpLookup',
    category: 'Enrichment',
    title: 'HTTP look-up',
    summary: 'Looks up each record on an HTTP server and keeps the response.',
    config: lookupConfig,
    notes: [
        'A record without a value that the URL, the body or keyField needs is not looked up; the target gets the default.',
        'Requests go to public addresses and to the hosts of the plugin option security.allowedHostnames.',
        'If the connection has a base URL, requests and redirects keep its origin. Secrets require such a connection.',
        'A server may be unavailable, busy or too slow (lost connections, timeouts, 408, 429, 5xx). With failOnError false, a record gets the default after maxRetries, and one warning counts such records. With failOnError true, the whole batch is retried as errorHandling says, without repeating successful look-ups, and then the run fails.',
        'A host whose name is unknown or whose certificate is not trusted fails the run.',
        'A URL with a blocked host, such as a private address that security.allowedHostnames does not list, is an error when the pipeline is published.',
        'A response may have at most 1 MiB. It is parsed as JSON if its Content-Type says so or responsePath is set; otherwise it is text.',
        'A JSON number that cannot be represented exactly becomes text, and an object with a repeated key makes the response malformed.',
        'Dry runs and step tests also send requests: Flow assumes that a look-up does not change anything, even with POST.',
        'Responses (including 404) are cached in the memory of the process, for one pipeline step and one set of credentials.',
    ],
    examples: [
        {
            args: {
                url: 'https://api.example.com/stock/{{sku}}',
                target: 'stock',
                responsePath: 'quantity',
                default: 0,
            },
            in: [{ name: 'A' }],
            out: [{ name: 'A', stock: 0 }],
            note: 'Without a SKU no request is sent.',
        },
        {
            args: { url: 'https://api.example.com/stock/{{sku}}', target: 'stock' },
            in: [{ sku: null }, { sku: '' }],
            out: [{ sku: null }, { sku: '' }],
        },
        {
            args: {
                url: 'https://api.example.com/stock',
                target: 'stock',
                method: 'POST',
                body: { sku: '{{sku}}' },
                keyField: 'isActive',
                default: null,
            },
            in: [{ sku: 'A-1' }],
            out: [{ sku: 'A-1', stock: null }],
        },
        {
            args: { url: 'https://api.example.com/stock/{{sku}}', target: 'stock' },
            in: [{ sku: ['A-1'] }],
            out: [],
            errors: ['Field "sku": is a list or an object'],
        },
        {
            args: { url: 'https://api.example.com/stock/{{sku}}', target: 'stock' },
            in: [{ sku: '..' }],
            out: [],
            errors: ['makes . or .. a part of the requested path'],
            note: 'Values are encoded; a value that would lead to another address is rejected.',
        },
    ],
    secretUses: (args, connections) => secretsSentTo(endpointTarget(args, connections), args, CREDENTIALS),
    advise: ({ url, body }) => [...adviseBraces('url', url), ...adviseBraces('body', body), ...adviseUrl('url', url)],
    reads: ({ keyField, bodyField, default: fallback }) =>
        fallback === undefined ? [keyField, bodyField].filter(field => field !== undefined) : [],
    open(args, cx): BatchFn {
        const lookup = new Lookup(args, cx);
        return (batch, context) => lookup.ask(batch, context);
    },
});

/** The outcome of a record. */
type Outcome = FlowRecord | 'dropped' | 'rejected';

/** The result of a request, if it is about its record. */
type Answered = LookupResult | { readonly is: 'refused'; readonly error: FlowError };

/** One attempt of a batch. */
interface Try {
    readonly context: OperatorContext;
    readonly failures: FlowError[];
    /** The results of earlier attempts, by cache key. */
    readonly earlier: ReadonlyMap<string, Answered>;
    /** The same, including the results of this attempt. */
    readonly answered: Map<string, Answered>;
}

/** The look-ups of one step and run. */
class Lookup {
    private readonly request: LookupRequest;
    private readonly to: Path;
    private readonly from: Path | undefined;
    private readonly key: Path | undefined;
    /** The beginning of all cache keys of the step. */
    private readonly identity: readonly string[];
    /** Equal look-ups at the same time share one request. */
    private readonly underWay = new Map<string, Promise<LookupResult>>();
    /**
     * The results of failed batches that will be retried, by place. A retry requests only the records without a result.
     */
    private readonly unfinished = new Map<string, ReadonlyMap<string, Answered>>();

    constructor(
        private readonly args: LookupArgs,
        private readonly cx: AdapterContext,
    ) {
        this.request = lookupRequest(args, cx);
        this.to = compilePath(args.target);
        this.from = args.responsePath === undefined ? undefined : compilePath(args.responsePath);
        this.key = args.keyField === undefined ? undefined : compilePath(args.keyField);
        const { auth, originLock = '', headers } = this.request;
        this.identity = [
            cx.outbound.scope,
            cx.stepKey,
            canonicalJson(args as unknown as JsonObject),
            originLock,
            canonicalJson(headers),
            ...credentialIdentity(auth),
        ];
    }

    async ask(batch: Batch, context: OperatorContext): Promise<Batch> {
        const { sourceKey, batchNo, visit } = context.place;
        const place = JSON.stringify([sourceKey, batchNo, visit]);
        const earlier = this.unfinished.get(place) ?? new Map<string, Answered>();
        const answered = new Map(earlier);
        // Deleted when the batch succeeds. If its attempts are spent, the run ends and the look-up with it.
        this.unfinished.set(place, answered);
        const out = await this.tryOnce(batch, { context, failures: [], earlier, answered });
        this.unfinished.delete(place);
        return out;
    }

    private async tryOnce(batch: Batch, attempt: Try): Promise<Batch> {
        const { context, failures } = attempt;
        const outcomes: Outcome[] = [];
        let next = 0;
        const work = async (): Promise<void> => {
            while (next < batch.length) {
                const index = next++;
                try {
                    outcomes[index] = await this.one(batch[index]!, attempt);
                } catch (error) {
                    next = batch.length;
                    throw error;
                }
                await context.turn();
            }
        };
        // Waits until all have settled, so that no request continues after its batch has failed.
        const ends = await Promise.allSettled(
            Array.from({ length: Math.min(this.args.batchSize, batch.length) }, work),
        );
        for (const end of ends) if (end.status === 'rejected') throw end.reason;
        const [first] = failures;
        if (first)
            logEvent(context.log, 'LOOKUPS_FAILED', {
                failed: failures.length,
                records: batch.length,
                error: first,
            });
        logEvent(context.log, 'LOOKUPS_DONE', { records: batch.length, cacheEntries: lookupCache.size });
        return outcomes.filter((outcome): outcome is FlowRecord => typeof outcome === 'object');
    }

    private async one(record: FlowRecord, attempt: Try): Promise<Outcome> {
        const { data } = record;
        const { context, failures } = attempt;
        const put = (value: JsonValue | undefined): FlowRecord =>
            value === undefined ? record : context.derive(this.to.set(data, value), [record]);
        try {
            const key = this.key?.get(data);
            const request = this.key && isAbsent(key) ? undefined : this.request.of(data);
            if (!request) return put(this.args.default);
            const answer = await this.answer(request, key, attempt);
            if (answer.is === 'notFound' && this.args.skipOn404) return 'dropped';
            if (answer.is === 'nothing' && this.args.failOnError && this.from) throw without(this.from, request.url);
            return put(answer.is === 'found' ? answer.value : this.args.default);
        } catch (thrown) {
            const error = asFlowError(thrown);
            switch (consequenceOf(error, { failOnError: this.args.failOnError, signal: this.cx.signal })) {
                case 'fails the batch':
                    throw error;
                case 'rejects the record':
                    context.reject(record, error);
                    return 'rejected';
                case 'gives the default':
                    failures.push(error);
                    return put(this.args.default);
            }
        }
    }

    private async answer(
        request: RecordRequest,
        key: JsonValue | undefined,
        { earlier, answered }: Try,
    ): Promise<LookupResult> {
        const cacheKey = lookupCache.keyOf([...this.identity, request.url, request.body ?? '', canonicalJson(key)]);
        const before = earlier.get(cacheKey);
        if (before?.is === 'refused') throw before.error;
        if (before) return before;
        try {
            const answer = await this.remembered(request, cacheKey);
            answered.set(cacheKey, answer);
            return answer;
        } catch (thrown) {
            const error = asFlowError(thrown);
            if (isOfRecord(error)) answered.set(cacheKey, { is: 'refused', error });
            throw error;
        }
    }

    private async remembered(request: RecordRequest, cacheKey: string): Promise<LookupResult> {
        const { cacheTtlSec } = this.args;
        if (cacheTtlSec === 0) return this.send(request);
        const { clock } = this.cx;
        const known = lookupCache.get(cacheKey, clock.now());
        if (known) return known;
        const underWay = this.underWay.get(cacheKey);
        if (underWay) return underWay;
        const requested = this.send(request).finally(() => this.underWay.delete(cacheKey));
        this.underWay.set(cacheKey, requested);
        const answer = await requested;
        lookupCache.set(cacheKey, answer, clock.now() + cacheTtlSec * 1000);
        return answer;
    }

    private async send({ url, body }: RecordRequest): Promise<LookupResult> {
        const { method, maxRetries, rateLimitPerSecond, skipOn404, failOnError } = this.args;
        const { auth, originLock, headers, timeoutMs } = this.request;
        const response = await this.cx.outbound.http.send({
            url,
            method,
            headers,
            auth,
            originLock,
            body,
            timeoutMs,
            maxBytes: MAX_ANSWER_BYTES,
            attempts: maxRetries + 1,
            isRepeatable: true,
            perSecond: rateLimitPerSecond,
            signal: this.cx.signal,
            // If 404 is not an error, it is a result that is worth caching.
            expected: failOnError && !skipOn404 ? [] : [404],
        });
        if (response.status === 404) return { is: 'notFound' };
        const isJson = this.from !== undefined || isJsonMediaType(response);
        const whole = isJson
            ? readJson(response, new URL(url).host)
            : response.body.length === 0
              ? undefined
              : response.body.toString('utf8');
        // A path also leads through lists, because the outermost value may be one.
        const value =
            this.from && typeof whole === 'object'
                ? this.from.get((whole ?? {}) as JsonObject)
                : this.from
                  ? undefined
                  : whole;
        // Null at responsePath means that the server has no value, like a missing field.
        return value === undefined || (this.from && value === null) ? { is: 'nothing' } : { is: 'found', value };
    }
}

function without(path: Path, url: string): FlowError {
    return flowError('REMOTE_MALFORMED', { host: new URL(url).host, problem: `it has nothing at "${path.text}"` });
}
