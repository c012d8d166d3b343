import { flowError } from '../../core/errors/flow-error';
import type { SqlColumn } from './session';

/** A column of a result: its name, and the form in which its cells are sent. */
export type SentColumn = Pick<SqlColumn, 'name' | 'sent'>;

/**
 * Each page is a separate statement, and the table may change between two of them: cells could be read with an old
 * type, or as those of another column. New columns after all others are harmless. Throws SOURCE_MALFORMED.
 */
export function checkColumns(described: readonly SentColumn[] = [], answered: readonly SentColumn[]): void {
    const changed = described.find(({ name, sent }, i) => answered[i]?.name !== name || answered[i]?.sent !== sent);
    if (!changed) return;
    throw flowError('SOURCE_MALFORMED', {
        where: `column "${changed.name}"`,
        problem: 'its type, name or place has changed while it was read',
    });
}
