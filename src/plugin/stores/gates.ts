import { randomUUID } from 'node:crypto';
import type { StatementProgram } from '../../core/adapter/loader';
import type { RunStatus } from '../../core/progress/state';
import { EMPTY, type Sql, name, raw, select, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import type { GateDecider, GateVerdict } from '../entities/gate-decision';
import { nowTimestamp, nowMs } from './database-clock';
import { insertFlowRows } from './insert';
import { AT_NO_GATE, changeRun } from './run-changes';
import { closeRun } from './run-transitions';
import { gateEvent, runEventRow } from './run-events';
import { spooledCountOf, releaseSpooled } from './spool';
import { type StoreEnv, targetOf } from './store-env';

/** A gate of a run. */
export interface GateOfRun {
    readonly runId: Id;
    readonly stepKey: string;
}

/** A decision about the gate. */
interface GateDecisionValues extends GateOfRun {
    readonly decider: GateDecider;
    /** Undefined if no user has decided. */
    readonly actorId?: Id | null;
    readonly comment?: string | null;
}

/** A gate whose time is over, in the hands of this process. */
export interface TimedOutGate extends GateOfRun {
    readonly leaseToken: string;
}

/** The state of a run, and the decision about one of its gates. */
export interface GateState {
    readonly status: RunStatus;
    /** The gate at which it waits now. */
    readonly gateStepKey: string | null;
    readonly decision:
        { readonly verdict: GateVerdict; readonly decider: GateDecider; readonly actorId: Id | null } | undefined;
}

/**
 * Decides about gates (ADR 8). One transaction contains the decision, the move of the run and the change of the held records. It finds the run only
 * while that waits at this gate, so the first of several simultaneous decisions wins.
 */
export class RunGates {
    constructor(
        private readonly env: StoreEnv,
        private readonly leaseMs: number,
    ) {}

    /**
     * Releases the records of the gate: the run is PENDING. Returns whether it waited there; with a lease, also whether the lease is still valid.
     */
    approve(answer: GateDecisionValues & { readonly leaseToken?: string }): Promise<boolean> {
        return this.env.database.transaction(() => this.approving(answer), { brief: true });
    }

    /**
     * Discards the records of the gate: the run is CANCELLED, and its sources return to the positions before the run. Returns whether it waited
     * there.
     */
    reject(values: GateDecisionValues): Promise<boolean> {
        return this.env.database.transaction(() => this.rejecting(values), { brief: true });
    }

    /** Gates whose time is over and that no other process handles. This process holds them for the time of a lease. */
    async takeTimedOut(limit: number): Promise<readonly TimedOutGate[]> {
        const { database } = this.env;
        const due = await database.run(() => this.due(limit));
        const taken: TimedOutGate[] = [];
        for (const gate of due) {
            const leaseToken = randomUUID();
            if (await database.run(() => this.taking({ ...gate, leaseToken }))) taken.push({ ...gate, leaseToken });
        }
        return taken;
    }

    /** Undefined if there is no such run. */
    state({ runId, stepKey }: GateOfRun): Promise<GateState | undefined> {
        return this.env.database.run(() => this.reading(runId, stepKey));
    }

    private *approving({
        leaseToken,
        ...answer
    }: GateDecisionValues & { readonly leaseToken?: string }): StatementProgram<boolean> {
        const { runId, stepKey } = answer;
        const { runs } = this.env.tables;
        const isMine =
            leaseToken === undefined ? EMPTY : sql` AND ${runs.column('gateTimeoutLeaseToken')} = ${leaseToken}`;
        const and = sql`${this.waitsAt(stepKey)}${isMine}`;
        if (!(yield* changeRun(this.env, { runId, from: 'PAUSED', to: 'PENDING', set: AT_NO_GATE, and }))) return false;
        yield* recordDecision(this.env, { ...answer, verdict: 'APPROVED' });
        const event = runEventRow(this.env, runId, gateEvent('APPROVED', answer));
        yield* insertFlowRows(targetOf(this.env, 'effects'), [event]);
        yield* releaseSpooled(this.env, runId, stepKey);
        return true;
    }

    private *rejecting(values: GateDecisionValues): StatementProgram<boolean> {
        const { runId, stepKey } = values;
        const { runs } = this.env.tables;
        const [run] = yield* select<{ pipelineId: Id }>(sql`
            SELECT ${runs.column('pipelineId')} AS ${name('pipelineId')} FROM ${runs.name} WHERE ${runs.column('id')} = ${runId}`);
        if (!run) return false;
        const records = yield* spooledCountOf(this.env, runId, stepKey);
        const change = { from: 'PAUSED', to: 'CANCELLED', set: {}, and: this.waitsAt(stepKey) } as const;
        const event = gateEvent('REJECTED', values);
        if (!(yield* closeRun(this.env, { runId, pipelineId: run.pipelineId, change, event }))) return false;
        yield* recordDecision(this.env, { ...values, verdict: 'REJECTED' }, records);
        return true;
    }

    private *due(limit: number): StatementProgram<readonly GateOfRun[]> {
        const { runs } = this.env.tables;
        return yield* select<{ runId: Id; stepKey: string }>(sql`
            SELECT ${runs.column('id')} AS ${name('runId')}, ${runs.column('gateStepKey')} AS ${name('stepKey')} FROM ${runs.name}
            WHERE ${runs.column('status')} = ${'PAUSED'} AND ${this.isTimedOut()}
            ORDER BY ${runs.column('gateTimeoutAt')} LIMIT ${limit}`);
    }

    private *taking({ runId, stepKey, leaseToken }: TimedOutGate): StatementProgram<boolean> {
        const set = {
            gateTimeoutLeaseToken: leaseToken,
            gateTimeoutLeaseExpiresAt: sql`${nowMs(this.env.database.dialect)} + ${raw(String(this.leaseMs))}`,
        };
        const and = sql`${this.waitsAt(stepKey)} AND ${this.isTimedOut()}`;
        return yield* changeRun(this.env, { runId, from: 'PAUSED', to: 'PAUSED', set, and });
    }

    private *reading(runId: Id, stepKey: string): StatementProgram<GateState | undefined> {
        const { runs, decisions } = this.env.tables;
        const of = (property: string): Sql => sql`d.${decisions.column(property)} AS ${name(property)}`;
        const [row] = yield* select<Record<string, unknown>>(sql`
            SELECT r.${runs.column('status')} AS ${name('status')}, r.${runs.column('gateStepKey')} AS ${name('gateStepKey')},
                ${of('verdict')}, ${of('decider')}, ${of('actorId')}
            FROM ${runs.name} r LEFT JOIN ${decisions.name} d
                ON d.${decisions.column('runId')} = r.${runs.column('id')} AND d.${decisions.column('stepKey')} = ${stepKey}
            WHERE r.${runs.column('id')} = ${runId}
            ORDER BY d.${decisions.column('createdAt')} DESC, d.${decisions.column('id')} DESC LIMIT 1`);
        if (!row) return undefined;
        const { status, gateStepKey, ...decision } = row;
        const isDecided = decision['verdict'] !== null;
        return { status, gateStepKey, decision: isDecided ? decision : undefined } as unknown as GateState;
    }

    private waitsAt(stepKey: string): Sql {
        return sql`${this.env.tables.runs.column('gateStepKey')} = ${stepKey}`;
    }

    /** And no process that is alive is at it. */
    private isTimedOut(): Sql {
        const { tables, database } = this.env;
        const { runs } = tables;
        return sql`${runs.column('gateTimeoutAt')} <= ${nowTimestamp(database.dialect)} AND (${runs.column('gateTimeoutLeaseToken')} IS NULL
            OR ${runs.column('gateTimeoutLeaseExpiresAt')} < ${nowMs(database.dialect)})`;
    }
}

/** Stores a decision with the number of records that wait at the gate. Part of the transaction that executes it. */
export function* recordDecision(
    env: StoreEnv,
    {
        runId,
        stepKey,
        decider,
        verdict: outcome,
        actorId = null,
        comment = null,
    }: GateDecisionValues & { readonly verdict: GateVerdict },
    given?: number,
): StatementProgram<void> {
    const records = given ?? (yield* spooledCountOf(env, runId, stepKey));
    yield* insertFlowRows(targetOf(env, 'decisions'), [
        { runId, stepKey, verdict: outcome, decider, actorId, comment, records },
    ]);
}
