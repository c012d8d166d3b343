import { z } from 'zod';
import { jsonObject } from '../schema/fields';
import type { HookStage } from './hook-stages';

/** Every type of hook (spec 4, "hook stages"), those that do not run yet included. */
export const HOOK_TYPES = ['INTERCEPTOR', 'SCRIPT', 'LOG', 'WEBHOOK', 'TRIGGER_PIPELINE'] as const;

/** What every hook may have. */
const every = {
    failOnError: z.boolean().default(false).meta({
        title: 'Fail on error', description: 'Whether the run fails when the hook does. Otherwise a warning is logged and the batch goes on as it was.',
    }),
    timeoutMs: z.int().min(1).max(300_000).default(5000).meta({
        title: 'Timeout', description: 'After how many milliseconds the hook counts as failed; what it answers later is ignored.',
    }),
};

/** Calls a function of the plugin option `scripts`. */
export const scriptHook = z.strictObject({
    type: z.literal('SCRIPT').meta({ title: 'Type', description: 'Calls a function of the shop.' }),
    scriptName: z.string().min(1).max(128).meta({ title: 'Script', description: 'Its name in the plugin option scripts.' }),
    args: jsonObject().default({}).meta({ title: 'Arguments', description: 'What the function gets as its third argument.', widget: 'json' }),
    ...every,
});

/** Runs code that stands in the definition itself. */
export const interceptorHook = z.strictObject({
    type: z.literal('INTERCEPTOR').meta({ title: 'Type', description: 'Runs JavaScript of the definition, shut off from everything.' }),
    name: z.string().min(1).max(128).optional().meta({ title: 'Name', description: 'What messages call it.' }),
    code: z.string().min(1).max(100_000).meta({
        title: 'Code', widget: 'textarea',
        description: 'The body of a function (records, context), which returns the new records, or nothing to leave them as they are.',
    }),
    ...every,
});

/** Writes a line into the run's log. */
export const logHook = z.strictObject({
    type: z.literal('LOG').meta({ title: 'Type', description: 'Writes a line into the log of the run.' }),
    level: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']).default('INFO').meta({ title: 'Level', description: 'The level of the line.' }),
    message: z.string().min(1).max(10_000).meta({ title: 'Message', description: 'The text of the line.' }),
    ...every,
});

/** The types that can be executed, with their schemas; the others are STEP_KIND_UNSUPPORTED. */
export const EXECUTABLE_HOOKS = { INTERCEPTOR: interceptorHook, SCRIPT: scriptHook, LOG: logHook } as const;

type Every = { readonly failOnError?: boolean; readonly timeoutMs?: number };

/** What is done at a stage (spec 3, "Hooks"; spec 4, "hook stages"). */
export type HookDefinition =
    | z.input<typeof interceptorHook>
    | z.input<typeof scriptHook>
    | z.input<typeof logHook>
    | ({ readonly type: 'WEBHOOK'; readonly connectionCode: string; readonly path: string } & Every)
    | ({ readonly type: 'TRIGGER_PIPELINE'; readonly pipelineCode: string } & Every);

/** Hooks by stage, each list in the order in which they are called. */
export type Hooks = { readonly [S in HookStage]?: readonly HookDefinition[] };
