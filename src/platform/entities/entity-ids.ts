import type { Table } from '../../database/table';
import type { Id } from '../../database/write';

const MAX_ID = 2_147_483_647;

/** Texts that can be ids in a table. */
export function idsAmong(texts: readonly string[], table: Pick<Table, 'numbersItself'>): readonly Id[] {
    if (table.numbersItself)
        return texts
            .filter(text => /^[1-9]\d{0,9}$/.test(text))
            .map(Number)
            .filter(id => id <= MAX_ID);
    return texts
        .filter(text => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
        .map(text => text.toLowerCase());
}
