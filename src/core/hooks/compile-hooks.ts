import type { LogLevel } from '../adapter/context';
import { HOOK_STAGES, type HookStage } from '../adapter/hook-stages';
import { INLINE_ENGINE } from '../adapter/inline-script';
import { logEvent, writeEvent } from '../adapter/log-event';
import { logText } from '../log/log-text';
import type { Registry } from '../adapter/registry';
import type { HookContext } from '../adapter/script';
import { flowError } from '../errors/flow-error';
import {
    type HookDefinition,
    type Hooks,
    interceptorHook,
    logHook,
    scriptHook,
    triggerPipelineHook,
    webhookHook,
} from '../pipeline/hook-definition';
import { copyJson } from '../value/json';
import { intercept } from './interceptor';
import type { HookCall } from './hook-call';
import { startPipeline } from './trigger-pipeline';

/** A hook of a definition, ready to be called. It returns new records, or undefined. */
export interface Hook {
    /** As messages name it: `SCRIPT "dropOld"`. */
    readonly label: string;
    readonly failOnError: boolean;
    readonly timeoutMs: number;
    /** It ends by itself when its time is over, which then counts from when its turn has come. */
    readonly keepsTime?: boolean;
    act(call: HookCall): unknown;
}

/** The stages that have hooks. */
export type CompiledHooks = ReadonlyMap<HookStage, readonly Hook[]>;

/** Looks up the scripts. Throws ADAPTER_NOT_FOUND. */
export function compileHooks(hooks: Hooks, registry: Registry): CompiledHooks {
    const compiled = new Map<HookStage, readonly Hook[]>();
    for (const stage of HOOK_STAGES) {
        const ready = (hooks[stage] ?? []).map(hook => compileHook(hook, registry));
        if (ready.length > 0) compiled.set(stage, ready);
    }
    return compiled;
}

/** Compiles one hook. Throws ADAPTER_NOT_FOUND, and a ZodError for an invalid hook. */
export function compileHook(definition: HookDefinition, registry: Registry): Hook {
    switch (definition.type) {
        case 'SCRIPT': {
            const { scriptName, args, ...rest } = scriptHook.parse(definition);
            const { run } = registry.get('script', scriptName);
            return {
                ...rest,
                label: `SCRIPT "${scriptName}"`,
                act: ({ records, context }) => run(records(), context, copyJson(args)),
            };
        }
        case 'INTERCEPTOR': {
            const { name, code, ...rest } = interceptorHook.parse(definition);
            const engine = registry.get('engine', INLINE_ENGINE);
            const label = name === undefined ? 'INTERCEPTOR' : `INTERCEPTOR "${name}"`;
            return {
                ...rest,
                label,
                keepsTime: true,
                act: call => intercept(engine, { code, timeoutMs: rest.timeoutMs }, call),
            };
        }
        case 'LOG': {
            const { level, message, ...rest } = logHook.parse(definition);
            return {
                ...rest,
                label: 'LOG',
                act: ({ data, context }) => logLine(context, { level, message, count: data.length }),
            };
        }
        case 'WEBHOOK': {
            const { connectionCode, path, ...rest } = webhookHook.parse(definition);
            return {
                ...rest,
                label: `WEBHOOK "${connectionCode}"`,
                act: call => send(registry, { connectionCode, path, timeoutMs: rest.timeoutMs }, call),
            };
        }
        case 'TRIGGER_PIPELINE': {
            const { pipelineCode, ...rest } = triggerPipelineHook.parse(definition);
            return {
                ...rest,
                label: `TRIGGER_PIPELINE "${pipelineCode}"`,
                act: call => startPipeline(pipelineCode, call),
            };
        }
    }
}

function logLine(
    { log, stage }: HookContext,
    line: { readonly level: LogLevel; readonly message: string; readonly count: number },
): void {
    // The definition has the text.
    const facts = { text: line.message, stage, ...(line.count > 0 && { records: line.count }) };
    writeEvent(log, logText('HOOK_LINE', facts), line.level);
}

/** What goes over the network leaves the shop, so nothing does unless the run is a live one. */
async function send(
    registry: Registry,
    to: { readonly connectionCode: string; readonly path: string; readonly timeoutMs: number },
    call: HookCall,
): Promise<undefined> {
    const { signal, log, ...facts } = call.context;
    if (facts.mode !== 'live') {
        logEvent(log, 'WEBHOOK_HOOK_SKIPPED', { stage: facts.stage });
        return undefined;
    }
    const { outbound, connections, secrets } = call.outside;
    const connection = connections.get(to.connectionCode);
    const { notify } = registry.get('connection', connection.type);
    if (!notify)
        throw flowError('CONNECTION_INVALID', {
            code: connection.code,
            problem: `nothing can be sent to a system of type ${connection.type}`,
        });
    const { id } = call;
    const body = { id, ...facts, ...(call.data.length > 0 && { records: call.data }) };
    await notify(
        connection,
        { path: to.path, id, body, timeoutMs: to.timeoutMs },
        { http: outbound.http, secrets, signal },
    );
    return undefined;
}
