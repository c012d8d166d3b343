import { flowError } from '../../core/errors/flow-error';
import type { SqlColumn } from './session';

/** A column of an answer: what it is called, and in which form its cells are sent. */
export type SentColumn = Pick<SqlColumn, 'name' | 'sent'>;

/**
 * Each page is a statement of its own, and somebody may change the table between two of them: cells would be taken for what they were before, or for those of
 * another column. Columns that are new behind all others do no harm. Throws SOURCE_MALFORMED.
 */
export function checkColumns(described: readonly SentColumn[] = [], answered: readonly SentColumn[]): void {
    const changed = described.find(({ name, sent }, i) => answered[i]?.name !== name || answered[i]?.sent !== sent);
    if (!changed) return;
    throw flowError('SOURCE_MALFORMED', {
        where: `column "${changed.name}"`,
        problem: 'its type, name or place has changed while it was read',
    });
}
