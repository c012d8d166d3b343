import type { Batch } from '../data/record';
import { flowError } from '../errors/flow-error';
import type { PoisonNotes, PoisonStore, Suspect, WorkInHand } from '../ports/poison';
import type { LoadKey } from '../ports/load-key';
import type { Reject } from '../ports/ports';
import { rejecter, type Step, type StepFn, type StepResult, type Visit } from '../steps/step';

/** A step's work on a batch at which a worker has died. */
interface Narrow {
    readonly step: Step;
    readonly body: StepFn;
    readonly batch: Batch;
    readonly visit: Visit;
    readonly at: LoadKey;
    readonly fatal: readonly number[];
}

/**
 * Finds the records that kill workers (ADR 59). Once a worker has died, the next one tells what it is at before each step's work on a batch, one batch
 * after another. Where that one dies as well, the records of the batch come to the step one by one; the one that a third worker dies at is rejected.
 */
export class PoisonWatch {
    private suspects: readonly Suspect[] = [];

    constructor(private readonly store: PoisonStore | undefined) {}

    /** Whether one batch goes at a time, and each step of it is told before. */
    get isCareful(): boolean {
        return this.store?.isCareful === true;
    }

    /** Counts what the last worker has died at. Before the first batch. */
    async begin(): Promise<void> {
        if (!this.store) return;
        const { inHand, suspects } = await this.store.read();
        this.suspects = suspects;
        if (!inHand) return;
        // One that has given the run back has not died of what it was at last.
        const isNews = this.store.isTakeover && this.count(inHand);
        await this.store.write({ suspects: this.suspects }, isNews);
    }

    /** The step's work, told before it begins. What holds records does nothing with them. */
    around(step: Step, body: StepFn): StepFn {
        if (!this.store || step.holds) return body;
        return async (batch, visit) => {
            const { sourceKey, batchNo, number } = visit;
            const at = { stepKey: step.key, sourceKey, batchNo, visit: number };
            const suspect = this.suspectAt(at);
            if (suspect) return this.narrowed({ step, body, batch, visit, at, fatal: suspect.fatal });
            await this.tell(at);
            return body(batch, visit);
        };
    }

    /** Answers whether it is known better than before what workers die of. */
    private count({ record, ...at }: WorkInHand): boolean {
        const known = this.suspectAt(at) ?? { ...at, deaths: 0, fatal: [] };
        const counted: Suspect =
            record === undefined
                ? { ...known, deaths: known.deaths + 1 }
                : { ...known, fatal: [...known.fatal, record] };
        this.suspects = [...this.suspects.filter(one => !isSame(one, at)), counted];
        return record !== undefined || counted.deaths === 1;
    }

    private suspectAt(at: LoadKey): Suspect | undefined {
        return this.suspects.find(one => isSame(one, at));
    }

    private async tell(inHand: WorkInHand): Promise<void> {
        const notes: PoisonNotes = { inHand, suspects: this.suspects };
        if (this.isCareful) await this.store!.write(notes, false);
    }

    /**
     * The fatal records are rejected. The others come one by one first, each told before: what a step writes of them stays, and its marker says so to
     * the batch that comes behind them; what a step only answers is asked again for all of them together, since it may depend on that.
     */
    private async narrowed({ step, body, batch, visit, at, fatal }: Narrow): Promise<StepResult> {
        const taken = batch.filter((_, i) => fatal.includes(i));
        const rest = batch.flatMap((record, i) => (fatal.includes(i) ? [] : [{ record, i }]));
        const records = rest.map(({ record }) => record);
        const within: Visit = { ...visit, earlier: [...visit.earlier, taken], whole: batch };
        const stored: Reject[] = [];
        for (const [place, { record, i }] of rest.entries()) {
            if (!this.isCareful) break;
            await this.tell({ ...at, record: i });
            const isAnswerOnly = step.touches === 'nothing';
            const result = await body(isAnswerOnly ? [record] : records.slice(0, place + 1), within);
            if (!isAnswerOnly) stored.push(...(result.stored ?? []));
        }
        await this.tell(at);
        const none: StepResult = { out: [], counts: {}, rejects: [], failed: [] };
        const result = records.length > 0 ? await body(records, within) : none;
        const refuse = rejecter(step.key, taken, visit);
        const rejects = taken.map((_, i) => refuse(i, flowError('RECORD_FATAL', { stepKey: step.key })));
        if (result.abort) return result;
        return {
            ...result,
            counts: { ...result.counts, rejected: (result.counts.rejected ?? 0) + rejects.length },
            rejects: [...result.rejects, ...rejects],
            failed: [...result.failed, ...taken.map(({ origin }) => origin)],
            stored: [...stored, ...(result.stored ?? [])],
        };
    }
}

function isSame(a: LoadKey, b: LoadKey): boolean {
    return a.stepKey === b.stepKey && a.sourceKey === b.sourceKey && a.batchNo === b.batchNo && a.visit === b.visit;
}
