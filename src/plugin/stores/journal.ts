import type { LogLevel } from '../../core/adapter/context';
import { logText } from '../../core/log/log-text';
import { eventLine } from '../../core/adapter/log-event';
import type { StatementProgram } from '../../core/adapter/loader';
import { isFlowError } from '../../core/errors/flow-error';
import type { Counters } from '../../core/progress/counters';
import type { Journal, JournalEvent } from '../../core/ports/ports';
import { send, sql } from '../../database/statement';
import { differenceOf, type DryRunReport, type PlannedChange, PlannedChanges } from './dry-run-report';
import { checkFence } from './fence';
import { insertFlowRows, storable, storableFacts, storableMessage, ifNotExists } from './insert';
import { type LogLine, Sampler } from './sampler';
import { type RunIdentity, type StoreEnv, targetOf } from './store-env';

interface JournalOptions {
    /** The least level that is kept. */
    readonly level: LogLevel;
    /** False leaves out the line that each step gets when the run ends. */
    readonly logSteps: boolean;
}

type Waiting = LogLine & { readonly createdAt: Date };

const LEVELS: readonly LogLevel[] = ['DEBUG', 'INFO', 'WARN', 'ERROR'];
const FLUSH_MS = 1_000;
const FLUSH_LINES = 500;
/** The maximum number of waiting lines while the database is slow or unavailable. */
const MAX_WAITING = 5_000;

/**
 * The journal of a run: log lines in bulk, at most every second or every 500, and the differences of a dry run. Lines are not fenced:
 * a worker that has lost its run may still say so.
 */
export class RunJournal implements Journal {
    private waiting: Waiting[] = [];
    /** A load of a dry run stores them before it continues, so there are never many. */
    private changes: PlannedChange[] = [];
    private leftOut = 0;
    private timer: NodeJS.Timeout | undefined;
    private writing: Promise<void> = Promise.resolve();
    private readonly sampler = new Sampler();
    private readonly planned = new PlannedChanges();

    constructor(
        private readonly env: StoreEnv,
        private readonly identity: RunIdentity,
        private readonly options: JournalOptions,
    ) {}

    emit(event: JournalEvent): void {
        switch (event.type) {
            case 'change.planned':
                this.planned.add(event);
                this.changes.push(event);
                return;
            case 'step.finished':
                if (this.options.logSteps) {
                    const facts = { ...event.counters, ms: Math.round(event.ms) };
                    this.keep({ ...eventLine(logText('STEP_FINISHED', facts)), stepKey: event.stepKey });
                }
                return;
            case 'log': {
                const line = this.sampler.take(event);
                if (line) this.keep(line);
            }
        }
    }

    /** Stores the emitted lines. Throws if the database rejects them, and keeps them for the next attempt. */
    flush(): Promise<void> {
        clearTimeout(this.timer);
        this.timer = undefined;
        this.writing = this.writing.catch(() => undefined).then(() => this.write());
        return this.writing;
    }

    /** The last flush; with it what the sample left out is summed up. */
    async close(): Promise<void> {
        for (const line of this.sampler.rest()) this.keep(line);
        await this.flush();
        clearTimeout(this.timer);
    }

    /** What a dry run has found at its load steps; its numbers are those that were counted. */
    report(counters: Counters, loads: readonly string[]): DryRunReport {
        return this.planned.report(counters, loads);
    }

    private keep(line: LogLine): void {
        if (LEVELS.indexOf(line.level) < LEVELS.indexOf(this.options.level)) return;
        if (this.waiting.length >= MAX_WAITING) this.makeRoom();
        this.waiting.push({ ...line, createdAt: new Date() });
        if (this.waiting.length % FLUSH_LINES === 0) this.flushSoon(0);
        else this.flushSoon(FLUSH_MS);
    }

