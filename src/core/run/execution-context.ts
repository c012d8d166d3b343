import type { AdapterContext, LogLevel, StepLog } from '../adapter/context';
import { noNetwork } from '../adapter/outbound';
import type { CompiledHooks } from '../hooks/compile-hooks';
import { HookCalls } from '../hooks/hooks';
import { noPipelines } from '../hooks/pipeline-starts';
import { LOG_EVENT, type EventLog } from '../adapter/log-event';
import type { CompiledPipeline, CompileKit, RunInput } from './compile';
import type { EventLoopYield } from '../concurrency/event-loop-yield';
import type { Journal } from '../ports/ports';

/** The services of an execution for its adapters. */
export interface ExecutionDeps {
    readonly journal: Journal;
    readonly pace: EventLoopYield;
    readonly signal: AbortSignal;
}

/** What of a run its hooks need; a compiled pipeline has it. */
export interface RunWithHooks {
    readonly hooks: CompiledHooks;
    readonly input: Pick<RunInput, 'runId' | 'pipelineCode' | 'mode' | 'returning'>;
    readonly kit: Pick<CompileKit, 'clock' | 'resources' | 'outbound' | 'pipelines'>;
}

/** The hooks of a run, ready to be called. */
export function hookCallsOf({ hooks, input, kit }: RunWithHooks, { journal, pace, signal }: ExecutionDeps): HookCalls {
    const { runId, pipelineCode, mode, returning } = input;
    const { resources, outbound = noNetwork, pipelines = noPipelines, clock } = kit;
    return new HookCalls(hooks, {
        outside: { ...resources, outbound, pipelines },
        run: { runId, pipelineCode, mode },
        returning,
        clock,
        pace,
        signal,
        log: stepKey => logOf(journal, stepKey),
    });
}

/** The log of a step, or of the run itself. */
export function logOf(journal: Pick<Journal, 'emit'>, stepKey: string | undefined): EventLog {
    const at =
        (level: LogLevel): StepLog['info'] =>
        (message, facts) =>
            journal.emit({ type: 'log', level, stepKey, message, ...(facts && { facts }) });
    return {
        debug: at('DEBUG'),
        info: at('INFO'),
        warn: at('WARN'),
        error: at('ERROR'),
        [LOG_EVENT]: (level, { event: code, message, facts }) =>
            journal.emit({ type: 'log', level, stepKey, message, code, facts }),
    };
}

/** The dependencies of one execution's adapters: log, clock, network, connections, secrets. */
export class ExecutionContext {
    private readonly endings: Array<() => void> = [];

    constructor(
        private readonly compiled: CompiledPipeline,
        private readonly deps: ExecutionDeps,
    ) {}

    adapter(stepKey: string): AdapterContext {
        const { input, kit } = this.compiled;
        const { clock, platform, resources, outbound = noNetwork, languages } = kit;
        const { signal } = this.deps;
        const log = this.log(stepKey);
        return { stepKey, mode: input.mode, signal, log, clock, platform, outbound, languages, ...resources };
    }

    /** What is said of the run as a whole. */
    readonly atEnd = (tell: () => void): void => void this.endings.push(tell);

    /** The run has ended. */
    ended(): void {
        for (const tell of this.endings.splice(0)) tell();
    }

    log(stepKey: string | undefined): StepLog {
        return logOf(this.deps.journal, stepKey);
    }
}
