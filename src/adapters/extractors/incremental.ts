import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { SavedCheckpoint } from '../../core/adapter/extractor';
import { readTimestamp } from '../../core/data/timestamp';
import { wholeNumber } from '../../core/schema/fields';
import type { Clock } from '../../core/concurrency/clock';
import type { PagePosition } from './page-position';

/** The moment since which changes are read, and how it is written. */
export const sinceFields = {
    format: z.enum(['ISO', 'DATE', 'EPOCH_SECONDS', 'EPOCH_MILLISECONDS']).default('ISO').meta({
        title: 'Format',
        description:
            'The format of the time: ISO (2026-11-23T12:00:00Z), DATE (2026-11-23), EPOCH_SECONDS or EPOCH_MILLISECONDS (since 1970).',
        aliases: {},
    }),
    from: z
        .string()
        .max(40)
        .refine(text => readTimestamp(text) !== undefined, 'allowed: an ISO date')
        .optional()
        .meta({
            title: 'From',
            description: 'The start time for the first run. Default: the first run reads everything.',
        }),
    overlapSec: wholeNumber(
        { min: 0, max: 86_400 },
        {
            title: 'Overlap',
            description:
                'Starts this many seconds before the start of the last run, to catch changes that were stored late.',
        },
    ).default(60),
} as const;

/** The parsed values of these fields. */
type SinceSettings = z.output<z.ZodObject<typeof sinceFields>>;

/** A note of extractors with `incremental`. */
export const incrementalNote =
    "With incremental, a run reads what has changed since the start of the last completed run. A run that does not complete does not move the position. The start is the earlier of Flow's clock and the server's clock (its Date header), minus the overlap. A dry run reads from the beginning.";

/** Reads what has changed since the beginning of the last run that has completed. */
export class Incremental {
    constructor(private readonly settings: SinceSettings) {}

    /** Called before anything is read: later changes belong to the next run. */
    begun(position: PagePosition, clock: Clock): PagePosition {
        const { from } = this.settings;
        return { ...position, since: position.since ?? from, next: position.next ?? this.lessOverlap(clock.now()) };
    }

    /** If a server's clock is slow, it stores changes with moments that are earlier than those of the local clock. */
    answered(position: PagePosition, { date }: Readonly<Record<string, string>>): PagePosition {
        const theirs = date !== undefined && /^[a-z]{3,9}, /i.test(date) ? Date.parse(date) : Number.NaN;
        if (Number.isNaN(theirs)) return position;
        const next = this.lessOverlap(theirs);
        return position.next !== undefined && next < position.next ? { ...position, next } : position;
    }

    /** The moment as it is sent; undefined if everything is read. */
    sent({ since }: PagePosition): string | number | undefined {
        const moment = since === undefined ? undefined : readTimestamp(since);
        if (moment === undefined) return undefined;
        switch (this.settings.format) {
            case 'ISO':
                return `${new Date(moment).toISOString().slice(0, 19)}Z`;
            case 'DATE':
                return new Date(moment).toISOString().slice(0, 10);
            case 'EPOCH_SECONDS':
                return Math.floor(moment / 1_000);
            case 'EPOCH_MILLISECONDS':
                return moment;
        }
    }

    private lessOverlap(moment: number): string {
        return new Date(moment - this.settings.overlapSec * 1_000).toISOString();
    }
}

/**
 * The position belongs to the source, so a change of other fields of the step does not cause everything to be read
 * again.
 */
export function savedSince(of: Readonly<Record<string, string>>): SavedCheckpoint {
    const key = createHash('sha256').update(JSON.stringify(of)).digest('hex');
    return { key, startOver: false, by: 'completed', of };
}
