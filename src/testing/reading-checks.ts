import assert from 'node:assert/strict';
import { noResources } from '../core/adapter/no-resources';
import { noNetwork } from '../core/adapter/outbound';
import type { ExampleFile, Extractor, Page } from '../core/adapter/extractor';
import type { FileStore } from '../core/adapter/files';
import { rowsInSequence } from '../core/adapter/page-rows';
import { systemClock } from '../core/concurrency/clock';
import { isJsonObject, type JsonValue } from '../core/value/json';
import { extractContext, type ExtractPart, extractedPages, readPages } from './bare-extract';
import { type ContractTest, type ContractContext, parsed } from './contract';
import { filesOfExample } from './provided-files';
import { WatchedGateways } from './watched-gateways';

/** An input of an extractor: a configuration, and the files that it names. */
export interface ExtractorReading {
    /** For the names of its checks. */
    readonly name: string;
    readonly config: object;
    readonly files?: Readonly<Record<string, ExampleFile>>;
}

/** The time of the first start; a resumed run has a later one. */
const CLOCK = { ...systemClock, now: () => 1_700_000_000_000 };
/** The limits of previews. */
const LIMITS = [1, 7];

/** The requirements for every reading, whatever its result. */
export function readingChecks(
    extractor: Extractor,
    reading: ExtractorReading,
    context: ContractContext = {},
): readonly ContractTest[] {
    const read = new RepeatedReading(extractor, reading, context);
    const { name } = reading;
    return [
        { name: `reads ${name} on from each checkpoint as the whole run would`, run: () => resumes(read) },
        { name: `ends soon when a run that reads ${name} is cancelled`, run: () => ends(read) },
        { name: `reads hardly more of ${name} than a preview requests`, run: () => previews(read) },
        { name: `lets other work continue between the pages of ${name}`, run: () => takesTurns(read) },
        { name: `closes what it has opened for ${name}, however the reading ends`, run: () => closes(read) },
        { name: `knows ${name} again in the next run`, run: () => saves(read) },
    ];
}

/** One reading that can be repeated. */
export class RepeatedReading {
    constructor(
        private readonly extractor: Extractor,
        private readonly reading: ExtractorReading,
        private readonly context: ContractContext,
    ) {}

    pages(part: ExtractPart = {}, gateways = new WatchedGateways()): AsyncGenerator<Page, void, void> {
        return extractedPages(this.extraction, this.within(part, gateways));
    }

    all(part: ExtractPart = {}, gateways = new WatchedGateways()): Promise<readonly Page[]> {
        return readPages(this.extraction, this.within(part, gateways));
    }

    /** The value that is kept from one run to the next. */
    async saved(): Promise<unknown> {
        const { extractor, config } = this.extraction;
        return extractor.saved?.(parsed(extractor, config), extractContext(this.within({}, new WatchedGateways())));
    }

    private get extraction() {
        return { extractor: this.extractor, config: this.reading.config };
    }

    private within(part: ExtractPart, gateways: WatchedGateways): ExtractPart {
        const { outbound = noNetwork, files = noResources.files } = this.context;
        const own = filesOfExample(this.reading.files ?? {}, this.reading.config);
        const both: FileStore = { find: async id => (await own.find(id)) ?? files.find(id) };
        return {
            clock: CLOCK,
            ...this.context,
            outbound: gateways.outbound(outbound),
            files: gateways.fileStore(both),
            ...part,
        };
    }
}

/** A record, or the issue in its place, and its location at the source. */
type Row = { readonly place: string | undefined } & (
    { readonly record: JsonValue } | { readonly data: JsonValue; readonly path: string; readonly problem: string }
);

/** The rows of pages, in their order in the source; throws if these are not valid pages. */
export function rowsOf(pages: readonly Page[]): readonly Row[] {
    return pages.flatMap(page => {
        for (const record of page.records) assert.ok(isJsonObject(record), 'it yields something that is not a record');
        for (const { index } of page.faults ?? [])
            assert.ok(index >= 0 && index <= page.records.length, `an issue at ${index} is outside of its page`);
        const { placeOf } = page;
        return rowsInSequence(page).map((row): Row => {
            const place = row.fault ? row.fault.place : placeOf?.(row.index);
            assert.ok(
                place === undefined || (typeof place === 'string' && /\S/.test(place)),
                `the place of a row is ${JSON.stringify(place)}`,
            );
            if (!row.fault) return { place, record: row.record };
            const { data, path, problem } = row.fault;
            return { place, data, path, problem };
        });
    });
}