    /** The least important lines go, all of a level at once; of errors the older half. */
    private makeRoom(): void {
        const before = this.waiting.length;
        const least = LEVELS.find(level => this.waiting.some(line => line.level === level));
        this.waiting =
            least === 'ERROR' ? this.waiting.slice(before >>> 1) : this.waiting.filter(({ level }) => level !== least);
        this.leftOut += before - this.waiting.length;
    }

    private flushSoon(ms: number): void {
        if (this.timer && ms > 0) return;
        clearTimeout(this.timer);
        // What fails here keeps waiting and is tried again with the next flush, whose caller gets the error.
        this.timer = setTimeout(() => void this.flush().catch(() => this.flushSoon(FLUSH_MS)), ms).unref();
    }

    /** Each part is stored separately: a failure of the next one does not affect it. */
    private async write(): Promise<void> {
        await this.writeLines();
        try {
            await this.writeChanges();
            await this.writeReport();
        } catch (error) {
            // The worker that now has the run computes its changes itself.
            if (isFlowError(error) && error.code === 'LEASE_LOST') {
                this.changes = [];
                this.planned.isNew = false;
            }
            throw error;
        }
    }

    private async writeLines(): Promise<void> {
        const { waiting: lines, leftOut } = this;
        if (lines.length === 0) return;
        this.waiting = [];
        this.leftOut = 0;
        try {
            await this.env.database.run(() => this.store(lines, leftOut));
        } catch (error) {
            this.waiting = [...lines, ...this.waiting];
            this.leftOut += leftOut;
            if (this.waiting.length > MAX_WAITING) this.makeRoom();
            throw error;
        }
    }

    private async writeChanges(): Promise<void> {
        const { changes } = this;
        if (changes.length === 0) return;
        this.changes = [];
        try {
            await this.env.database.transaction(() => this.storeChanges(changes));
        } catch (error) {
            this.changes = [...changes, ...this.changes];
            throw error;
        }
    }

    private async writeReport(): Promise<void> {
        if (!this.planned.isNew) return;
        this.planned.isNew = false;
        try {
            await this.env.database.run(() => this.storeReport());
        } catch (error) {
            this.planned.isNew = true;
            throw error;
        }
    }

    private *store(lines: readonly Waiting[], leftOut: number): StatementProgram<void> {
        const { runId, channelId } = this.identity;
        const rows = lines.map(({ level, stepKey = null, message, facts = null, code = null, createdAt }) => ({
            runId,
            channelId,
            level,
            stepKey,
            message: storableMessage(message),
            facts: storableFacts(facts),
            code,
            createdAt,
        }));
        if (leftOut > 0) {
            const line = eventLine(logText('LINES_LOST', { count: leftOut }));
            rows.push({ runId, channelId, ...line, stepKey: null, createdAt: new Date() });
        }
        yield* insertFlowRows(targetOf(this.env, 'logs'), rows);
    }

    /** Fenced, in contrast to lines: a worker that has lost its run plans with outdated data. */
    private *storeChanges(changes: readonly PlannedChange[]): StatementProgram<void> {
        const { runId, channelId } = this.identity;
        yield* checkFence(this.env, this.identity);
        const rows = changes.flatMap(planned => {
            const difference = differenceOf(planned);
            return difference
                ? [{ runId, channelId, ...planned.at, ...difference, key: storable(difference.key) }]
                : [];
        });
        const target = targetOf(this.env, 'differences');
        const once = ['runId', 'stepKey', 'sourceKey', 'batchNo', 'visit', 'place'];
        if (rows.length > 0) yield* insertFlowRows(target, rows, ifNotExists(target, once));
    }

    private *storeReport(): StatementProgram<void> {
        const { runs } = this.env.tables;
        const { runId, token } = this.identity;
        const report = runs.toColumn('report', this.planned.soFar());
        yield* send(sql`
            UPDATE ${runs.name} SET ${runs.column('report')} = ${report}
            WHERE ${runs.column('id')} = ${runId} AND ${runs.column('leaseToken')} = ${token}`);
    }
}
