import { createHash } from 'node:crypto';
import type { Change, Outcome, RemoteSession } from '../adapter/loader';
import type { Batch, FlowRecord } from '../data/record';
import { flowError, type FlowError } from '../errors/flow-error';
import type { LoadUnit, Reject } from '../ports/ports';
import { type PartialLoads, IncompleteLoads } from './partial-loads';
import { rejected } from './load-records';
import { GrowingOutcomes, outcomeLettersIn } from './load-outcomes';
import {
    digestOf,
    type LoadCall,
    type LoadStepResult,
    type LoadStrategy,
    restoredFromMarker,
    acknowledgedRecords,
    OUTCOME_CODES,
} from './load-strategy';
import { ordinalsOf, rejecter } from './step';

/**
 * Loads by delivering to another system, in parts. The outcome of a part is stored in the batch's marker before the
 * next part is sent.
 */
export function remoteLoading(session: RemoteSession, signal: AbortSignal): LoadStrategy {
    const deliveries = new Deliveries(session, signal);
    return {
        dryRun: async ({ batch }) => planned(batch, record => session.dryRun(record)),
        commit: call => deliveries.commit(call),
    };
}

/** The unit that a marker belongs to. */
type Unit = Pick<LoadUnit, 'key' | 'digest'>;

/** One attempt of a batch. */
interface Try {
    readonly call: LoadCall;
    readonly unit: Unit;
    readonly news: PartialLoads;
    readonly verdicts: GrowingOutcomes;
}

class Deliveries {
    private readonly unfinished = new IncompleteLoads();

    constructor(
        private readonly session: RemoteSession,
        private readonly signal: AbortSignal,
    ) {}

    /**
     * Delivers the records that are not known to have arrived. Throws the first error that does not concern a single record, after it has stored
     * what is known of the others; the next try delivers the rest.
     */
    async commit(call: LoadCall): Promise<LoadStepResult> {
        const { batch, key, ports } = call;
        const unit = { key, digest: () => digestOf(batch) };
        const news = this.unfinished.of(key);
        const stored = await ports.loads.storedVerdicts(unit);
        const outcomes = new GrowingOutcomes(batch, stored);
        if (!outcomes.isComplete) await this.deliverRest({ call, unit, news, verdicts: outcomes });
        this.unfinished.settled(key);
        const { known } = outcomes;
        const result =
            stored === undefined
                ? acknowledgedRecords(batch, outcomeLettersIn(known), [])
                : restoredFromMarker(batch, known);
        return { result: { ...result, stored: news.rejects }, notes: news.notes };
    }

    private async deliverRest({ call, unit, news, verdicts: outcomes }: Try): Promise<void> {
        const { batch, visit, key, ports } = call;
        const refuse = rejecter(key.stepKey, batch, visit);
        const { session } = this;
        const changes = planned(batch, record => (session.live ? session.live(record) : session.dryRun(record)));
        const ids = deliveryIds(call);
        const going: number[] = [];
        let rejects: Reject[] = [];
        const settle = async (): Promise<void> => {
            news.add(rejects);
            await ports.loads.settle(unit, { verdicts: outcomes.stored, rejects, effects: [] });
            rejects = [];
        };
        const tell = (index: number, change: Change): void => {
            outcomes.tell(index, OUTCOME_CODES[change.action]);
            if (change.action === 'reject') rejects.push(refuse(index, change.error));
            if ('note' in change && change.note) news.notes.push(change.note);
        };
        changes.forEach((change, index) => {
            if (outcomes.isKnown(index)) return;
            if (change.action === 'reject' || change.action === 'unchanged') tell(index, change);
            else going.push(index);
        });
        if (going.length === 0) return settle();
        for (const part of inParts(going, this.session.batchSize)) {
            this.signal.throwIfAborted();
            const outcomes = await this.outcomesOf(part, { batch, ids });
            let failure: FlowError | undefined;
            outcomes.forEach((outcome, i) => {
                const index = part[i]!;
                const change = changes[index]!;
                if (outcome.ok) tell(index, change);
                else if (outcome.error.treat === 'record')
                    tell(index, { action: 'reject', key: undefined, error: outcome.error });
                else failure ??= outcome.error;
            });
            if (outcomes.some(isKnown)) await settle();
            if (failure) throw failure;
        }
    }

    private async outcomesOf(
        part: readonly number[],
        { batch, ids }: { readonly batch: Batch; readonly ids: readonly string[] },
    ): Promise<readonly Outcome[]> {
        const outcomes = await this.session.deliver(
            part.map(index => batch[index]!),
            part.map(index => ids[index]!),
        );
        if (outcomes.length === part.length) return outcomes;
        throw flowError('BUG', {
            problem: `an adapter returned ${outcomes.length} outcomes for ${part.length} deliveries`,
        });
    }
}

function isKnown(outcome: Outcome): boolean {
    return outcome.ok || outcome.error.treat === 'record';
}

function inParts(indexes: readonly number[], size = indexes.length): ReadonlyArray<readonly number[]> {
    const count = Math.ceil(indexes.length / size);
    return Array.from({ length: count }, (_, i) => indexes.slice(i * size, (i + 1) * size));
}

/** The planned changes, from the records alone. */
function planned(batch: Batch, changeOf: (record: FlowRecord) => Change): readonly Change[] {
    return batch.map(record => {
        try {
            return changeOf(record);
        } catch (thrown) {
            return rejected(thrown);
        }
    });
}

/**
 * The same for a record whenever its run delivers it, and for no other record: 32 hexadecimal digits. Half of them
 * belong to the run and the step, the others are the number of the record.
 */
function deliveryIds({ runId, key, batch, visit }: LoadCall): readonly string[] {
    const { stepKey, sourceKey } = key;
    const of = createHash('sha256')
        .update(JSON.stringify([runId, stepKey, sourceKey]))
        .digest('hex')
        .slice(0, 16);
    const ordinals = ordinalsOf(batch, visit.earlier);
    return batch.map(({ origin }, i) => of + digits(origin.seq, 10) + digits(ordinals[i]!, 6));
}

const NOUGHTS = Array.from({ length: 11 }, (_, length) => '0'.repeat(length));

function digits(number: number, length: number): string {
    if (number === 0) return NOUGHTS[length]!;
    const text = number.toString(16);
    return text.length < length ? NOUGHTS[length - text.length]! + text : text;
}
