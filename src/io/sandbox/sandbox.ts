import type {
    ScriptBatchRequest,
    BatchReport,
    ScriptEachRequest,
    EachReport,
    InlineScripts,
    ScriptLine,
} from '../../core/adapter/inline-script';
import type { JsonObject } from '../../core/value/json';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import { SCRIPT_PARAMETERS } from '../../core/schema/script-scope';
import {
    Garbled,
    scriptProblemOf,
    readBatch,
    readLines,
    type ReadLines,
    readResult,
    scriptYield,
} from './script-result-lines';
import { ScriptResultLimit } from './script-result-limit';
import { awaits, syntaxProblem } from './function-body';
import { batchText, JobTexts, recordTooLarge } from './job-texts';
import { ScriptProcesses } from './script-processes';
import type { ScriptJobEnd, ScriptJob, ScriptJobReport } from './script-process';

/** After how long a process that calls a script record by record takes the next order in between. */
const SLICE_MS = 50;
const MAX_CALLS = 1000;
const CHUNK_CHARS = 1024 * 1024;
const MAX_LINES = 20;

/** What became of a piece of work. */
interface Done extends ReadLines {
    readonly end: End;
    /** What it is where reading it threw Garbled; the process that it came from is ended. Throws any other error again. */
    refuse(error: unknown): 'garbled';
}

/** `garbled`: the process sent something that no guest sends. */
type End = ScriptJobEnd | 'garbled';

type Limits = Pick<ScriptJob, 'calls' | 'timeoutMs' | 'sliceMs'>;

/**
 * Runs code that users write in QuickJS, in processes without any rights
 * (docs/adr/0006-user-code-in-child-processes.md). Records are exchanged as JSON text; a script can reach no object
 * of this process. Orders of different runs take turns.
 */
export class Sandbox implements InlineScripts {
    readonly syntaxProblem = syntaxProblem;

    constructor(private readonly pool = new ScriptProcesses({ node: process.execPath })) {}

    /** Ends the idle processes; a later caller gets a new one. */
    rest(): void {
        this.pool.rest();
    }

    async each(request: ScriptEachRequest): Promise<EachReport> {
        const work = new EachWork(request, (records, limits) => this.perform(request, records, limits));
        return work.run();
    }

    async batch(request: ScriptBatchRequest): Promise<BatchReport> {
        const records = await batchText(request.records);
        if (typeof records !== 'string') return { answer: records, lines: [], unsaid: 0 };
        const limits = { calls: 1, timeoutMs: request.timeoutMs, sliceMs: 0 };
        const attempt = (): Promise<Done> =>
            this.perform({ ...request, isBatch: true }, `{"records":[${records}]}`, limits);
        const first = await attempt();
        // It may not have been an error of the script: processes may also be ended externally.
        const done = first.end === 'crashed' ? await attempt() : first;
        const { results, end, lines, unsaid } = done;
        let answer: BatchReport['answer'] = failureOf(end, request.timeoutMs) ?? tooMuch(request, records, results);
        try {
            answer ??= await readBatch(results, request.records.length);
        } catch (error) {
            answer = failureOf(done.refuse(error), request.timeoutMs);
        }
        return { answer, lines, unsaid };
    }

    private async perform(order: Common, records: string, limits: Limits): Promise<Done> {
        const { code, context, signal, isBatch = false, isRead = true } = order;
        const parameters = SCRIPT_PARAMETERS[isBatch ? 'batch' : 'record'];
        const script = JSON.stringify({
            isBatch,
            isRead,
            isAsync: awaits(code, parameters),
            parameters,
            code,
            context,
        });
        const { report, kill } = await this.pool.with(signal, async own => ({
            report: await own.perform({ script, records, maxChars: CHUNK_CHARS * 4, ...limits }, signal),
            kill: () => own.kill(),
        }));
        if (signal.aborted) throw signal.reason;
        const refuse = (error: unknown): 'garbled' => {
            if (!(error instanceof Garbled)) throw error;
            kill();
            return 'garbled';
        };
        try {
            if (report.end === 'invalid') throw invalid(report);
            return { end: report.end, refuse, ...readLines(report, { calls: limits.calls, isBatch }) };
        } catch (error) {
            return { end: refuse(error), refuse, results: [], lines: [], unsaid: 0 };
        }
    }
}

type Common = Pick<ScriptEachRequest, 'code' | 'context' | 'signal'> & {
    readonly isBatch?: boolean;
    readonly isRead?: boolean;
};

/**
 * Calls a script for one record after another: as many as fit into a slice of time, and one by one if one of them
 * breaks the engine.
 */
