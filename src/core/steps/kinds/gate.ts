import { clause } from '../../errors/rendered';
import { z } from 'zod';
import { type Advice, withoutEffect } from '../../adapter/base';
import { connectionCode, wholeNumber, withRules } from '../../schema/fields';
import { parseConfig } from '../parse-config';
import type { JsonObject } from '../../value/json';
import type { SpoolPolicy, Step, StepResult } from '../step';
import { defineStepKind } from './step-kind';

/** The longest timeout: a year of 365 days. */
const MAX_TIMEOUT_SECONDS = 31_536_000;
const MAX_PATH = 2_048;
/** The maximum number of records in a page of held records. */
export const MAX_PREVIEW_COUNT = 100;

const frame = withRules(
    z.strictObject({
        approvalType: z.enum(['MANUAL', 'TIMEOUT', 'THRESHOLD']).meta({
            title: 'Approval',
            description:
                'Who releases the records: a person (MANUAL), a person or the end of a time (TIMEOUT), or the gate itself if few records were rejected, otherwise a person (THRESHOLD).',
            aliases: {},
        }),
        timeoutSeconds: wholeNumber(
            { min: 1, max: MAX_TIMEOUT_SECONDS },
            {
                title: 'Timeout',
                description: 'Of TIMEOUT, which needs it: after how many seconds of waiting the gate opens by itself.',
            },
        ).optional(),
        errorThresholdPercent: z.number().min(0).max(100).optional().meta({
            title: 'Error threshold',
            description:
                'For THRESHOLD (required): the gate opens by itself if the percentage of rejected records is below this number.',
        }),
        notifyWebhook: z
            .strictObject({
                connectionCode: connectionCode(['HTTP', 'REST', 'GRAPHQL'], {
                    title: 'Connection',
                    description: 'Who is notified that records wait.',
                }),
                path: z
                    .string()
                    .min(1)
                    .max(MAX_PATH)
                    .meta({ title: 'Path', description: 'After the base URL of the connection.' }),
            })
            .optional()
            .meta({ title: 'Notification', description: 'Receives a POST with JSON when the run starts to wait.' }),
        previewCount: wholeNumber(
            { min: 1, max: MAX_PREVIEW_COUNT },
            {
                title: 'Preview',
                description: 'The number of records shown to the person who decides, unless more are requested.',
            },
        ).default(10),
    }),
    ({ approvalType, timeoutSeconds, errorThresholdPercent }, issue) => {
        if (approvalType === 'TIMEOUT' && timeoutSeconds === undefined)
            issue('timeoutSeconds', clause`is missing; a TIMEOUT gate needs it, allowed: 1 to ${MAX_TIMEOUT_SECONDS}`);
        if (approvalType === 'THRESHOLD' && errorThresholdPercent === undefined)
            issue('errorThresholdPercent', clause`is missing; a THRESHOLD gate needs it, allowed: 0 to 100`);
    },
);

/** A gate's configuration, with its defaults. */
export type GateConfig = z.output<typeof frame>;

/** The step kind GATE: holds records until they are approved, or a condition opens it. */
export const gate = defineStepKind({
    kind: 'GATE',
    summary: 'Holds records until they are released.',
    remarks:
        'The run reads its sources to the end, is PAUSED if a gate holds records, and waits without a worker. A user with `ApproveFlowGate` approves (`approveFlowGate`: the held records continue, and no earlier step runs again) or rejects (`rejectFlowGate`: the run is CANCELLED). THRESHOLD compares the share of rejected records, at any step, among all records of the sources so far. In a dry run and in a step test, records pass at once.',
    frame,
    adapters: { form: 'none' },
    advise,
    behind: 'records',
    role: {
        as: 'work',
        compile: ({ key, config }) => gateStep(key, holdingOf(parseConfig(key, frame, config))),
    },
});

interface WrittenStep {
    readonly key: string;
    readonly kind: string;
    readonly config: JsonObject;
}

/** The configuration of a gate of a validated definition, with its defaults; undefined if the step is not a gate. Throws DEFINITION_INVALID. */
export function gateOf({ steps }: { readonly steps: readonly WrittenStep[] }, stepKey: string): GateConfig | undefined {
    const step = steps.find(({ key, kind }) => key === stepKey && kind === 'GATE');
    return step && parseConfig(stepKey, frame, step.config);
}

function advise({ approvalType, timeoutSeconds, errorThresholdPercent }: GateConfig): readonly Advice[] {
    const advice: Advice[] = [];
    const beside = clause`together with approvalType ${approvalType}`;
    if (approvalType !== 'TIMEOUT' && timeoutSeconds !== undefined)
        advice.push(withoutEffect('timeoutSeconds', beside));
    if (approvalType !== 'THRESHOLD' && errorThresholdPercent !== undefined)
        advice.push(withoutEffect('errorThresholdPercent', beside));
    if (approvalType === 'THRESHOLD' && errorThresholdPercent === 0)
        advice.push({
            code: 'LIKELY_MISTAKE',
            path: 'errorThresholdPercent',
            problem: clause`is 0, so that the gate never opens by itself: no share is below it`,
        });
    return advice;
}

function holdingOf({ approvalType, timeoutSeconds, errorThresholdPercent }: GateConfig): SpoolPolicy {
    switch (approvalType) {
        case 'MANUAL':
            return () => undefined;
        case 'TIMEOUT':
            return () => ({ by: 'TIMEOUT', seconds: timeoutSeconds! });
        case 'THRESHOLD':
            return ({ recordsRead, recordsRejected }) =>
                recordsRejected * 100 < errorThresholdPercent! * recordsRead ? { by: 'THRESHOLD' } : undefined;
    }
}

/** Holds every record until it is released (ADR 8). In dry runs and trials, where nothing is held, it passes records through. */
function gateStep(key: string, holds: SpoolPolicy): Step {
    return {
        key,
        touches: 'nothing',
        holds,
        open:
            async ({ ports: { spool } }) =>
            async (batch): Promise<StepResult> =>
                spool
                    ? { out: [], held: batch, counts: {}, rejects: [], failed: [] }
                    : { out: batch, counts: {}, rejects: [], failed: [] },
    };
}
