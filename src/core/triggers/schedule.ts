import { z } from 'zod';
import { withoutEffect } from '../adapter/base';
import { defineTrigger } from '../adapter/trigger';
import { cronProblem } from './cron';
import { isTimezone } from './wall-clock';

/** A year: for longer intervals, use a cron expression. */
const LONGEST_SEC = 31_536_000;

const cron = z
    .string()
    .superRefine((text, cx) => {
        const problem = cronProblem(text);
        if (problem !== undefined) cx.addIssue({ code: 'custom', message: problem });
    })
    .optional()
    .meta({
        title: 'Cron',
        description:
            'Five fields: minute, hour, day of the month, month, day of the week (0 and 7 are Sunday). Each is `*`, `*/n`, a number, a range (`1-5`), a range with a step (`10-50/20`), or a list of these. Where both fields of days say something, a day that one of them names will do.',
    });

const timezone = z
    .string()
    .refine(isTimezone, 'allowed: the name of a time zone, such as Europe/Berlin or UTC')
    .optional()
    .meta({
        title: 'Time zone',
        description:
            'Whose clocks the cron expression speaks of: a name of the IANA such as `Europe/Berlin`; that of the server where it is left out.',
    });

const intervalSec = z.int().min(1).max(LONGEST_SEC).optional().meta({
    title: 'Interval',
    description:
        'Seconds from one run to the next, counted from the publication: 1 to 31,536,000, not below `runtime.scheduler.minIntervalMs`.',
});

/** The trigger SCHEDULE: a cron expression or an interval starts the pipeline. */
export const schedule = defineTrigger({
    code: 'SCHEDULE',
    title: 'Schedule',
    summary: 'Starts the pipeline at the minutes of a cron expression, or at a fixed interval.',
    config: z
        .strictObject({
            enabled: z
                .boolean()
                .default(true)
                .meta({ title: 'Enabled', description: 'A trigger that is not enabled starts nothing.' }),
            cron,
            timezone,
            intervalSec,
        })
        .superRefine((given, cx) => {
            const said = [given.cron, given.intervalSec].filter(value => value !== undefined);
            if (said.length === 1) return;
            const message = `has ${said.length === 0 ? 'neither cron nor' : 'both cron and'} intervalSec; allowed: exactly one of them`;
            cx.addIssue({ code: 'custom', path: [], message });
        }),
    notes: [
        'While a run of the pipeline waits, works or is paused, an occurrence is skipped; it is not made up for later.',
        'A minute that the clocks pass over does not come; one that they show twice comes once.',
    ],
    advise: given =>
        given.intervalSec !== undefined && given.timezone !== undefined
            ? [withoutEffect('timezone', 'together with intervalSec')]
            : [],
});
