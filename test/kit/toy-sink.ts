import { z } from 'zod';
import type { Outcome } from '../../src/core/adapter/loader';
import { defineSink, type Sink, type SinkSession, type SinkRunContext } from '../../src/core/adapter/sink';
import { flowError } from '../../src/core/errors/flow-error';
import { recordInvalid } from '../../src/core/errors/record-invalid';
import type { JsonObject } from '../../src/core/value/json';

/** One call of a sink: the records to deliver, or the identities to remove. */
export interface ToyCall {
    readonly step: string;
    readonly did: 'deliver' | 'remove';
    /** `id` of each record, or the identities. */
    readonly of: readonly unknown[];
    readonly ids: readonly string[];
}

/** A target for tests: it rejects records with `refused`, does not know those with `late` the first time, and records all calls. */
export class ToyTarget {
    readonly calls: ToyCall[] = [];
    /** Finished steps, in order. */
    readonly finished: string[] = [];
    /** The records as they arrived. */
    readonly records: JsonObject[] = [];
    underWay = 0;
    mostUnderWay = 0;
    private readonly seen = new Set<string>();

    constructor(
        private readonly at: (point: string) => Promise<void> = async () => undefined,
        private readonly more: Partial<SinkSession> = {},
    ) {}

    /** The sink that delivers to this target. */
    get sink(): Sink {
        return defineSink({
            code: 'toySink',
            title: 'Toy sink',
            summary: 'Delivers to a toy.',
            config: z.strictObject({
                batchSize: z.number().optional(),
                defaultOperation: z.enum(['UPSERT', 'DELETE']).optional(),
            }),
            open: async ({ batchSize, defaultOperation }, cx) => ({
                ...(batchSize !== undefined && { batchSize }),
                ...(defaultOperation && { defaultOperation }),
                ...this.session(cx),
                ...this.more,
            }),
        });
    }

    /** All delivered records, in order. */
    get delivered(): readonly unknown[] {
        return this.calls.filter(({ did }) => did === 'deliver').flatMap(({ of }) => of);
    }

    private session({ stepKey: step }: SinkRunContext): SinkSession {
        return {
            check(data) {
                if (data['bad'] === true) throw recordInvalid('bad', 'it is bad');
            },
            deliver: (batch, ids) =>
                this.during(async () => {
                    this.calls.push({ step, did: 'deliver', of: batch.map(({ data }) => data['id']), ids });
                    this.records.push(...batch.map(({ data }) => data));
                    await this.at(`deliver ${step}`);
                    return batch.map(({ data }, i) => this.outcomeOf(data, ids[i]!));
                }),
            remove: (identities, ids) =>
                this.during(async () => {
                    this.calls.push({ step, did: 'remove', of: identities, ids });
                    await this.at(`remove ${step}`);
                    return identities.map((): Outcome => ({ ok: true }));
                }),
            finish: async () => {
                await this.at(`finish ${step}`);
                this.finished.push(step);
            },
        };
    }

    private outcomeOf(data: JsonObject, id: string): Outcome {
        if (data['refused'] === true) return { ok: false, error: recordInvalid('refused', 'they do not want it') };
        if (data['late'] !== true || this.seen.has(id)) return { ok: true };
        this.seen.add(id);
        return { ok: false, error: flowError('REMOTE_BUSY', { host: 'toy', problem: 'is busy', attempts: 1 }) };
    }

    private async during<T>(work: () => Promise<T>): Promise<T> {
        this.underWay++;
        this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
        try {
            return await work();
        } finally {
            this.underWay--;
        }
    }
}
