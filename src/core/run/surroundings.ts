import type { AdapterContext, LogLevel, StepLog } from '../adapter/context';
import { noNetwork } from '../adapter/http';
import { HookCalls } from '../steps/hooks';
import type { CompiledPipeline } from './compile';
import type { Pace } from './pace';
import type { RunPorts } from './ports';

/** What an execution has for what it calls. */
export interface ExecutionParts {
    readonly journal: RunPorts['journal'];
    readonly pace: Pace;
    readonly signal: AbortSignal;
}

/** What the adapters and hooks of one execution are handed: log, clock, network, connections, secrets. */
export class Surroundings {
    private readonly endings: Array<() => void> = [];

    constructor(
        private readonly compiled: CompiledPipeline,
        private readonly parts: ExecutionParts,
    ) {}

    adapter(stepKey: string): AdapterContext {
        const { input, kit } = this.compiled;
        const { clock, platform, resources, http = noNetwork } = kit;
        const { signal } = this.parts;
        return { stepKey, mode: input.mode, signal, log: this.log(stepKey), clock, platform, http, ...resources };
    }

    /** The hooks of the pipeline; they end with this signal. */
    hooks(signal: AbortSignal): HookCalls {
        const { hooks, input, kit } = this.compiled;
        const { runId, pipelineCode, mode } = input;
        const { resources, http = noNetwork } = kit;
        return new HookCalls(hooks, {
            outside: { ...resources, http },
            run: { runId, pipelineCode, mode },
            clock: kit.clock,
            pace: this.parts.pace,
            signal,
            log: stepKey => this.log(stepKey),
        });
    }

    /** What is said of the run as a whole. */
    readonly atEnd = (tell: () => void): void => void this.endings.push(tell);

    /** The run has ended. */
    ended(): void {
        for (const tell of this.endings.splice(0)) tell();
    }

    log(stepKey: string | undefined): StepLog {
        const at =
            (level: LogLevel): StepLog['info'] =>
            (message, facts) =>
                this.parts.journal.emit({ type: 'log', level, stepKey, message, ...(facts && { facts }) });
        return { debug: at('DEBUG'), info: at('INFO'), warn: at('WARN'), error: at('ERROR') };
    }
}
