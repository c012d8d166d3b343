import type { Change, LoadNote, ServiceSession } from '../adapter/loader';
import type { FlowRecord } from '../data/record';
import { asFlowError } from '../errors/flow-error';
import type { LoadResult, Reject } from '../ports/ports';
import { UnfinishedLoads } from './load-news';
import { digestOf, type Loading, notesOf, resettled, settled, VERDICTS } from './loading';
import { rejecter } from './step';
import { lettersOf, readVerdicts, writeVerdicts } from './load-verdicts';

/**
 * Loads through the platform's services. Each record is one transaction, which also adds its outcome to the batch's marker. After a crash, a
 * repeated batch resumes after the last record in the marker.
 */
export function serviceLoading(session: ServiceSession): Loading {
    const unfinished = new UnfinishedLoads();
    return {
        async dryRun({ batch }) {
            const changes: Change[] = [];
            for (const record of batch) changes.push(await orReject(() => session.dryRun(record)));
            return changes;
        },
        async commit({ batch, visit, key, ports }) {
            const refuse = rejecter(key.stepKey, batch, visit);
            const unit = { key, digest: () => digestOf(batch) };
            const before = readVerdicts((await ports.loads.storedVerdicts(unit)) ?? '');
            const known = lettersOf(batch, before);
            const news = unfinished.of(key);
            let letters = before.map(({ letter }) => letter).join('');
            const told = before.map(({ seq = -1 }) => ({ origin: { seq } }));
            const resultOf = (letter: string, rejects: readonly Reject[]): LoadResult => ({
                verdicts: writeVerdicts(letters + letter, told),
                rejects,
                effects: [],
            });
            for (const [index, record] of batch.entries()) {
                if (known[index] !== undefined) continue;
                told.push(record);
                const letter = await serve(record).catch((error: unknown) => refused(index, error));
                letters += letter;
            }
            const isWhole = before.length === 0;
            const result = isWhole ? settled(batch, letters, []) : resettled(batch, resultOf('', []).verdicts);
            unfinished.settled(key);
            return { result: { ...result, stored: news.rejects }, notes: news.notes };

            async function serve(record: FlowRecord): Promise<string> {
                let letter = '';
                let noted: readonly LoadNote[] = [];
                const serving = ports.loads.serve({
                    ...unit,
                    locks: session.locks(record),
                    async work(ctx) {
                        const change = await session.loadOne(ctx, record);
                        // What the service has written of it by then must go.
                        if (change.action === 'reject') throw change.error;
                        letter = VERDICTS[change.action];
                        noted = notesOf([change]);
                        return resultOf(letter, []);
                    },
                });
                await serving.catch(async (error: unknown) => {
                    // // What cannot be refreshed now expires by itself after a while.
                    await session.undone?.().catch(() => undefined);
                    throw error;
                });
                news.notes.push(...noted);
                return letter;
            }

            async function refused(index: number, error: unknown): Promise<string> {
                const reason = asFlowError(error);
                if (reason.treat !== 'record') throw error;
                const reject = refuse(index, reason);
                await ports.loads.settle(unit, resultOf(VERDICTS.reject, [reject]));
                news.add([reject]);
                return VERDICTS.reject;
            }
        },
    };
}

/** A throw of a `record` error as the reject that it is. */
export async function orReject(change: () => Promise<Change>): Promise<Change> {
    try {
        return await change();
    } catch (thrown) {
        return rejected(thrown);
    }
}

/** The outcome of a rejected record. Rethrows an error that does not reject a record. */
export function rejected(thrown: unknown): Change {
    const error = asFlowError(thrown);
    if (error.treat !== 'record') throw thrown;
    return { action: 'reject', key: undefined, error };
}
