import type { Change, LoadNote, ServiceSession } from '../adapter/loader';
import type { FlowRecord } from '../data/record';
import { asFlowError } from '../errors/flow-error';
import type { LoadResult, Reject } from '../ports/ports';
import { IncompleteLoads } from './partial-loads';
import {
    digestOf,
    type LoadStrategy,
    loadNotesOf,
    restoredFromMarker,
    acknowledgedRecords,
    OUTCOME_CODES,
} from './load-strategy';
import { rejecter } from './step';
import { outcomeLettersOf, readOutcomes, writeOutcomes } from './load-outcomes';

/**
 * Loads through the platform's services. Each record is one transaction, which also adds its outcome to the batch's marker. After a crash, a
 * repeated batch resumes after the last record in the marker.
 */
export function serviceLoading(session: ServiceSession): LoadStrategy {
    const unfinished = new IncompleteLoads();
    return {
        async dryRun({ batch }) {
            const changes: Change[] = [];
            for (const record of batch) changes.push(await rejectOnError(() => session.dryRun(record)));
            return changes;
        },
        async commit({ batch, visit, key, ports }) {
            const refuse = rejecter(key.stepKey, batch, visit);
            const unit = { key, digest: () => digestOf(batch) };
            const before = readOutcomes((await ports.loads.storedVerdicts(unit)) ?? '');
            const known = outcomeLettersOf(batch, before);
            const news = unfinished.of(key);
            let letters = before.map(({ letter }) => letter).join('');
            const told = before.map(({ seq = -1 }) => ({ origin: { seq } }));
            const resultOf = (letter: string, rejects: readonly Reject[]): LoadResult => ({
                verdicts: writeOutcomes(letters + letter, told),
                rejects,
                effects: [],
            });
            for (const [index, record] of batch.entries()) {
                if (known[index] !== undefined) continue;
                told.push(record);
                const letter = await serve(record).catch((error: unknown) => rejected(index, error));
                letters += letter;
            }
            const isWhole = before.length === 0;
            const result = isWhole
                ? acknowledgedRecords(batch, letters, [])
                : restoredFromMarker(batch, resultOf('', []).verdicts);
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
                        // The previous writes of the service for it must be rolled back.
                        if (change.action === 'reject') throw change.error;
                        letter = OUTCOME_CODES[change.action];
                        noted = loadNotesOf([change]);
                        return resultOf(letter, []);
                    },
                });
                await serving.catch(async (error: unknown) => {
                    // What cannot be refreshed now expires by itself after a while.
                    await session.undone?.().catch(() => undefined);
                    throw error;
                });
                news.notes.push(...noted);
                return letter;
            }

            async function rejected(index: number, error: unknown): Promise<string> {
                const reason = asFlowError(error);
                if (reason.treat !== 'record') throw error;
                const reject = refuse(index, reason);
                await ports.loads.settle(unit, resultOf(OUTCOME_CODES.reject, [reject]));
                news.add([reject]);
                return OUTCOME_CODES.reject;
            }
        },
    };
}

/** A throw of a `record` error as the reject that it is. */
async function rejectOnError(change: () => Promise<Change>): Promise<Change> {
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
