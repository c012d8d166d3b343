import {
    OPERATION_FIELD,
    parseOperation,
    RECORD_OPERATIONS,
    UPSERT_OPERATIONS,
} from '../../core/adapter/record-operation';
import type { Deleting } from '../lookup/deleting';
import type { FieldReader } from './read-field';

/** Whether a record's `__operation` is DELETE; CREATE and UPDATE are read as UPSERT. */
export function readsDelete(reader: FieldReader, { isAllowed, permission, allowDeletes }: Deleting): boolean {
    const value = reader.data[OPERATION_FIELD];
    if (value === undefined || value === null) return false;
    const operation = parseOperation(value);
    if (!operation) reader.refuse(OPERATION_FIELD, `allowed: ${RECORD_OPERATIONS.join(', ')}`);
    if (operation === 'DELETE' && allowDeletes === false)
        reader.wrong(OPERATION_FIELD, 'is "DELETE", and allowDeletes is false; set it to true to let records delete');
    else if (operation === 'DELETE' && !isAllowed)
        reader.wrong(OPERATION_FIELD, `is "DELETE", for which the run's user lacks the permission ${permission}`);
    return operation === 'DELETE';
}

/** Reports an error if a record's `__operation` does not set `what` ("a price"), which cannot be deleted. */
export function rejectDelete(reader: FieldReader, what: string, instead = 'set it, or delete the variant'): void {
    if (parseOperation(reader.data[OPERATION_FIELD]) === 'DELETE')
        reader.wrong(OPERATION_FIELD, `is "DELETE", but ${what} cannot be deleted; ${instead}`);
    else rejectOtherOperations(reader);
}

/** Rejects a record whose `__operation` does not create or update. `reason` ends the message. */
export function rejectOtherOperations(reader: FieldReader, reason = ''): void {
    const value = reader.data[OPERATION_FIELD];
    if (value === undefined || value === null) return;
    const operation = parseOperation(value);
    if (!operation || operation === 'DELETE')
        reader.refuse(OPERATION_FIELD, `allowed: ${UPSERT_OPERATIONS.join(', ')}${reason}`);
}
