import { z } from 'zod';
import { scriptCode } from '../schema/code-fields';
import { connectionCode, jsonObject } from '../schema/fields';
import { type ContextFields, scriptNames } from '../schema/script-scope';
import type { HookStage } from '../adapter/hook-stages';
import type { HookContext } from '../adapter/script';
import { pipelineCodeProblem } from './pipeline-code';

/** What every hook may have. */
const every = {
    failOnError: z.boolean().default(false).meta({
        title: 'Fail on error',
        description:
            'Whether the run fails when the hook does. Otherwise a warning is logged and the batch continues unchanged.',
    }),
    timeoutMs: z.int().min(1).max(300_000).default(5000).meta({
        title: 'Timeout',
        description: 'After how many milliseconds the hook counts as failed; what it answers later is ignored.',
    }),
};

/** Calls a function of the plugin option `scripts`. */
export const scriptHook = z.strictObject({
    type: z.literal('SCRIPT').meta({ title: 'Type', description: 'Calls a function of the shop.' }),
    scriptName: z
        .string()
        .min(1)
        .max(128)
        .meta({ title: 'Script', description: 'Its name in the plugin option scripts.' }),
    args: jsonObject()
        .default({})
        .meta({ title: 'Arguments', description: 'What the function gets as its third argument.', widget: 'json' }),
    ...every,
});

/** What inline code receives with its records: the same as functions of the shop, except for what they can call. */
const INTERCEPTOR_CONTEXT: ContextFields<Exclude<keyof HookContext, 'signal' | 'log'>> = {
    stage: { type: 'string', about: 'The stage at which the hook is called.' },
    stepKey: { type: 'string | undefined', about: 'The step around which the hook runs, or the step that failed.' },
    sourceKey: { type: 'string | undefined', about: 'The source of the batch.' },
    batchNo: { type: 'number | undefined', about: 'The number of the batch at its source.' },
    visit: { type: 'number | undefined', about: 'At a step: 0, or more where several ways lead the batch there.' },
    runId: { type: 'string', about: 'The id of the run.' },
    pipelineCode: { type: 'string | undefined', about: 'The code of the pipeline.' },
    mode: { type: "'live' | 'dryRun' | 'preview'", about: 'What the run is for.' },
    branch: { type: 'string | undefined', about: 'AFTER_ROUTE: the branch that the records go by.' },
    totals: { type: 'object | undefined', about: 'RUN_ stages: what the run has come to, in numbers.' },
    outcome: { type: 'string | undefined', about: 'RUN_COMPLETED: how it has ended.' },
    error: { type: 'object | undefined', about: 'RUN_FAILED, ON_RETRY: code, message and stepKey of the error.' },
    errors: { type: 'object[] | undefined', about: 'ON_RECORD_ERROR: why each of the records was rejected.' },
    retry: { type: 'object | undefined', about: 'ON_RETRY: number, of and waitMs of the retry that comes.' },
};

/** Runs code from the definition itself. */
export const interceptorHook = z.strictObject({
    type: z
        .literal('INTERCEPTOR')
        .meta({ title: 'Type', description: 'Runs JavaScript of the definition, shut off from everything.' }),
    name: z.string().min(1).max(128).optional().meta({ title: 'Name', description: 'What messages call it.' }),
    code: scriptCode(
        'Code',
        'The body of a function (records, context), which returns the new records, or nothing to leave them as they are.',
        [{ names: scriptNames('batch', INTERCEPTOR_CONTEXT) }],
    ),
    ...every,
});

/** Writes a line into the run's log. */
export const logHook = z.strictObject({
    type: z.literal('LOG').meta({ title: 'Type', description: 'Writes a line into the log of the run.' }),
    level: z
        .enum(['DEBUG', 'INFO', 'WARN', 'ERROR'])
        .default('INFO')
        .meta({ title: 'Level', description: 'The level of the line.' }),
    message: z.string().min(1).max(10_000).meta({ title: 'Message', description: 'The text of the line.' }),
    ...every,
});

/** Notifies another system by HTTP. */
export const webhookHook = z.strictObject({
    type: z.literal('WEBHOOK').meta({ title: 'Type', description: 'Sends the data of the hook to another system.' }),
    connectionCode: connectionCode(['HTTP', 'REST', 'GRAPHQL'], {
        title: 'Connection',
        description: 'The system: its base URL, headers and authentication.',
    }),
    path: z
        .string()
        .min(1)
        .max(2_000)
        .refine(isPath, 'allowed: a path after the base URL, without a scheme, "." or ".."')
        .meta({
            title: 'Path',
            description: 'The path of the request, after the base URL of the connection.',
        }),
    ...every,
});

/** Starts a run of another pipeline of the channel. */
export const triggerPipelineHook = z.strictObject({
    type: z.literal('TRIGGER_PIPELINE').meta({
        title: 'Type',
        description: 'Starts a run of another pipeline of the channel with the data of the hook.',
    }),
    pipelineCode: z
        .string()
        .min(1)
        .max(64)
        .refine(code => pipelineCodeProblem(code) === undefined, 'allowed: the code of a pipeline')
        .meta({
            title: 'Pipeline',
            description: 'The code of that pipeline. It needs one enabled MANUAL trigger.',
            widget: 'pipeline',
        }),
    ...every,
});

function isPath(path: string): boolean {
    return (
        !/[\s\\\p{Cc}#]/u.test(path) &&
        !/^(\/\/|[a-z][a-z0-9+.-]*:)/i.test(path) &&
        !path.split(/[/?]/).some(part => /^(\.|%2e){1,2}$/i.test(part))
    );
}

/** Every type of hook with its schema. */
export const HOOK_SCHEMAS = {
    INTERCEPTOR: interceptorHook,
    SCRIPT: scriptHook,
    LOG: logHook,
    WEBHOOK: webhookHook,
    TRIGGER_PIPELINE: triggerPipelineHook,
} as const;

/** A hook of a definition: an action at one stage of a run. */
export type HookDefinition =
    | z.input<typeof interceptorHook>
    | z.input<typeof scriptHook>
    | z.input<typeof logHook>
    | z.input<typeof webhookHook>
    | z.input<typeof triggerPipelineHook>;

/** Hooks by stage, each list in the order in which they are called. */
export type Hooks = { readonly [S in HookStage]?: readonly HookDefinition[] };
