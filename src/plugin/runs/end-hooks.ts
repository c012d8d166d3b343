import { Inject, Injectable } from '@nestjs/common';
import { type ID, Logger } from '@vendure/core';
import type { Resources } from '../../core/adapter/context';
import { noResources } from '../../core/adapter/no-resources';
import { Redactor } from '../../core/adapter/redactor';
import { systemClock } from '../../core/concurrency/clock';
import { type FlowError, asFlowError, isFlowError } from '../../core/errors/flow-error';
import type { ErrorCode } from '../../core/errors/catalogue';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import type { HookDefinition } from '../../core/pipeline/hook-definition';
import { EventLoopYield } from '../../core/concurrency/event-loop-yield';
import { type EndedRun, callEndHooks } from '../../core/run/run-hooks';
import { compileHook, type Hook } from '../../core/hooks/compile-hooks';
import { FlowPipelineRun } from '../entities/run';
import { redactedJournal } from './redacted-ports';
import { RunResources } from './run-resources';
import type { FlowSetup } from '../setup';
import type { RunJournal } from '../stores/journal';
import { FLOW_SETUP, LOG_CONTEXT } from '../tokens';
import { RunNotifications } from './run-notifications';
import { HookTriggeredRuns } from './hook-triggered-runs';
import { storedTotals } from './run-totals';

/**
 * Calls the hooks of a run that has ended or is paused, using only its stored data. It works for every end, even if no worker ever started the run.
 * If one hook cannot be called, for example because its connection was deleted, the log says so and the other hooks are called.
 */
@Injectable()
export class EndHooks {
    constructor(
        private readonly notifications: RunNotifications,
        private readonly resources: RunResources,
        private readonly hookStarts: HookTriggeredRuns,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /**
     * Calls the hooks of the run's end, or of a pause at a step, from which it may have resumed since. Throws if the database does not answer or
     * the process ends: the hooks must then be called again.
     */
    async notify(runId: ID, pausedAt?: string): Promise<void> {
        const run = await this.notifications
            .repository(FlowPipelineRun)
            .createQueryBuilder('run')
            .addSelect('run.definition')
            .where({ id: runId })
            .getOne();
        const ended = run && (pausedAt === undefined ? endedRun(run) : pausedRun(run, pausedAt));
        if (!ended) return;
        const definition = await this.notifications.definitionOf(run);
        const list = definition?.hooks?.[`RUN_${ended.status}`] ?? [];
        if (!definition || list.length === 0) return;
        await this.call(run, ended, { definition, list });
    }

    private async call(run: FlowPipelineRun, ended: EndedRun, { definition, list }: Called): Promise<void> {
        const { id, channelId, dryRun } = run;
        const redactor = new Redactor();
        // The hooks do not need the secrets of the steps, but must not reveal them either.
        for (const { message } of await this.resources.teach(channelId, definition, redactor))
            Logger.warn(
                `What the hooks of the end of run ${id} log is not searched for each secret: ${message}`,
                LOG_CONTEXT,
            );
        const stage = `RUN_${ended.status}` as const;
        const opened: Hook[] = [];
        for (const hook of list) {
            const theirs = { hooks: { [stage]: [hook] } };
            opened.push(await this.opened(hook, () => this.resources.resolve(channelId, theirs, redactor)));
        }
        const pipelineCode = await this.notifications.pipelineCodeOf(run);
        const journal = this.notifications.journalOf(run);
        const outbound = this.notifications.doorOf(run, definition, redactor);
        const hooked = {
            hooks: new Map([[stage, opened]]),
            input: { runId: String(id), pipelineCode, mode: dryRun ? 'dryRun' : 'live' },
            kit: { clock: systemClock, resources: noResources, outbound, pipelines: this.hookStarts.of(id) },
        } as const;
        const parts = { pace: new EventLoopYield({ clock: systemClock }), signal: this.notifications.stopped };
        try {
            await callEndHooks(hooked, ended, { ...parts, journal: redactedJournal(journal, redactor) });
        } finally {
            await close(journal, { id, redactor });
        }
    }

    /** With what it refers to; one that cannot be made ready fails when it is called. */
    private async opened(hook: HookDefinition, resolve: () => ReturnType<RunResources['resolve']>): Promise<Hook> {
        try {
            const compiled = compileHook(hook, this.setup.registry);
            const resources = await resolve();
            return { ...compiled, act: call => compiled.act({ ...call, outside: outsideOf(call.outside, resources) }) };
        } catch (thrown) {
            return failing(hook, asFlowError(thrown));
        }
    }
}

/** Closes the journal. A log that can never be stored is not a reason to call the hooks again. Throws if the database may accept it later. */
async function close(
    journal: RunJournal,
    { id, redactor }: { readonly id: ID; readonly redactor: Redactor },
): Promise<void> {
    try {
        await journal.close();
    } catch (error) {
        if (isFlowError(error) && error.treat === 'transient') throw error;
        Logger.warn(`The log of the end of run ${id} is incomplete: ${redactor.text(String(error))}`, LOG_CONTEXT);
    }
}

interface Called {
    readonly definition: PipelineDefinition;
    readonly list: readonly HookDefinition[];
}

type Outside = Parameters<Hook['act']>[0]['outside'];

function outsideOf(
    { outbound, pipelines }: Outside,
    { connections, secrets }: Pick<Resources, 'secrets' | 'connections'>,
): Outside {
    return { outbound, pipelines, connections, secrets };
}

function failing({ type, failOnError = false, timeoutMs = 5_000 }: HookDefinition, error: FlowError): Hook {
    return { label: type, failOnError, timeoutMs, act: () => Promise.reject(error) };
}

function pausedRun(run: FlowPipelineRun, stepKey: string): EndedRun {
    if (stepKey !== '') return { status: 'PAUSED', totals: storedTotals(run), stepKey };
    const error = {
        code: (run.errorCode ?? 'NO_PROGRESS') as ErrorCode,
        message: run.errorMessage ?? '',
        stepKey: undefined,
    };
    return { status: 'PAUSED', totals: storedTotals(run), error };
}

/** Undefined for a run that has not ended. */
function endedRun(run: FlowPipelineRun): EndedRun | undefined {
    const totals = storedTotals(run);
    switch (run.status) {
        case 'COMPLETED':
            return { status: run.status, totals, outcome: run.outcome ?? 'SUCCESS' };
        case 'FAILED': {
            const code = (run.errorCode ?? 'BUG') as ErrorCode;
            const error = { code, message: run.errorMessage ?? '', stepKey: run.errorStepKey ?? undefined };
            return { status: run.status, totals, error };
        }
        case 'CANCELLED':
            return { status: run.status, totals };
        default:
            return undefined;
    }
}
