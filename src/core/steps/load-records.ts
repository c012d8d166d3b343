import { createHash } from 'node:crypto';
import type { Change, LoadNote, RemoteSession, ServiceSession } from '../adapter/loader';
import type { Batch, FlowRecord } from '../data/record';
import { asFlowError, flowError } from '../errors/flow-error';
import type { LoadResult, Reject } from '../ports/ports';
import { digestOf, judged, type LoadCall, type Loading, notesOf, resettled, settled, VERDICTS } from './loading';
import { ordinalsOf, rejecter } from './step';
import { lettersOf, readVerdicts, writeVerdicts } from './load-verdicts';

/**
 * Loads by the platform's services: a record is one transaction, in which the batch's marker grows by what became of it. A batch that comes
 * again after a crash goes on behind the last record that is told.
 */
export function serviceLoading(session: ServiceSession): Loading {
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
            const stored: Reject[] = [];
            const notes: LoadNote[] = [];
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
            return { result: { ...result, stored }, notes };

            async function serve(record: FlowRecord): Promise<string> {
                let letter = '';
                let noted: readonly LoadNote[] = [];
                await ports.loads.serve({
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
                notes.push(...noted);
                return letter;
            }

            async function refused(index: number, error: unknown): Promise<string> {
                const reason = asFlowError(error);
                if (reason.treat !== 'record') throw error;
                const reject = refuse(index, reason);
                await ports.loads.settle(unit, resultOf(VERDICTS.reject, [reject]));
                stored.push(reject);
                return VERDICTS.reject;
            }
        },
    };
}

/** Loads by delivering to another system: the batch's marker is written when its outcomes are known. */
export function remoteLoading(session: RemoteSession): Loading {
    const dryRun = (batch: Batch): Promise<readonly Change[]> =>
        Promise.all(batch.map(record => orReject(async () => session.dryRun(record))));
    return {
        dryRun: ({ batch }) => dryRun(batch),
        async commit(call) {
            const { batch, visit, key, ports } = call;
            const unit = { key, digest: () => digestOf(batch) };
            const told = await ports.loads.storedVerdicts(unit);
            if (told !== undefined) return { result: resettled(batch, told), notes: [] };
            const changes = [...(await dryRun(batch))];
            const going = changes.flatMap(({ action }, i) =>
                action === 'reject' || action === 'unchanged' ? [] : [i],
            );
            const ids = deliveryIds(call);
            const outcomes =
                going.length === 0
                    ? []
                    : await session.deliver(
                          going.map(i => batch[i]!),
                          going.map(i => ids[i]!),
                      );
            if (outcomes.length !== going.length) {
                throw flowError('BUG', {
                    problem: `a loader told ${outcomes.length} outcomes of ${going.length} deliveries`,
                });
            }
            outcomes.forEach((outcome, i) => {
                const index = going[i]!;
                const { key: named } = changes[index]!;
                if (!outcome.ok) changes[index] = { action: 'reject', key: named, error: outcome.error };
            });
            const { verdicts, rejects } = judged(changes, rejecter(key.stepKey, batch, visit));
            await ports.loads.settle(unit, { verdicts: writeVerdicts(verdicts, batch), rejects, effects: [] });
            return { result: { ...settled(batch, verdicts, []), stored: rejects }, notes: notesOf(changes) };
        },
    };
}

async function orReject(change: () => Promise<Change>): Promise<Change> {
    try {
        return await change();
    } catch (thrown) {
        const error = asFlowError(thrown);
        if (error.treat !== 'record') throw thrown;
        return { action: 'reject', key: undefined, error };
    }
}

/** The same for a record whenever its run delivers it, and for no other one: 32 hexadecimal digits. */
function deliveryIds({ runId, key, batch, visit }: LoadCall): readonly string[] {
    const { stepKey, sourceKey } = key;
    const ordinals = ordinalsOf(batch, visit.earlier);
    return batch.map(({ origin }, i) =>
        createHash('sha256')
            .update(JSON.stringify([runId, stepKey, sourceKey, origin.seq, ordinals[i]]))
            .digest('hex')
            .slice(0, 32),
    );
}
