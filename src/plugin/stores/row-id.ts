import type { ID } from '@vendure/core';
import type { Table } from '../../database/table';

/** Whether an id from a caller is valid for this table: a database rejects invalid ids instead of finding nothing. */
export function isRowId({ numbersItself }: Pick<Table, 'numbersItself'>, id: ID): boolean {
    const text = String(id);
    return numbersItself
        ? /^[1-9]\d{0,9}$/.test(text) && Number(text) <= 0x7fff_ffff
        : /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
