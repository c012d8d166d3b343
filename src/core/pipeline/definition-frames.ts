import { z } from 'zod';
import { stepRetrySchema } from '../schema/settings';
import { STEP_KINDS } from '../steps/kinds';

/** The largest number of steps in a definition. */
export const MAX_STEPS = 200;

/** What the key of a step may be. */
export const STEP_KEY = /^[A-Za-z0-9_-]{1,64}$/;

type FieldMeta = Readonly<Record<'title' | 'description', string>> & Readonly<Record<string, unknown>>;

/** Checked separately, with a specific message; this is only its description for JSON Schema. */
const field = (meta: FieldMeta): z.ZodOptional<z.ZodUnknown> => z.unknown().optional().meta(meta);

/** The outer form of a definition; its parts are checked individually. */
export const rootFrame = z.strictObject({
    version: field({ title: 'Version', description: 'The version of this format: 1.', const: 1 }),
    capabilities: field({ title: 'Capabilities', description: 'What a run must be allowed to do.', type: 'object' }),
    throughput: field({
        title: 'Throughput',
        description: 'How many records travel together, and how fast.',
        type: 'object',
    }),
    errorHandling: field({
        title: 'Error handling',
        description: 'What is tried again, and when there are too many rejected records.',
        type: 'object',
    }),
    hooks: field({
        title: 'Hooks',
        description: 'What is done at certain moments of a run, by stage.',
        type: 'object',
    }),
    steps: z.array(z.unknown()).meta({ title: 'Steps', description: `The steps, at most ${MAX_STEPS}, in any order.` }),
    edges: z.array(z.unknown()).meta({ title: 'Edges', description: 'Which step leads to which.' }),
});

/** The outer form of a step. */
export const stepFrame = z.strictObject({
    key: field({
        title: 'Key',
        description:
            'What edges, logs and reports call it: 1 to 64 letters, digits, hyphens and underscores; every step has its own.',
        type: 'string',
    }),
    kind: field({ title: 'Kind', description: 'What it does; see below.', enum: STEP_KINDS }),
    name: z.string().optional().meta({ title: 'Name', description: 'What people read in its place.' }),
    disabled: z.boolean().optional().meta({
        title: 'Disabled',
        description: 'A disabled step passes its input on; a disabled EXTRACT step reads nothing.',
    }),
    retry: stepRetrySchema.optional().meta({
        title: 'Retry',
        description: 'What is tried again of this step alone; what it leaves out is that of `errorHandling`.',
    }),
    config: z
        .record(z.string(), z.unknown())
        .meta({ title: 'Configuration', description: 'Depends on the kind; see below.' }),
});

/** The outer form of an edge. */
export const edgeFrame = z.strictObject({
    from: z.string().meta({ title: 'From', description: 'The key of the step whose output follows the edge.' }),
    to: z.string().meta({ title: 'To', description: 'The key of the step that gets it.' }),
    branch: z.string().optional().meta({
        title: 'Branch',
        description: 'Of an edge that leaves a ROUTE step, and only there: the branch whose records take it.',
    }),
});
