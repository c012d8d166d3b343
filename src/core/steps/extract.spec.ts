import fc from 'fast-check';
import { naming } from '../../../test/kit/naming';
import { VirtualClock } from '../../../test/kit/virtual-clock';
import type { AdapterContext } from '../adapter/context';
import type { ExtractContext, Page } from '../adapter/extractor';
import { noNetwork } from '../adapter/outbound';
import { noResources } from '../adapter/no-resources';
import { flowError } from '../errors/flow-error';
import type { SourceOffset } from '../ports/ports';
import { RetryCount } from '../run/retry';
import type { BatchSize, SourceBatch } from './batcher';
import { extractStep, START } from './extract';

const silent = (): void => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };

interface Reading extends Partial<BatchSize> {
    readonly from?: SourceOffset;
    readonly stop?: AbortSignal;
    readonly clock?: VirtualClock;
}

async function read(
    extract: (cx: ExtractContext) => AsyncGenerator<Page, void, void>,
    reading: Reading = {},
): Promise<SourceBatch[]> {
    const {
        from = START,
        stop = new AbortController().signal,
        clock = new VirtualClock(),
        batchSize = 3,
        limit,
    } = reading;
    const adapter: AdapterContext = {
        stepKey: 'read',
        mode: 'live',
        signal: stop,
        log,
        clock,
        platform: undefined,
        outbound: noNetwork,
        ...noResources,
    };
    const retryCount = new RetryCount(
        { maxRetries: 2, retryDelayMs: 1_000, backoffMultiplier: 2 },
        { clock, signal: stop, log },
    );
    const step = extractStep('read', { extract }, { batchSize, limit });
    const batches: SourceBatch[] = [];
    await clock.drive(
        (async () => {
            const env = {
                retries: retryCount,
                stop,
                adapter,
                took: silent,
                isPart: () => undefined,
                beginAgain: () => START,
            };
            for await (const batch of step.read(from, env)) batches.push(batch);
        })(),
    );
    return batches;
}

/** Yields the pages after its checkpoint, which is a page number. */
const from = (pages: readonly Page[]) =>
    async function* (cx: ExtractContext): AsyncGenerator<Page, void, void> {
        for (const page of pages.slice(typeof cx.resumeFrom === 'number' ? cx.resumeFrom : 0)) yield page;
    };

const page = (ids: readonly number[], checkpoint?: number): Page => ({
    records: ids.map(id => ({ id })),
    ...(checkpoint !== undefined && { checkpoint }),
});
const idsOf = (batches: readonly SourceBatch[]): unknown[] =>
    batches.map(({ records }) => records.map(({ data }) => data['id']));

