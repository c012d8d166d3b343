import { z } from 'zod';
import { connectionCode } from '../../schema/fields';
import { defineStepKind } from './step-kind';

/** Holds records until somebody or something lets them through (spec 1, "State-dependent rules" 4; spec 4, "gate"). */
export const gate = defineStepKind({
    kind: 'GATE',
    summary: 'Holds records until they are let through.',
    frame: z.strictObject({
        approvalType: z
            .enum(['MANUAL', 'TIMEOUT', 'THRESHOLD'])
            .meta({ title: 'Approval', description: 'Who or what lets the records through.', aliases: {} }),
        timeoutSeconds: z
            .int()
            .min(1)
            .optional()
            .meta({ title: 'Timeout', description: 'After how many seconds a TIMEOUT gate opens by itself.' }),
        errorThresholdPercent: z
            .number()
            .min(0)
            .max(100)
            .optional()
            .meta({ title: 'Error threshold', description: 'Up to which share of faults a THRESHOLD gate opens.' }),
        notifyWebhook: z
            .strictObject({
                connectionCode: connectionCode(['HTTP', 'REST', 'GRAPHQL'], {
                    title: 'Connection',
                    description: 'Who is told that records wait.',
                }),
                path: z.string().min(1).meta({ title: 'Path', description: 'Behind the base URL of the connection.' }),
            })
            .optional()
            .meta({ title: 'Notification', description: 'Is called when records wait.' }),
        previewCount: z
            .int()
            .min(0)
            .optional()
            .meta({ title: 'Preview', description: 'How many of the records are shown to whoever decides.' }),
    }),
    adapters: { form: 'none' },
    behind: 'records',
    role: { as: 'later' },
});