class EachWork {
    private readonly results: Array<JsonObject | FlowError> = [];
    private readonly lines: ScriptLine[] = [];
    private unsaid = 0;
    private size = MAX_CALLS;
    /** Up to this record, each is called alone. */
    private aloneUntil = 0;
    private readonly texts: JobTexts;
    private readonly limit: ScriptResultLimit;
    /** Why no more results of the script are accepted. */
    private full: FlowError | undefined;

    constructor(
        private readonly request: ScriptEachRequest,
        private readonly perform: (records: string, limits: Limits) => Promise<Done>,
    ) {
        this.texts = new JobTexts(request.records);
        this.limit = new ScriptResultLimit(request.limits);
    }

    async run(): Promise<EachReport> {
        while (this.results.length < this.texts.count) {
            if (this.full) this.results.push(this.full);
            else await this.step();
        }
        return { results: this.results, lines: this.lines, unsaid: this.unsaid };
    }

    private async step(): Promise<void> {
        const at = this.results.length;
        const { timeoutMs } = this.request;
        const records = at < this.aloneUntil ? 1 : this.size;
        const calls = await this.texts.fill(at, { records, chars: CHUNK_CHARS });
        if (calls === undefined) {
            this.results.push(recordTooLarge());
            return;
        }
        const sliceMs = calls === 1 ? 0 : SLICE_MS;
        const done = await this.perform(this.chunk(at, calls), { calls, timeoutMs, sliceMs });
        const { results, lines, unsaid } = done;
        let { end } = done;
        const kept = lines.slice(0, MAX_LINES - this.lines.length);
        this.lines.push(...kept);
        this.unsaid += unsaid + lines.length - kept.length;
        try {
            await this.take(results);
        } catch (error) {
            end = done.refuse(error);
        }
        this.texts.drop(this.results.length);
        const failure = failureOf(end, timeoutMs);
        if (!failure) {
            // Only a few more than were called this time: the others would be sent for nothing.
            this.size = Math.min(MAX_CALLS, Math.max(2, results.length * 2));
        } else if (calls > 1 && isAnyones(end)) {
            this.aloneUntil = at + calls;
        } else if (this.results.length < this.texts.count) {
            this.results.push(failure);
        }
    }

    private async take(results: readonly string[]): Promise<void> {
        const turns = scriptYield();
        for (const line of results) {
            await turns.turnIfDue();
            this.results.push(this.taken(line));
        }
    }

    private chunk(at: number, calls: number): string {
        const indexes = this.request.indexes.slice(at, at + calls);
        return `{"indexes":[${indexes.join(',')}],"records":[${this.texts.slice(at, calls).join(',')}]}`;
    }

    /** Checked before it is parsed, since parsing takes the memory. */
    private taken(line: string): JsonObject | FlowError {
        this.full ??= this.limit.take(line, this.texts.slice(this.results.length, 1)[0]!);
        return this.full ?? readResult(line);
    }
}

/** Whether it is unknown which of the calls after the last result caused this end. */
function isAnyones(end: End): boolean {
    return end === 'lost' || end === 'killed' || end === 'crashed' || end === 'garbled';
}

function failureOf(end: End, timeoutMs: number): FlowError | undefined {
    switch (end) {
        case 'late':
        case 'killed':
            return flowError('SCRIPT_TIMEOUT', { timeoutMs });
        case 'pending':
            return flowError('SCRIPT_FAILED', { problem: 'it answered a promise that is never settled' });
        case 'spoiled':
        case 'lost':
            return flowError('SCRIPT_FAILED', {
                problem: 'it used up the engine; scripts have 128 MiB of memory and 256 KiB of stack',
            });
        case 'crashed':
            return flowError('SCRIPT_FAILED', { problem: 'the process that it ran in ended' });
        case 'garbled':
            return flowError('SCRIPT_FAILED', {
                problem: 'the process that it ran in returned something that is not a record',
            });
        default:
            return undefined;
    }
}

function invalid({ lines }: ScriptJobReport): FlowError {
    return flowError('SCRIPT_INVALID', {
        problem: lines[0] === undefined ? 'it does not compile' : scriptProblemOf(lines[0]),
    });
}

/** Why the result of a batch is not accepted; undefined if it fits. */
function tooMuch({ limits }: ScriptBatchRequest, records: string, results: readonly string[]): FlowError | undefined {
    const bound = new ScriptResultLimit(limits);
    let full = bound.take('', records);
    for (const line of results) full ??= bound.take(line);
    return full;
}

/** The one of this process: its processes are for all runs. */
export const sandbox = new Sandbox();
