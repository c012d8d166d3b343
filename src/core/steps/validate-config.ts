import { z } from 'zod';

/** How a VALIDATE step continues after an error. */
const VALIDATE_MODES = ['ACCUMULATE', 'FAIL_FAST', 'ABORT'] as const;
export type ValidateMode = (typeof VALIDATE_MODES)[number];

const MAX_RULES = 100;

/** One rule of a VALIDATE step. The rule defines what its spec may contain. */
export const ruleFrame = z.strictObject({
    type: z.string().meta({ title: 'Type', description: 'The code of the rule.' }),
    spec: z
        .record(z.string(), z.unknown())
        .meta({ title: 'Specification', description: 'The requirement of the rule.' }),
});

const RULES = { title: 'Rules', description: 'Checked in this order.' };

const errorHandlingMode = z.enum(VALIDATE_MODES).default('ACCUMULATE').meta({
    title: 'After an error',
    description:
        'ACCUMULATE reports all errors of a record, FAIL_FAST the first one; both reject it, and the others continue. ABORT fails the run at the first rejected record.',
    aliases: {},
});

/** The part of a VALIDATE step that is known without the rules. */
export const validateFrame = z.strictObject({
    errorHandlingMode,
    rules: z.array(z.unknown()).min(1).max(MAX_RULES).meta(RULES),
});

/** A VALIDATE step whose rules are calls; their specs are the rules' own. */
export const validateConfig = z.strictObject({
    errorHandlingMode,
    rules: z.array(ruleFrame).min(1).max(MAX_RULES).meta(RULES),
});
