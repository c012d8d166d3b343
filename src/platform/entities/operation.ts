import type { Deleting } from '../lookup/deleting';
import type { FieldReader } from './read-field';

const OPERATIONS = ['CREATE', 'UPDATE', 'UPSERT', 'DELETE'];

/** Whether a record's `__operation` says DELETE; CREATE and UPDATE are read as UPSERT (spec 4, section 7). */
export function readsDelete(reader: FieldReader, { isAllowed, permission }: Deleting): boolean {
    const value = reader.data['__operation'];
    if (value === undefined || value === null) return false;
    if (!OPERATIONS.includes(value as string)) reader.refuse('__operation', `allowed: ${OPERATIONS.join(', ')}`);
    if (value === 'DELETE' && !isAllowed)
        reader.wrong('__operation', `is "DELETE", for which the run's user lacks the permission ${permission}`);
    return value === 'DELETE';
}
