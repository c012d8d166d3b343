import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { SavedCheckpoint } from '../../core/adapter/extractor';
import { readTimestamp } from '../../core/data/timestamp';
import { wholeNumber } from '../../core/schema/fields';
import type { Clock } from '../../core/concurrency/clock';
import type { PagePosition } from './page-position';

/** How the moment is written since which changes are read, and which one it is. */
export const sinceFields = {
    format: z.enum(['ISO', 'DATE', 'EPOCH_SECONDS', 'EPOCH_MILLISECONDS']).default('ISO').meta({
        title: 'Format',
        description:
            'How the moment is written: ISO (2026-11-23T12:00:00Z), DATE (2026-11-23), EPOCH_SECONDS or EPOCH_MILLISECONDS (since 1970).',
        aliases: {},
    }),
    from: z
        .string()
        .max(40)
        .refine(text => readTimestamp(text) !== undefined, 'allowed: an ISO date')
        .optional()
        .meta({ title: 'From', description: 'From when on the first run reads; everything where it is left out.' }),
    overlapSec: wholeNumber(
        { min: 0, max: 86_400 },
        {
            title: 'Overlap',
            description:
                'Reads again this number of seconds before the start of the last run, for changes that were stored late.',
        },
    ).default(60),
} as const;

/** What the schema of an extractor has made of them. */
export type SinceSettings = z.output<z.ZodObject<typeof sinceFields>>;

/** Stands in the notes of extractors that have it. */
export const incrementalNote =
    'With incremental a run reads what has changed since the beginning of the last run that has completed; a run that does not complete moves nothing. The moment is the earlier one of the clock here and that of the server (its Date header), less the overlap. A dry run reads from the beginning.';

/** Reads what has changed since the beginning of the last run that has completed. */
export class Incremental {
    constructor(private readonly settings: SinceSettings) {}

    /** Before anything is read: what changes from here on is the next run's. */
    begun(position: PagePosition, clock: Clock): PagePosition {
        const { from } = this.settings;
        return { ...position, since: position.since ?? from, next: position.next ?? this.lessOverlap(clock.now()) };
    }

    /** A server whose clock is slow stores changes under moments that lie before those of the clock here. */
    answered(position: PagePosition, { date }: Readonly<Record<string, string>>): PagePosition {
        const theirs = date !== undefined && /^[a-z]{3,9}, /i.test(date) ? Date.parse(date) : Number.NaN;
        if (Number.isNaN(theirs)) return position;
        const next = this.lessOverlap(theirs);
        return position.next !== undefined && next < position.next ? { ...position, next } : position;
    }

    /** The moment as it is sent; undefined where everything is read. */
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

/** Where the next run begins is kept for what is read; whoever changes anything else of the step wants not all of it again. */
export function savedSince(of: Readonly<Record<string, string>>): SavedCheckpoint {
    const key = createHash('sha256').update(JSON.stringify(of)).digest('hex');
    return { key, startOver: false, by: 'completed', of };
}
