import { clause } from '../errors/rendered';
import { z } from 'zod';
import { withoutEffect } from '../adapter/base';
import { defineTrigger } from '../adapter/trigger';
import { cronProblem } from './cron';
import { isTimezone } from './wall-clock';
import { addIssue } from '../schema/issues';

/** A year: for longer intervals, use a cron expression. */
const LONGEST_SEC = 31_536_000;

const cron = z
    .string()
    .superRefine((text, cx) => {
        const problem = cronProblem(text);
        if (problem !== undefined) addIssue(cx, problem);
    })
    .optional()
    .meta({
        title: 'Cron',
        description:
            'Five fields: minute, hour, day of the month, month, day of the week (0 and 7 are Sunday). Each is `*`, `*/n`, a number, a range (`1-5`), a range with a step (`10-50/20`), or a list of these. If both day fields are set, a day that matches either one is used.',
    });

const timezone = z
    .string()
    .refine(isTimezone, 'allowed: the name of a time zone, such as Europe/Berlin or UTC')
    .optional()
    .meta({
        title: 'Time zone',
        description:
            'The time zone of the cron expression, as an IANA name such as `Europe/Berlin`. Default: the time zone of the server.',
    });

const intervalSec = z.int().min(1).max(LONGEST_SEC).optional().meta({
    title: 'Interval',
    description:
        'The number of seconds between runs, counted from the publication: 1 to 31,536,000, and at least `runtime.scheduler.minIntervalMs`.',
});

/** The trigger SCHEDULE: a cron expression or an interval starts the pipeline. */
export const schedule = defineTrigger({
    code: 'SCHEDULE',
    title: 'Schedule',
    summary: 'Starts the pipeline by a cron expression or at a fixed interval.',
    config: z
        .strictObject({
            enabled: z
                .boolean()
                .default(true)
                .meta({ title: 'Enabled', description: 'A disabled trigger does not start runs.' }),
            cron,
            timezone,
            intervalSec,
        })
        .superRefine((given, cx) => {
            const said = [given.cron, given.intervalSec].filter(value => value !== undefined);
            if (said.length === 1) return;
            addIssue(
                cx,
                said.length === 0
                    ? clause`has neither cron nor intervalSec; allowed: exactly one of them`
                    : clause`has both cron and intervalSec; allowed: exactly one of them`,
            );
        }),
    notes: [
        'If a run of the pipeline is waiting, running or paused at that time, the occurrence is skipped and not repeated later.',
        'A time that is skipped when the clocks change does not occur; a time that is repeated occurs once.',
    ],
    advise: given =>
        given.intervalSec !== undefined && given.timezone !== undefined
            ? [withoutEffect('timezone', clause`together with intervalSec`)]
            : [],
});
