import { byName, own } from '../core/data/own-properties';
import type { PipelineDefinition } from '../core/pipeline/definition';
import type { SourceOffset, RunPorts } from '../core/ports/ports';
import { addCounters, type Counters } from '../core/progress/counters';
import type { Pause } from '../core/run/spooled-batches';
import type { JsonObject } from '../core/value/json';
import { show } from '../core/value/show';
import { testInputInvalid } from './provided-issues';
import { MemorySpool } from './memory-spool';

const VERDICTS = { APPROVE: 'APPROVED', REJECT: 'REJECTED' } as const;

/** What a person would say of the records that a gate holds. */
export type TestGateAnswer = keyof typeof VERDICTS;

/** By the keys of GATE steps. */
export type TestGateAnswers = Readonly<Record<string, TestGateAnswer>>;

/** What was decided about the records that a gate held. */
export interface TestGateDecision {
    readonly stepKey: string;
    readonly verdict: 'APPROVED' | 'REJECTED';
    /** PERSON: what `gates` says. THRESHOLD: the gate itself, since few enough records were rejected. */
    readonly decider: 'PERSON' | 'THRESHOLD';
    readonly records: readonly JsonObject[];
}

/** Throws if a decision is invalid, or if its step is not a gate. */
export function assertGateAnswers(answers: TestGateAnswers, { steps }: PipelineDefinition): void {
    const gates = steps.filter(({ kind }) => kind === 'GATE').map(({ key }) => key);
    for (const [key, answer] of Object.entries(answers)) {
        if (!gates.includes(key))
            throw testInputInvalid(
                `gates has an answer for "${key}", which is not a GATE step of the pipeline; it has ${gates.join(', ') || 'none'}`,
            );
        if (!Object.hasOwn(VERDICTS, answer))
            throw testInputInvalid(`gates.${key} is ${show(answer)}; allowed: ${Object.keys(VERDICTS).join(', ')}`);
    }
}

/**
 * The parts of a run that outlive its pauses: the positions of its sources, its counters, and the records in its gates. The executor starts again
 * from them when a gate releases records, as another worker does.
 */
export class GatedRun {
    readonly decisions: TestGateDecision[] = [];
    private readonly spool = new MemorySpool();
    private readonly positions = byName<SourceOffset>();
    private counters: Counters = {};

    constructor(private readonly answers: TestGateAnswers) {}

    /** The ports of a run that stores nothing, except what it keeps from one part to the next. */
    ports(ports: RunPorts): RunPorts {
        const { positions } = ports;
        return {
            ...ports,
            spool: this.spool.store,
            positions: {
                ...positions,
                load: async () => ({
                    positions: { ...this.positions },
                    counters: this.counters,
                    rejectedBefore: 0,
                }),
                commit: async commit => {
                    await positions.commit(commit);
                    this.positions[commit.sourceKey] = commit.position;
                    this.counters = addCounters(this.counters, commit.counters);
                    for (const batch of commit.held) this.spool.hold(batch);
                },
                restoreCheckpoint: async source => {
                    const position = own(this.positions, source.stepKey);
                    return position
                        ? { position, isLeft: false, rejectedBefore: 0 }
                        : positions.restoreCheckpoint(source);
                },
            },
        };
    }

    /** The records that wait at each gate. */
    get held(): Readonly<Record<string, readonly JsonObject[]>> {
        return Object.fromEntries(this.spool.records());
    }

    /** The decision for a paused run; undefined if the test has none. A gate that opens automatically needs no decision. */
    decide({ stepKey, opening }: Pause): TestGateDecision['verdict'] | undefined {
        const decider = opening?.by === 'THRESHOLD' ? 'THRESHOLD' : 'PERSON';
        const answer = decider === 'THRESHOLD' ? 'APPROVE' : own(this.answers, stepKey);
        if (answer === undefined) return undefined;
        const outcome = VERDICTS[answer];
        this.decisions.push({ stepKey, verdict: outcome, decider, records: this.spool.records().get(stepKey) ?? [] });
        if (outcome === 'APPROVED') this.spool.release(stepKey);
        return outcome;
    }
}
