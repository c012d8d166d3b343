import type { Deleting } from '../lookup/deleting';
import type { FieldReader } from './read-field';

const UPSERTS = ['CREATE', 'UPDATE', 'UPSERT'];
const OPERATIONS = [...UPSERTS, 'DELETE'];

/** Whether a record's `__operation` says DELETE; CREATE and UPDATE are read as UPSERT (spec 4, section 7). */
export function readsDelete(reader: FieldReader, { isAllowed, permission }: Deleting): boolean {
    const value = reader.data['__operation'];
    if (value === undefined || value === null) return false;
    if (!OPERATIONS.includes(value as string)) reader.refuse('__operation', `allowed: ${OPERATIONS.join(', ')}`);
    if (value === 'DELETE' && !isAllowed)
        reader.wrong('__operation', `is "DELETE", for which the run's user lacks the permission ${permission}`);
    return value === 'DELETE';
}

/** Says so where a record's `__operation` is none that sets `what` ("a price"), of which no DELETE can mean anything. */
export function refuseDelete(reader: FieldReader, what: string, instead = 'set it, or delete the variant'): void {
    const value = reader.data['__operation'];
    if (value === 'DELETE') reader.wrong('__operation', `is "DELETE", but ${what} cannot be deleted; ${instead}`);
    else if (value !== undefined && value !== null && !UPSERTS.includes(value as string))
        reader.refuse('__operation', `allowed: ${UPSERTS.join(', ')}`);
}