describe('reading a source', () => {
    it('cuts batches of one size wherever the pages end', async () => {
        const batches = await read(from([page([1, 2]), page([]), page([3, 4, 5, 6, 7]), page([8])]));
        expect(idsOf(batches)).toEqual([[1, 2, 3], [4, 5, 6], [7, 8], []]);
        expect(batches.map(({ batchNo }) => batchNo)).toEqual([0, 1, 2, 3]);
        expect(batches.flatMap(({ records }) => records.map(({ origin }) => origin.seq))).toEqual([
            0, 1, 2, 3, 4, 5, 6, 7,
        ]);
    });

    it('reports after each batch at which checkpoint to resume and how many records to skip', async () => {
        const batches = await read(from([page([1, 2], 1), page([3, 4, 5, 6], 2), page([7])]));
        expect(batches.map(({ after }) => after)).toEqual([
            { token: 1, skip: 1, batchNo: 1, seq: 3, done: false },
            { token: 2, skip: 0, batchNo: 2, seq: 6, done: false },
            { token: 2, skip: 1, batchNo: 3, seq: 7, done: false },
            { token: 2, skip: 1, batchNo: 3, seq: 7, done: true },
        ]);
    });

    it('turns a row that is not a record into a reject with a separate number', async () => {
        const issue = (index: number) => ({
            index,
            data: { line: index },
            path: 'columns',
            problem: 'there are 3 of 4',
        });
        const batches = await read(from([{ ...page([1, 2]), faults: [issue(2), issue(0)] }]));
        expect(batches[0]).toMatchObject({
            records: [
                { data: { id: 1 }, origin: { seq: 1 } },
                { data: { id: 2 }, origin: { seq: 2 } },
            ],
            faults: [
                {
                    seq: 0,
                    stepKey: 'read',
                    sourceKey: 'read',
                    code: 'RECORD_INVALID',
                    path: 'columns',
                    payload: { line: 0 },
                },
            ],
        });
        expect(batches[1]?.faults).toMatchObject([
            { seq: 3, path: 'columns', message: expect.stringMatching(naming('"columns"', '3 of 4')) },
        ]);
    });

    it('cuts the very same batches again from any position', async () => {
        const pages = fc.array(
            fc.record({ size: fc.nat(5), faults: fc.array(fc.nat(5), { maxLength: 2 }), marked: fc.boolean() }),
            { maxLength: 6 },
        );
        await fc.assert(
            fc.asyncProperty(pages, fc.integer({ min: 1, max: 6 }), async (shapes, batchSize) => {
                let id = 0;
                const source = from(
                    shapes.map(({ size, faults: issues, marked }, number): Page => ({
                        ...page(
                            Array.from({ length: size }, () => id++),
                            marked ? number + 1 : undefined,
                        ),
                        faults: issues
                            .filter(index => index <= size)
                            .map(index => ({ index, data: { number, index }, path: 'x', problem: 'y' })),
                    })),
                );
                const whole = await read(source, { batchSize });
                for (const [i, { after }] of whole.entries()) {
                    if (!after.done) expect(await read(source, { batchSize, from: after })).toEqual(whole.slice(i + 1));
                }
            }),
            { numRuns: 60 },
        );
    });

    it('stops at the limit of a preview, passes it to the extractor and closes it', async () => {
        const seen: unknown[] = [];
        const batches = await read(
            async function* (cx) {
                seen.push(cx.limit);
                try {
                    for (let id = 0; ; id += 2) yield page([id, id + 1]);
                } finally {
                    seen.push('closed');
                }
            },
            { limit: 4 },
        );
        expect(idsOf(batches)).toEqual([[0, 1, 2], [3], []]);
        expect(seen).toEqual([4, 'closed']);
    });

    it('opens the source again after the last batch when it fails for a transient reason', async () => {
        const opened: unknown[] = [];
        const batches = await read(async function* (cx) {
            opened.push(cx.resumeFrom);
            const all = [page([1, 2, 3, 4], 1), page([5], 2), page([6, 7], 3)];
            for (const [i, one] of all.entries()) {
                if (i < Number(cx.resumeFrom ?? 0)) continue;
                yield one;
                if (i === 1 && opened.length < 3) throw flowError('DATABASE_BUSY', { problem: 'x' });
            }
        });
        expect(idsOf(batches)).toEqual([[1, 2, 3], [4, 5, 6], [7], []]);
        // No checkpoint lay within the first batch: read from the beginning, three records left out.
        expect(opened).toEqual([undefined, undefined, undefined]);
    });

    it('gives up when the retries are spent without a batch in between', async () => {
        let opened = 0;
        const failing = read(async function* () {
            opened++;
            yield page([1]);
            throw flowError('DATABASE_BUSY', { problem: 'x' });
        });
        await expect(failing).rejects.toMatchObject({ code: 'DATABASE_BUSY' });
        expect(opened).toBe(3);
    });

    it('does not open the source again after an error of the configuration', async () => {
        let opened = 0;
        const failing = read(async function* () {
            opened++;
            yield page([1]);
            throw flowError('SOURCE_MALFORMED', { where: 'line 2', problem: 'unclosed quote' });
        });
        await expect(failing).rejects.toMatchObject({ code: 'SOURCE_MALFORMED' });
        expect(opened).toBe(1);
    });

    it('closes a source that does not respond when it is stopped', async () => {
        const clock = new VirtualClock();
        const stop = new AbortController();
        void clock.sleep(5_000).then(() => stop.abort());
        const startedAt = clock.now();
        let told = false;
        const batches = await read(
            async function* (cx) {
                yield page([1, 2, 3, 4]);
                cx.signal.addEventListener('abort', () => (told = true));
                await new Promise(() => undefined);
            },
            { clock, stop: stop.signal },
        );
        expect(idsOf(batches)).toEqual([[1, 2, 3]]);
        expect(told).toBe(true);
        expect(clock.now() - startedAt).toBeLessThanOrEqual(6_000);
    });
});