/** A place may be unknown after a resumption; if it is known, it is the same. */
function assertSame(rows: readonly Row[], known: readonly Row[], message: string): void {
    const expected = known.map((row, i) => (rows[i]?.place === undefined ? { ...row, place: undefined } : row));
    assert.deepEqual(rows, expected, message);
}

async function resumes(read: RepeatedReading): Promise<void> {
    const whole = await read.all();
    for (const [i, { checkpoint }] of whole.entries()) {
        if (checkpoint === undefined) continue;
        const resumeFrom = JSON.parse(JSON.stringify(checkpoint)) as JsonValue;
        assert.deepEqual(resumeFrom, checkpoint, 'a checkpoint is stored as JSON, and this one comes back changed');
        const rest = await read.all({ resumeFrom, clock: systemClock });
        assertSame(rowsOf(rest), rowsOf(whole.slice(i + 1)), `after page ${i + 1}`);
    }
}

/** One page may be in progress when the run is cancelled; later pages are not read any more. */
async function ends(read: RepeatedReading): Promise<void> {
    const { length } = await read.all();
    for (let taken = 0; taken <= Math.min(1, length); taken++) {
        const cancel = new AbortController();
        const gateways = new WatchedGateways();
        const pages = read.pages({ signal: cancel.signal }, gateways);
        for (let i = 0; i < taken; i++) await pages.next();
        const reason = new Error('cancelled');
        cancel.abort(reason);
        const { count, error } = await drained(pages);
        assert.ok(count <= 1, `${count} pages came when the run had been cancelled`);
        if (taken + count < length || error !== undefined)
            assert.equal(error, reason, 'it does not end with the reason for which the run was cancelled');
        assert.equal(gateways.held, 0, 'it holds something open');
    }
}

async function drained(pages: AsyncGenerator<Page>): Promise<{ readonly count: number; readonly error?: unknown }> {
    let count = 0;
    try {
        while (!(await pages.next()).done) count++;
        return { count };
    } catch (error) {
        return { count, error };
    }
}

async function previews(read: RepeatedReading): Promise<void> {
    const live = new WatchedGateways();
    const whole = rowsOf(await read.all({}, live));
    for (const limit of LIMITS.filter(some => some < whole.length)) {
        const gateways = new WatchedGateways();
        const pages = await read.all({ limit, mode: 'preview' }, gateways);
        const rows = rowsOf(pages);
        assertSame(rows, whole.slice(0, rows.length), 'it shows something else than a run reads');
        assert.ok(rows.length >= limit, `it shows ${rows.length} of ${limit}`);
        const before = rowsOf(pages.slice(0, -1)).length;
        assert.ok(before < limit, `it reads on when it has ${before} of ${limit}`);
        assert.ok(
            gateways.opened <= live.opened,
            `it opens ${gateways.opened} files and answers, a run ${live.opened}`,
        );
    }
}

async function takesTurns(read: RepeatedReading): Promise<void> {
    let turns = 0;
    let isOver = false;
    const tick = (): void => {
        turns++;
        if (!isOver) setImmediate(tick);
    };
    setImmediate(tick);
    try {
        let before = -1;
        for await (const _page of read.pages()) {
            assert.ok(turns > before, 'two pages come in one turn of the event loop');
            before = turns;
        }
    } finally {
        isOver = true;
    }
}

async function closes(read: RepeatedReading): Promise<void> {
    const through = new WatchedGateways();
    await read.all({}, through);
    assert.equal(through.held, 0, 'it holds something open when it is through');
    const left = new WatchedGateways();
    const pages = read.pages({}, left);
    await pages.next();
    await pages.return();
    assert.equal((await pages.next()).done, true, 'it continues after it was closed');
    assert.equal(left.held, 0, 'it holds something open when it was left');
}

async function saves(read: RepeatedReading): Promise<void> {
    const saved = await read.saved();
    assert.deepEqual(await read.saved(), saved, 'it keeps its place under two names');
    if (isJsonObject(saved))
        assert.match(String(saved['key']), /\S/, 'the name under which it keeps its place is empty');
}
